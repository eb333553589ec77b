import * as vscode from 'vscode';
import { setContext } from '../../../kit/contextKeys.ts';
import type { RequestShells } from '../requestShells.ts';
import type { RouteServices } from '../routeServices.ts';
import { RequestTreeProvider } from './requestTreeProvider.ts';

/** Interval for updating the ages of rows, in ms. */
const AGE_MS = 60_000;
/** Minimum time between updates of running rows, in ms. */
const UPDATE_EVERY_MS = 500;

/** Fills the requests view. Its rows follow the running requests. */
export function registerRequestView(
  services: RouteServices,
  { tree, shown: view }: RequestShells['view'],
): vscode.Disposable {
  const { clock, connections, exchanges, requests } = services;
  const provider = new RequestTreeProvider(services);
  const disposed = new AbortController();
  const refresh = (): void => {
    setContext('cloudCompute.hasRequests', provider.count > 0);
    view.setDescription(connections.profile?.name ?? '');
    if (view.visible) provider.refresh();
  };
  let isScheduled = false;
  const refreshSoon = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.sleep(UPDATE_EVERY_MS, disposed.signal).then(
      () => {
        isScheduled = false;
        refresh();
      },
      () => undefined,
    );
  };
  const age = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(AGE_MS, disposed.signal);
      refresh();
    }
  };
  void age().catch(() => undefined);
  refresh();
  return vscode.Disposable.from(
    tree.connect(provider),
    provider,
    new vscode.Disposable(() => disposed.abort()),
    requests.onDidChange(refresh),
    exchanges.onDidChange(refreshSoon),
    connections.onDidChange(refresh),
    view.onDidChangeVisibility(refresh),
  );
}
