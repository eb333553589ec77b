import * as vscode from 'vscode';
import type { WorkerLogStore } from './workerLogStore.ts';

/** Argument of `cloudCompute.logs.open` that asks for the workers being followed. */
export const FOLLOWED = 'followed';

/** Says how many workers are followed; a click shows which, to show or stop them. */
export class LogStatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: vscode.Disposable;

  constructor(store: WorkerLogStore) {
    this.#item = vscode.window.createStatusBarItem('cloudCompute.followedLogs', vscode.StatusBarAlignment.Right);
    this.#item.name = 'Cloud Compute: Followed Worker Logs';
    this.#item.command = { title: 'Show followed logs', command: 'cloudCompute.logs.open', arguments: [FOLLOWED] };
    const render = () => this.#render(store);
    render();
    this.#subscription = store.onDidChange(render);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #render({ followed }: WorkerLogStore): void {
    const names = followed.map(({ endpointName, workerId }) => `${endpointName} / ${workerId}`);
    const what = `Following the logs of ${followed.length} ${followed.length === 1 ? 'worker' : 'workers'}`;
    this.#item.text = `$(output) ${followed.length}`;
    this.#item.tooltip = [`${what}:`, ...names, '', 'Click to show or stop one.'].join('\n');
    this.#item.accessibilityInformation = { label: `${what}: ${names.join(', ')}`, role: 'button' };
    if (followed.length > 0) this.#item.show();
    else this.#item.hide();
  }
}
