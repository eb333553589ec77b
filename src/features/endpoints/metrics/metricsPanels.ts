import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import { createPanel } from '../../../kit/panels.ts';
import { shown } from '../../../text/shownText.ts';
import { KeptView, type MetricsSelection, type MetricsTarget } from '../../../webviews/metrics/messages.ts';
import { MetricsPanel, type MetricsReaders } from './metricsPanel.ts';

/** The metrics views. Each endpoint has at most one. */
export class MetricsPanels implements vscode.Disposable {
  readonly #services: AccountServices;
  readonly #readers: MetricsReaders;
  /** Panels by endpoint. */
  readonly #panels = new Map<string, { readonly panel: vscode.WebviewPanel; readonly host: MetricsPanel }>();

  constructor(services: AccountServices, readers: MetricsReaders) {
    this.#services = services;
    this.#readers = readers;
  }

  /** Opens the metrics of the endpoint of a row, or of one that the user picks. */
  async open(viewType: string, args: readonly unknown[]): Promise<void> {
    const snapshot = await chosenEndpoint(this.#services, args, l10n.t('Endpoint to show the metrics of'));
    if (!snapshot) return;
    const { endpoint } = snapshot;
    const { profile } = requireConnection(this.#services.connections);
    const target = { connectionId: profile.id, endpointId: endpoint.id, name: endpoint.name };
    const known = this.#panels.get(keyOf(target));
    if (known) known.panel.reveal();
    else this.#adopt(createPanel(viewType, shown`Metrics: ${endpoint.name}`), target);
  }

  /** Takes a panel that the editor restored after a reload. @param stored state that the page kept */
  restore(panel: vscode.WebviewPanel, stored: unknown): void {
    const kept = KeptView.safeParse(stored).data;
    // A page that was never shown kept no endpoint.
    if (kept) this.#adopt(panel, kept.target, kept.selection);
    else panel.dispose();
  }

  /** Disposes the hosts, and not the panels, which the editor restores after a reload. */
  dispose(): void {
    for (const { host } of this.#panels.values()) host.dispose();
  }

  #adopt(panel: vscode.WebviewPanel, target: MetricsTarget, selection?: MetricsSelection): void {
    const key = keyOf(target);
    const host = new MetricsPanel(panel, { ...{ services: this.#services, target, selection }, ...this.#readers });
    this.#panels.set(key, { panel, host });
    panel.onDidDispose(() => {
      if (this.#panels.get(key)?.panel === panel) this.#panels.delete(key);
    });
  }
}

function keyOf({ connectionId, endpointId }: MetricsTarget): string {
  return JSON.stringify([connectionId, endpointId]);
}
