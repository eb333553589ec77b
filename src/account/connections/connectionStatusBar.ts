import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../client/clock.ts';
import type { Client } from '../../client/client.ts';
import { StatusItem } from '../../kit/statusBar.ts';
import { formatted } from '../../text/markdown.ts';
import { shown } from '../../text/shownText.ts';
import type { Tooltip } from '../../kit/tooltips.ts';
import type { ConnectionStore } from './connectionStore.ts';
import { connectionIcon, connectionState, connectionTooltip } from './connectionWords.ts';

/** Status bar item that shows the current connection and switches it on click. It is hidden when there are no connections. */
export class ConnectionStatusBar implements vscode.Disposable {
  readonly #item: StatusItem;
  readonly #connections: ConnectionStore;
  readonly #clock: Clock;
  readonly #subscription: vscode.Disposable;
  #client: Client | undefined;
  #unfollow: readonly (() => void)[] = [];

  constructor(connections: ConnectionStore, clock: Clock) {
    this.#connections = connections;
    this.#clock = clock;
    this.#item = new StatusItem({
      id: 'cloudCompute.connection',
      name: l10n.t('Cloud Compute: Connection'),
      alignment: vscode.StatusBarAlignment.Left,
      priority: 10,
      command: 'cloudCompute.connections.switch',
    });
    this.#render();
    this.#subscription = connections.onDidChange(() => this.#render());
  }

  dispose(): void {
    for (const unfollow of this.#unfollow) unfollow();
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #render(): void {
    const { profile, hosted } = this.#connections;
    this.#follow();
    if (profile) {
      const signedOut = profile.kind === 'hosted' && profile.apiKey === '';
      this.#item.show({
        text: shown`${connectionIcon(profile)} ${profile.name}${signedOut ? l10n.t(' (signed out)') : ''}`,
        tooltip: this.#tooltip(),
        spoken: shown`Cloud Compute: ${profile.name}, ${connectionState(profile)}. Switch connection`,
      });
    } else if (hosted.length > 0) {
      this.#item.show({
        text: shown`$(debug-disconnect) Not connected`,
        tooltip: l10n.t('Cloud Compute: Select a connection'),
        spoken: l10n.t('Cloud Compute: not connected'),
      });
    } else {
      this.#item.hide();
    }
  }

  #tooltip(): Tooltip {
    const { profile, problem } = this.#connections;
    if (!profile) return '';
    const windows = this.#client?.rateLimits.windows.values() ?? [];
    const invocations = this.#client?.invocationLimits.windows.values() ?? [];
    const text = connectionTooltip(profile, { windows, invocations, now: this.#clock.now(), problem });
    return { markdown: formatted`${text}\n\nClick to switch.` };
  }

  /** Updates the tooltip when the rate limits of the current client change. */
  #follow(): void {
    const { client } = this.#connections;
    if (client === this.#client) return;
    for (const unfollow of this.#unfollow) unfollow();
    this.#client = client;
    const limits = client ? [client.rateLimits, client.invocationLimits] : [];
    this.#unfollow = limits.map((one) => one.onDidChange(() => this.#item.setTooltip(this.#tooltip())));
  }
}
