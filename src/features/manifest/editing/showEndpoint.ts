import * as vscode from 'vscode';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointDocuments } from './endpointDocuments.ts';

/** Shows an endpoint as a manifest, read-only or to edit. */
export async function showEndpoint(
  documents: EndpointDocuments,
  kind: 'yaml' | 'edit',
  { endpoint: { id, name } }: EndpointSnapshot,
): Promise<void> {
  const location = { viewId: 'cloudCompute.endpoints' } as const;
  const document = await withProgress({ title: shown`Reading ${name}…`, location }, () =>
    documents.open(kind, id, name),
  );
  await vscode.window.showTextDocument(document, { preview: kind !== 'edit' });
}
