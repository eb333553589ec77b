import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMarkdown } from '../../../kit/markdownPreview.ts';
import { showMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import type { NextStep } from '../../../account/diagnosis/diagnosis.ts';
import type { EndpointDocuments } from './endpointDocuments.ts';

/**
 * Shows the explanation of an endpoint as formatted text. A message offers its next steps, because commands in a preview do nothing.
 * Resolves once the explanation is shown.
 */
export async function showExplanation(
  services: AccountServices,
  documents: EndpointDocuments,
  args: readonly unknown[],
): Promise<void> {
  const snapshot = await chosenEndpoint(services, args, l10n.t('Endpoint to explain'));
  if (!snapshot) return;
  const { id, name } = snapshot.endpoint;
  const location = { viewId: 'cloudCompute.endpoints' } as const;
  const { uri } = await withProgress({ title: shown`Reading ${name}…`, location }, () =>
    documents.open('explain', id, name),
  );
  await showMarkdown(uri);
  void offer(name, documents.stepsOf(uri));
}

async function offer(name: string, steps: readonly NextStep[]): Promise<void> {
  const [first, second] = steps;
  if (!first) return;
  const button = second ? l10n.t('Next Steps…') : first.title;
  if ((await showMessage('information', shown`The explanation of “${name}” has next steps.`, button)) === undefined)
    return;
  const rows = steps.map((step) => ({ label: step.title, detail: step.why, step }));
  const chosen = second ? await pick(rows, { title: shown`Next Steps for ${name}` }) : { step: first };
  if (chosen) await vscode.commands.executeCommand(chosen.step.command, chosen.step.node);
}
