import type { DocumentKind } from '../../../account/endpoints/endpointAddress.ts';
import * as vscode from 'vscode';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointDocuments } from './endpointDocuments.ts';
import * as l10n from '@vscode/l10n';
import { showMarkdown } from '../../../kit/showDocuments.ts';
import { showMessage } from '../../../kit/messages.ts';
import { pick } from '../../../kit/quickInput.ts';
import type { NextStep } from '../../../account/diagnosis/diagnosis.ts';

/** Shows an endpoint as a manifest, read-only or to edit. */
export async function showEndpoint(
  documents: EndpointDocuments,
  kind: 'yaml' | 'edit',
  snapshot: EndpointSnapshot,
): Promise<void> {
  const document = await open(documents, kind, snapshot);
  await vscode.window.showTextDocument(document, { preview: kind !== 'edit' });
}

/**
 * Shows the explanation of an endpoint as formatted text. A message offers its next steps, because commands in a preview do nothing.
 * Resolves once the explanation is shown.
 */
export async function showExplanation(documents: EndpointDocuments, snapshot: EndpointSnapshot): Promise<void> {
  const { uri } = await open(documents, 'explain', snapshot);
  await showMarkdown(uri);
  void offer(snapshot.endpoint.name, documents.stepsOf(uri));
}

function open(documents: EndpointDocuments, kind: DocumentKind, { endpoint: { id, name } }: EndpointSnapshot) {
  const location = { viewId: 'cloudCompute.endpoints' } as const;
  return withProgress({ title: shown`Reading ${name}…`, location }, () => documents.open(kind, id, name));
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
