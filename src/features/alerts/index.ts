import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { Lazy } from '../../kit/lazy.ts';

/** Tells the user when a condition of a manifest holds. The code is loaded with the first connection. */
export function registerAlerts(services: AccountServices): vscode.Disposable {
  const { connections, log } = services;
  const alerts = new Lazy(async () => (await import('./alertNotices.ts')).createAlerts(services));
  const load = () => {
    if (connections.client && !alerts.value)
      alerts.createSoon((error) => log.error('Could not watch the conditions of manifests', error));
  };
  load();
  const subscription = connections.onDidChange(load);
  return new vscode.Disposable(() => {
    subscription.dispose();
    alerts.value?.dispose();
  });
}
