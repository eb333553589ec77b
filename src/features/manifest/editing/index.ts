import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import { registerCommand } from '../../../kit/commands.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { EndpointDocuments } from './endpointDocuments.ts';
import { showExplanation } from './showExplanation.ts';

/** Registers the documents of endpoints, and the commands that open them. */
export function registerEditing(services: AccountServices): vscode.Disposable {
  const { log } = services;
  const documents = new EndpointDocuments(services, async (...edit) => {
    const { saveEdit } = await import('./saveEdit.ts');
    return saveEdit(services, ...edit);
  });
  const show =
    (kind: 'yaml' | 'edit', placeHolder: string) =>
    async (...args: unknown[]) => {
      const snapshot = await chosenEndpoint(services, args, placeHolder);
      if (!snapshot) return;
      const { id, name } = snapshot.endpoint;
      const location = { viewId: 'cloudCompute.endpoints' } as const;
      const document = await withProgress({ title: shown`Reading ${name}…`, location }, () =>
        documents.open(kind, id, name),
      );
      await vscode.window.showTextDocument(document, { preview: kind !== 'edit' });
    };
  return vscode.Disposable.from(
    documents.register(),
    registerCommand(
      log,
      'cloudCompute.endpoints.open',
      l10n.t('Could not open the endpoint'),
      show('yaml', l10n.t('Endpoint to show as a document')),
    ),
    registerCommand(
      log,
      'cloudCompute.endpoints.edit',
      l10n.t('Could not edit the endpoint'),
      show('edit', l10n.t('Endpoint to edit')),
    ),
    registerCommand(log, 'cloudCompute.endpoints.explain', l10n.t('Could not explain the endpoint'), (...args) =>
      showExplanation(services, documents, args),
    ),
  );
}
