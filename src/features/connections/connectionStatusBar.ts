import * as vscode from 'vscode';
import type { Clock } from '../../client/clock.ts';
import type { RateLimits } from '../../client/rateLimits.ts';
import type { ConnectionStore } from './connectionStore.ts';
import { connectionIcon, connectionState, connectionTooltip } from './connectionWords.ts';

/** Names the current connection and says whether it is this machine; a click switches. Without connections it does not exist. */
export class ConnectionStatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #connections: ConnectionStore;
  readonly #clock: Clock;
  readonly #subscription: vscode.Disposable;
  #limits: RateLimits | undefined;
  #unfollow: (() => void) | undefined;

  constructor(connections: ConnectionStore, clock: Clock) {
    this.#connections = connections;
    this.#clock = clock;
    this.#item = vscode.window.createStatusBarItem('cloudCompute.connection', vscode.StatusBarAlignment.Left, 10);
    this.#item.name = 'Cloud Compute: Connection';
    this.#item.command = 'cloudCompute.connections.switch';
    this.#render();
    this.#subscription = connections.onDidChange(() => this.#render());
  }

  dispose(): void {
    this.#unfollow?.();
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #render(): void {
    const { profile, hosted } = this.#connections;
    this.#follow();
    if (!profile) {
      this.#item.text = '$(debug-disconnect) Not connected';
      this.#item.tooltip = 'Cloud Compute: choose a connection';
      this.#item.accessibilityInformation = { label: 'Cloud Compute: not connected', role: 'button' };
      // Whoever has not begun is not to be reminded.
      if (hosted.length > 0) this.#item.show();
      else this.#item.hide();
      return;
    }
    const signedOut = profile.kind === 'hosted' && profile.apiKey === '';
    this.#item.text = `${connectionIcon(profile)} ${plain(profile.name)}${signedOut ? ' (signed out)' : ''}`;
    const label = `Cloud Compute: ${profile.name}, ${connectionState(profile)}. Switch connection`;
    this.#item.accessibilityInformation = { label, role: 'button' };
    this.#renderTooltip();
    this.#item.show();
  }

  #renderTooltip(): void {
    const { profile, problem } = this.#connections;
    if (!profile) return;
    const windows = this.#limits?.windows.values() ?? [];
    const text = connectionTooltip(profile, { windows, now: this.#clock.now(), problem });
    this.#item.tooltip = new vscode.MarkdownString(`${text}\n\nClick to switch.`, true);
  }

  /** The tooltip has the reading of the current client. */
  #follow(): void {
    const limits = this.#connections.client?.rateLimits;
    if (limits === this.#limits) return;
    this.#unfollow?.();
    this.#limits = limits;
    this.#unfollow = limits?.onDidChange(() => this.#renderTooltip());
  }
}

/** A name without what the status bar would read as an icon. */
function plain(name: string): string {
  return name.replaceAll('$(', '$ (');
}
