import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { createPick, rowOf, type ShownItem } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import type { FollowedLogs } from '../follow/followedLogs.ts';
import { subjectKey, workerWords, type LogSubject } from '../model/logSubject.ts';

type LogItem = ShownItem & { readonly subject: LogSubject };

/** Lists the followed logs. Choosing one shows it, and the button of its row stops following it. */
export function pickFollowed(followed: FollowedLogs, show: (subject: LogSubject) => void): void {
  const stopButton = { iconPath: new vscode.ThemeIcon('debug-pause'), tooltip: l10n.t('Stop Following') };
  const list = createPick<LogItem>({ placeholder: l10n.t('Log to show or stop following') });
  const fill = (): void => {
    const active = list.activeItems[0]?.item.subject;
    list.items = followed.all
      .filter(({ isWanted }) => isWanted)
      .map(({ subject }) => {
        const description = shown`${subject.endpointName} · ${followed.statusOf(subject) ?? ''}`;
        return rowOf({ label: workerWords(subject), description, buttons: [stopButton], subject });
      });
    if (list.items.length === 0) list.hide();
    list.activeItems = list.items.filter(({ item }) => active && subjectKey(item.subject) === subjectKey(active));
  };
  fill();
  const subscriptions = [
    followed.onDidChange(fill),
    list.onDidTriggerItemButton(({ item: row }) => followed.stop(row.item.subject)),
    list.onDidAccept(() => {
      const [chosen] = list.selectedItems;
      if (chosen) show(chosen.item.subject);
      list.hide();
    }),
    list.onDidHide(() => {
      for (const subscription of [...subscriptions, list]) subscription.dispose();
    }),
  ];
  list.show();
}
