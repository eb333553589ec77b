import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick, createPick, rowOf, type ShownItem } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { LogChannels } from '../channels/logChannels.ts';
import type { FollowedLog, FollowedLogs } from '../follow/followedLogs.ts';
import { backfill, backfillText } from '../logSettings.ts';
import { FOLLOWED } from '../logStatusBar.ts';
import type { Backfill } from '../model/logOptions.ts';
import { subjectKey, workerWords, type LogSubject } from '../model/logSubject.ts';
import { chooseLog } from './chooseLog.ts';
import { askBackfill } from './logOptions.ts';
import { shown } from '../../../text/shownText.ts';

export interface LogCommandOptions {
  readonly services: AccountServices;
  readonly followed: FollowedLogs;
  readonly channels: LogChannels;
  /** @param at time to show, in ms since the epoch. Default: the newest lines */
  readonly openFull: (subject: LogSubject, at?: number) => Promise<void>;
}

/** Follows the log of a row, or one that the user chooses. With `FOLLOWED`, the user chooses among the followed logs. */
export async function openLog(options: LogCommandOptions, argument: unknown): Promise<void> {
  const { services, followed } = options;
  const past = () => backfill(services.clock.now());
  if (argument === FOLLOWED) {
    pickFollowed(followed, (subject) => show(options, subject, past()));
    return;
  }
  const subject = await choose(options, argument);
  if (subject) show(options, subject, past());
}

/** Like `openLog`, with lines since a time that the user enters. */
export async function openLogSince(options: LogCommandOptions, argument: unknown): Promise<void> {
  const subject = await choose(options, argument);
  if (!subject) return;
  const { clock } = options.services;
  const text = await askBackfill(clock.now(), backfillText());
  if (text !== undefined) show(options, subject, backfill(clock.now(), text));
}

/**
 * Opens all lines of a log. In the title of the panel, the command is about the log that the panel shows.
 *
 * @param at time to show, in ms since the epoch. Default: the newest lines
 */
export async function openFullLog(options: LogCommandOptions, argument: unknown, at: unknown): Promise<void> {
  const { channels, openFull } = options;
  const subject = isEndpointNode(argument)
    ? await choose(options, argument)
    : (channels.visible ?? (await choose(options, undefined)));
  if (subject) await openFull(subject, typeof at === 'number' ? at : undefined);
}

/** Stops following the log in the panel, or one that the user chooses. */
export async function stopLog(options: LogCommandOptions): Promise<void> {
  const none = l10n.t('no log is being followed');
  const subject = await followedLog(options, ({ isWanted }) => isWanted, none, l10n.t('Log to stop following'));
  if (subject) options.followed.stop(subject);
}

/** Follows a stopped log again: the log in the panel, or one that the user chooses. */
export async function resumeLog(options: LogCommandOptions): Promise<void> {
  const none = l10n.t('no log is stopped');
  const subject = await followedLog(options, ({ isWanted }) => !isWanted, none, l10n.t('Log to resume'));
  if (subject) show(options, subject, backfill(options.services.clock.now()));
}

/** Clears the log in the panel, or one that the user chooses. */
export async function clearLog(options: LogCommandOptions): Promise<void> {
  const subject = await followedLog(options, () => true, l10n.t('no log is shown'), l10n.t('Log to clear'));
  if (subject) options.channels.clear(subject);
}

function show({ services, followed, channels }: LogCommandOptions, subject: LogSubject, past: Backfill): void {
  // The connection may have changed while a picker was open.
  requireConnectionOf(services.connections, subject.connectionId);
  channels.create(subject);
  followed.follow(subject, past);
  channels.show(subject);
  services.completedSteps.complete('logs');
  const endpoint = services.endpoints.find(subject.endpointId);
  if (!subject.workerIds && endpoint?.workers?.workers.length === 0) channels.addState(subject, { kind: 'waiting' });
}

function choose({ services, followed }: LogCommandOptions, argument: unknown): Promise<LogSubject | undefined> {
  return chooseLog(services, followed, isEndpointNode(argument) ? argument : undefined);
}

/** Returns the log in the panel, or lets the user choose among some of the followed logs. */
async function followedLog(
  { followed, channels }: LogCommandOptions,
  fits: (one: FollowedLog) => boolean,
  none: string,
  placeholder: string,
): Promise<LogSubject | undefined> {
  const candidates = followed.all.filter(fits);
  const { visible } = channels;
  const inPanel = candidates.find((one) => visible && subjectKey(one.subject) === subjectKey(visible));
  if (inPanel) return inPanel.subject;
  if (candidates.length === 0) throw new UserError(none);
  if (candidates.length === 1) return candidates[0]?.subject;
  const items = candidates.map(({ subject }) => ({
    label: workerWords(subject),
    description: subject.endpointName,
    subject,
  }));
  return (await pick(items, { placeholder }))?.subject;
}

type LogItem = ShownItem & { readonly subject: LogSubject };

/** Lists the followed logs. Choosing one shows it, and the button of its row stops following it. */
function pickFollowed(followed: FollowedLogs, show: (subject: LogSubject) => void): void {
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
