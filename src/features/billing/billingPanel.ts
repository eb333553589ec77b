import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { followVisibility } from '../../vscode/visibility.ts';
import type { BillingToWebview } from '../../webviews/billing/messages.ts';
import type { Services } from '../services.ts';
import { BILLING_COMMANDS } from './billingPageActions.ts';
import { billingCsv } from './billingCsv.ts';
import { billingPage } from './billingPage.ts';
import { BillingStore } from './billingStore.ts';
import { billingView } from './billingView.ts';
import { KeptState, ToHost } from './received.ts';

export const BILLING_VIEW_TYPE = 'cloudCompute.billing';

/** Host side of the billing view. It owns a store that has the same lifetime as the panel. */
export class BillingPanel implements vscode.Disposable {
  readonly #services: Services;
  readonly #panel: vscode.WebviewPanel;
  readonly #store: BillingStore;
  readonly #subscriptions: vscode.Disposable;

  /**
   * @param panel a new panel, or one that the editor restored after a reload
   * @param stored state that the page kept before the reload
   */
  constructor(services: Services, panel: vscode.WebviewPanel, stored?: unknown) {
    this.#services = services;
    this.#panel = panel;
    this.#store = new BillingStore(services.connections, services.clock);
    const kept = KeptState.safeParse(stored);
    if (kept.success) this.#store.setRange(kept.data.range);

    this.#subscriptions = vscode.Disposable.from(
      this.#store,
      this.#store.onDidChange(() => this.#showState()),
      services.connections.onDidChange(() => this.#showState()),
      panel.webview.onDidReceiveMessage((message) => this.#onMessage(message)),
      followVisibility(this.#store, panel, panel.onDidChangeViewState),
      panel.onDidDispose(() => this.dispose()),
    );
    const { extensionUri } = services.context;
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'webviews', 'billing-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'webviews', 'billing-dark.svg'),
    };
    this.#load(vscode.Uri.joinPath(extensionUri, 'dist', 'webviews'));
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** Disposes the store and the listeners. Does not dispose the panel, which the editor restores after a reload. */
  dispose(): void {
    this.#subscriptions.dispose();
  }

  #load(folder: vscode.Uri): void {
    const { webview } = this.#panel;
    const address = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
    webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [folder] };
    webview.html = billingPage({
      script: address('billing.js'),
      style: address('billing.css'),
      source: webview.cspSource,
      nonce: randomUUID(),
    });
  }

  #onMessage(received: unknown): void {
    const { data: message } = ToHost.safeParse(received);
    switch (message?.type) {
      case undefined:
        this.#services.log.warn('The billing view sent an invalid message');
        return;
      case 'ready':
        this.#showState();
        return;
      case 'setRange':
        this.#store.setRange(message.range);
        return;
      case 'refresh':
        this.#store.refresh();
        return;
      case 'copyCsv':
        void this.#copyCsv();
        return;
      case 'act':
        void vscode.commands.executeCommand(BILLING_COMMANDS[message.action]);
        return;
    }
  }

  #showState(): void {
    this.#send({ type: 'view', view: billingView(this.#store.state, this.#services.connections) });
  }

  async #copyCsv(): Promise<void> {
    const { report } = this.#store.state;
    if (!report) return;
    await vscode.env.clipboard.writeText(billingCsv(report.response));
    this.#send({ type: 'copied' });
  }

  #send(message: BillingToWebview): void {
    void this.#panel.webview.postMessage(message);
  }
}
