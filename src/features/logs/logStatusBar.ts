import * as vscode from 'vscode';
import { StatusItem } from '../../vscode/statusBar.ts';
import { foreign, joined, shown } from '../../vscode/text/shownText.ts';
import type { WorkerLogStore } from './workerLogStore.ts';

/** Argument of `cloudCompute.logs.open` that lists the followed workers. */
export const FOLLOWED = 'followed';

const LONGEST_NAME = 100;
const MAX_NAMED = 20;

/** Shows the number of followed workers. A click lists them, so that the user can show or stop a log. */
export class LogStatusBar implements vscode.Disposable {
  readonly #item: StatusItem;
  readonly #subscription: vscode.Disposable;

  constructor(store: WorkerLogStore) {
    this.#item = new StatusItem({
      id: 'cloudCompute.followedLogs',
      name: 'Cloud Compute: Followed Worker Logs',
      alignment: vscode.StatusBarAlignment.Right,
      command: { title: 'Show Followed Logs', command: 'cloudCompute.logs.open', arguments: [FOLLOWED] },
    });
    const render = () => this.#render(store);
    render();
    this.#subscription = store.onDidChange(render);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #render({ followed }: WorkerLogStore): void {
    if (followed.length === 0) {
      this.#item.hide();
      return;
    }
    const named = followed
      .slice(0, MAX_NAMED)
      .map(
        ({ endpointName, workerId }) =>
          shown`${foreign(endpointName, LONGEST_NAME)} / ${foreign(workerId, LONGEST_NAME)}`,
      );
    const more = followed.length - named.length;
    const names = more > 0 ? [...named, shown`and ${more} more`] : named;
    const what = `Following the logs of ${followed.length} ${followed.length === 1 ? 'worker' : 'workers'}`;
    this.#item.show({
      text: shown`$(output) ${followed.length}`,
      tooltip: joined([`${what}:`, ...names, '', 'Click to show or stop a log.'], '\n'),
      spoken: shown`${what}: ${joined(names, ', ')}`,
    });
  }
}
