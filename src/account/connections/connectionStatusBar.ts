import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../client/clock.ts';
import type { Client } from '../../client/client.ts';
import { explain, remedyOf } from '../../kit/explain.ts';
import { StatusItem } from '../../kit/statusBar.ts';
import { commandLink, formatted, type Markdown } from '../../text/markdown.ts';
import { shown, type ShownText } from '../../text/shownText.ts';
import type { Tooltip } from '../../kit/tooltips.ts';
import type { ConnectionStore } from './connectionStore.ts';
import { connectionIcon, connectionState, connectionTooltip } from './connectionWords.ts';

const REMEDIES = ['cloudCompute.endpoints.refresh', 'cloudCompute.connections.replaceKey'] as const;

/**
 * Status bar item that shows the current connection and whether its requests succeed, and switches it on click. It is hidden when there are
 * no connections, and while the local platform is used without trouble, because its own item shows it.
 */
export class ConnectionStatusBar implements vscode.Disposable {
  readonly #item: StatusItem;
  readonly #connections: ConnectionStore;
  readonly #clock: Clock;
  readonly #subscription: vscode.Disposable;
  #client: Client | undefined;
  #unfollow: (() => void)[] = [];

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
    if (profile?.kind === 'local' && !this.#failure) {
      this.#item.hide();
    } else if (profile) {
      const signedOut = profile.kind === 'hosted' && profile.apiKey === '';
      const failure = this.#failure;
      const icon = failure ? shown`$(warning)` : connectionIcon(profile);
      const state = failure ? failure.reason : connectionState(profile);
      this.#item.show({
        text: shown`${icon} ${profile.name}${signedOut ? l10n.t(' (signed out)') : ''}`,
        tooltip: this.#tooltip(),
        spoken: shown`Cloud Compute: ${profile.name}, ${state}. Switch connection`,
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

  /** Why the latest request failed, without and with the link of its remedy. Undefined after a success. */
  get #failure(): { readonly reason: ShownText; readonly text: Markdown } | undefined {
    const error = this.#client?.health.problem;
    if (!error) return undefined;
    const reason = explain(error, l10n.t('The last request failed'));
    const remedy = remedyOf(error);
    const command = REMEDIES.find((one) => one === remedy?.command);
    const link = remedy && command ? formatted` ${commandLink(remedy.label, command, remedy.argument)}` : '';
    return { reason, text: formatted`${reason}.${link}` };
  }

  #tooltip(): Tooltip {
    const { profile, problem } = this.#connections;
    if (!profile) return '';
    const windows = this.#client?.rateLimits.windows.values() ?? [];
    const invocations = this.#client?.invocationLimits.windows.values() ?? [];
    const now = this.#clock.now();
    const text = connectionTooltip(profile, { windows, invocations, now, problem, failure: this.#failure?.text });
    return { markdown: formatted`${text}\n\nClick to switch.`, commands: REMEDIES };
  }

  /** Updates the item when the health of the current client changes, and the tooltip when its rate limits change. */
  #follow(): void {
    const { client } = this.#connections;
    if (client === this.#client) return;
    for (const unfollow of this.#unfollow) unfollow();
    this.#client = client;
    const limits = client ? [client.rateLimits, client.invocationLimits] : [];
    this.#unfollow = limits.map((one) => one.onDidChange(() => this.#item.setTooltip(this.#tooltip())));
    if (client) this.#unfollow.push(client.health.onDidChange(() => this.#render()));
  }
}
