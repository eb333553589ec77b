import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ConnectedPoller } from '../../../vscode/connectedPoller.ts';
import { connectionOfDocument } from '../../connections/documentConnection.ts';
import { diagnose } from '../../endpoints/diagnosis/diagnose.ts';
import type { Services } from '../../services.ts';
import { HEALTH_INTERVAL_MS, healthDocument } from './endpointHealth.ts';
import type { JobViewDocuments, ViewDocument } from './jobViewDocuments.ts';
import { JOB_VIEW_SCHEME, parseViewDocumentPath, type ViewDocumentAddress } from './viewDocumentAddress.ts';

type Sources = Pick<Services, 'clock' | 'connections' | 'endpoints'>;

/** Reads the health of an endpoint. @throws NotConnectedError, or FileSystemError if the endpoint no longer exists */
export async function loadHealth(
  { clock, connections, endpoints }: Sources,
  { connectionId, endpointId }: ViewDocumentAddress,
): Promise<ViewDocument> {
  const { profile } = await connectionOfDocument(connections, connectionId);
  if (!endpoints.find(endpointId)) await endpoints.refresh();
  await endpoints.refreshOne(endpointId);
  const snapshot = endpoints.find(endpointId);
  if (!snapshot) throw vscode.FileSystemError.FileNotFound(l10n.t('The endpoint no longer exists.'));
  const diagnosis = diagnose({ snapshot, logs: [], platform: profile.kind, now: clock.now() });
  return healthDocument(snapshot, diagnosis, profile.name);
}

/** Reads the health documents again that are visible, while the window has the focus and a platform can be called. */
export function refreshVisibleHealth({ clock, connections }: Sources, documents: JobViewDocuments): vscode.Disposable {
  const poller = new ConnectedPoller({
    connections,
    clock,
    poll: async () => {
      // A document that cannot be read keeps its last content.
      await Promise.allSettled(visibleHealth().map((uri) => documents.refresh(uri)));
    },
    interval: () => HEALTH_INTERVAL_MS,
    onConnection: () => undefined,
  });
  const update = () => {
    poller.setVisible(visibleHealth().length > 0);
    poller.setFocused(vscode.window.state.focused);
  };
  update();
  return vscode.Disposable.from(
    poller,
    vscode.window.onDidChangeVisibleTextEditors(update),
    vscode.window.onDidChangeWindowState(update),
  );
}

function visibleHealth(): readonly vscode.Uri[] {
  return vscode.window.visibleTextEditors
    .map(({ document }) => document.uri)
    .filter(({ scheme, path }) => scheme === JOB_VIEW_SCHEME && parseViewDocumentPath(path)?.kind === 'health');
}
