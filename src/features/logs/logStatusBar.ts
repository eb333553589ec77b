import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { StatusItem } from '../../kit/statusBar.ts';
import { foreign, joined, shown } from '../../text/shownText.ts';
import type { FollowedLogs, FollowStatus } from './follow/followedLogs.ts';
import { workerWords } from './model/logSubject.ts';

/** Argument of `cloudCompute.logs.open` that lists the followed logs. */
export const FOLLOWED = 'followed';

const LONGEST_NAME = 100;
const MAX_NAMED = 20;

/** Shows the number and the states of the followed logs. A click lists them, so that the user can show or stop a log. */
export class LogStatusBar implements vscode.Disposable {
  readonly #item: StatusItem;
  readonly #subscription: { dispose(): unknown };

  constructor(followed: FollowedLogs) {
    this.#item = new StatusItem({
      id: 'cloudCompute.followedLogs',
      name: l10n.t('Cloud Compute: Followed Logs'),
      alignment: vscode.StatusBarAlignment.Right,
      command: { title: l10n.t('Show Followed Logs'), command: 'cloudCompute.logs.open', arguments: [FOLLOWED] },
    });
    const render = (): void => this.#render(followed);
    render();
    this.#subscription = followed.onDidChange(render);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #render(followed: FollowedLogs): void {
    const logs = followed.all.filter(({ isWanted }) => isWanted);
    if (logs.length === 0) {
      this.#item.hide();
      return;
    }
    const statuses = logs.map(({ subject }) => followed.statusOf(subject));
    const named = logs.slice(0, MAX_NAMED).map(({ subject }, index) => {
      const name = foreign(subject.endpointName, LONGEST_NAME);
      return shown`${name} / ${foreign(workerWords(subject), LONGEST_NAME)}: ${statuses[index] ?? ''}`;
    });
    const more = logs.length - named.length;
    const names = more > 0 ? [...named, shown`and ${more} more`] : named;
    const what = logs.length === 1 ? l10n.t('1 followed log') : l10n.t`${logs.length} followed logs`;
    this.#item.show({
      text: shown`${iconOf(statuses)} ${logs.length}`,
      tooltip: joined([`${what}:`, ...names, '', l10n.t('Click to show or stop a log.')], '\n'),
      spoken: shown`${what}: ${joined(names, ', ')}`,
    });
  }
}

/** Returns the icon of the state that needs the most attention. */
function iconOf(statuses: readonly (FollowStatus | undefined)[]): ReturnType<typeof shown> {
  if (statuses.includes('reconnecting')) return shown`$(sync~spin)`;
  return statuses.includes('following') ? shown`$(output)` : shown`$(debug-pause)`;
}
