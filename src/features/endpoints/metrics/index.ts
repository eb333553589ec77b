import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import { createPanel } from '../../../kit/panels.ts';
import { shown } from '../../../text/shownText.ts';
import type { MetricsTarget } from '../../../webviews/metrics/messages.ts';
import type { MetricsPanel, OwnJobs } from './metricsPanel.ts';

const VIEW_TYPE = 'cloudCompute.metrics';

/** Registers the metrics views. Each endpoint has at most one, and the editor restores them after a reload. */
export function registerMetrics(
  services: AccountServices,
  ownJobs: OwnJobs,
): vscode.Disposable & { readonly open: (args: readonly unknown[]) => Promise<void> } {
  const open = new Set<vscode.WebviewPanel>();
  /** Panels by endpoint. */
  const panels = new Map<string, vscode.WebviewPanel>();
  const hosts = new Set<MetricsPanel>();

  const adopt = async (panel: vscode.WebviewPanel, given?: MetricsTarget, stored?: unknown): Promise<void> => {
    open.add(panel);
    panel.onDidDispose(() => open.delete(panel));
    if (given) keep(panel, given);
    const [{ MetricsPanel: Host }, { KeptView }] = await Promise.all([
      import('./metricsPanel.ts'),
      import('../../../webviews/metrics/messages.ts'),
    ]);
    const kept = KeptView.safeParse(stored).data;
    const target = given ?? kept?.target;
    // The panel was closed in the meantime.
    if (!open.has(panel)) return;
    if (!target) {
      // The page was never shown, so it kept no endpoint.
      panel.dispose();
      return;
    }
    keep(panel, target);
    const host = new Host(panel, { services, ownJobs, target, selection: kept?.selection });
    hosts.add(host);
    panel.onDidDispose(() => hosts.delete(host));
  };
  const keep = (panel: vscode.WebviewPanel, target: MetricsTarget) => {
    const key = keyOf(target);
    if (panels.get(key) === panel) return;
    panels.set(key, panel);
    panel.onDidDispose(() => {
      if (panels.get(key) === panel) panels.delete(key);
    });
  };
  const openFor = async (args: readonly unknown[]): Promise<void> => {
    const snapshot = await chosenEndpoint(services, args, l10n.t('Endpoint to show the metrics of'));
    if (!snapshot) return;
    const { endpoint } = snapshot;
    const { profile } = requireConnection(services.connections);
    const target = { connectionId: profile.id, endpointId: endpoint.id, name: endpoint.name };
    const panel = panels.get(keyOf(target));
    if (panel) panel.reveal();
    else await adopt(createPanel(VIEW_TYPE, shown`Metrics: ${endpoint.name}`), target);
  };
  const registered = vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      deserializeWebviewPanel: (panel, stored) => adopt(panel, undefined, stored),
    }),
    new vscode.Disposable(() => {
      for (const host of hosts) host.dispose();
    }),
  );
  return Object.assign(registered, { open: openFor });
}

function keyOf({ connectionId, endpointId }: MetricsTarget): string {
  return JSON.stringify([connectionId, endpointId]);
}
