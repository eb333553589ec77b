import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMarkdown } from '../../../kit/markdownPreview.ts';
import { showMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import type { NextStep } from '../../../account/diagnosis/diagnosis.ts';
import type { EndpointDocuments } from './endpointDocuments.ts';

/**
 * Shows the explanation of an endpoint as formatted text. A message offers its next steps, because commands in a preview do nothing.
 * Resolves once the explanation is shown.
 */
export async function showExplanation(
  documents: EndpointDocuments,
  { endpoint: { id, name } }: EndpointSnapshot,
): Promise<void> {
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
  // The preview can take the focus after its content appears, and the message with the steps is gone.
  const options = { title: shown`Next Steps for ${name}`, ignoreFocusOut: true };
  const chosen = second ? await pick(rows, options) : { step: first };
  if (chosen) await vscode.commands.executeCommand(chosen.step.command, chosen.step.node);
}
