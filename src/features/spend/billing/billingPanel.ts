import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { followVisibility } from '../../../kit/visibility.ts';
import { showError } from '../../../kit/errors.ts';
import { showPage, type PageHost } from '../../../kit/panels.ts';
import { saveExport } from '../../../kit/files.ts';
import {
  KeptSelection,
  type BillingChart,
  type BillingToHost,
  type BillingToWebview,
} from '../../../webviews/billing/messages.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { BillingStore } from './billingStore.ts';
import { billingChart, billingView, BILLING_PAGE, BILLING_COMMANDS } from './billingView.ts';
import { csvOf, exportName, jsonOf } from './model/exports.ts';
import { shownPart } from './model/buckets.ts';

/** Key of the selection of the last opening. */
const KEPT = 'cloudCompute.billing.selection';

/** Host side of the billing view. It owns a store that has the same lifetime as the panel. */
export class BillingPanel implements vscode.Disposable {
  readonly #services: Pick<AccountServices, 'context' | 'log' | 'connections'>;
  readonly #page: PageHost<BillingToWebview>;
  readonly #store: BillingStore;
  readonly #subscriptions: vscode.Disposable;
  /** The chart with all of its buckets, for exports. */
  #chart: BillingChart | undefined;
  /** The data that the page's chart shows, to send it only when it changes. */
  #chartOf: readonly unknown[] = [];

  /**
   * @param panel a new panel, or one that the editor restored after a reload
   * @param stored state that the page kept before the reload
   */
  constructor(
    services: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections'>,
    panel: vscode.WebviewPanel,
    stored?: unknown,
  ) {
    this.#services = services;
    const { context, log } = services;
    const kept = KeptSelection.safeParse(stored).data ?? KeptSelection.safeParse(context.globalState.get(KEPT)).data;
    this.#store = new BillingStore(services.connections, services.clock, kept?.selection);
    this.#page = showPage(panel, BILLING_PAGE, { context, log, onMessage: (message) => this.#onMessage(message) });

    this.#subscriptions = vscode.Disposable.from(
      this.#store,
      this.#store.onDidChange(() => this.#showState()),
      services.connections.onDidChange(() => this.#showState()),
      this.#page.subscription,
      followVisibility(this.#store, panel, panel.onDidChangeViewState),
      panel.onDidDispose(() => this.dispose()),
    );
  }

  /** Disposes the store and the listeners. Does not dispose the panel, which the editor restores after a reload. */
  dispose(): void {
    this.#subscriptions.dispose();
  }

  #onMessage(message: BillingToHost): void {
    switch (message.type) {
      case 'ready':
        this.#chartOf = [];
        this.#showState();
        return;
      case 'select':
        this.#store.select(message.change);
        void this.#services.context.globalState.update(KEPT, { selection: this.#store.state.selection });
        return;
      case 'refresh':
        this.#store.refresh();
        return;
      case 'export':
        void this.#export(message.format, (chart) => (message.format === 'csv' ? csvOf(chart) : jsonOf(chart)));
        return;
      case 'exportPicture':
        void this.#export('png', () => message.bytes);
        return;
      case 'copy':
        void this.#copy();
        return;
      case 'act':
        void vscode.commands.executeCommand(BILLING_COMMANDS[message.action]);
        return;
    }
  }

  #showState(): void {
    const { state, now } = this.#store;
    this.#page.send({ type: 'view', view: billingView(state, this.#services.connections, now) });
    this.#showChart();
  }

  #showChart(): void {
    const { state, now } = this.#store;
    const { account, groups, resources, selection } = state;
    // The running bucket changes only with a response, because each hour has one.
    const of = [account.value, groups.value, resources.value, resources.error, selection.grouping];
    if (of.length === this.#chartOf.length && of.every((part, index) => part === this.#chartOf[index])) return;
    this.#chartOf = of;
    this.#chart = billingChart(state, now);
    const window = account.value?.metadata.query;
    this.#page.send({ type: 'chart', chart: this.#chart && window ? shownPart(this.#chart, window) : this.#chart });
  }

  async #export(extension: string, content: (chart: BillingChart) => Uint8Array | string): Promise<void> {
    const chart = this.#chart;
    if (!chart) return;
    try {
      if (await saveExport(l10n.t('Export Billing'), exportName(chart, extension), content(chart)))
        this.#page.send({ type: 'exported', to: 'file' });
    } catch (error) {
      showError(this.#services.log, error, l10n.t('Could not export the bill'));
    }
  }

  async #copy(): Promise<void> {
    if (!this.#chart) return;
    await vscode.env.clipboard.writeText(csvOf(this.#chart));
    this.#page.send({ type: 'exported', to: 'clipboard' });
  }
}
