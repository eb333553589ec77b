import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import { pick } from '../../../kit/quickInput.ts';
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
import { askBackfill, changeLogOptions } from './logOptions.ts';
import { pickFollowed } from './pickFollowed.ts';

export interface LogCommandOptions {
  readonly services: AccountServices;
  readonly followed: FollowedLogs;
  readonly channels: LogChannels;
  readonly openFull: (subject: LogSubject) => Promise<void>;
}

/** Registers the commands of followed logs. */
export function registerLogCommands({ services, followed, channels, openFull }: LogCommandOptions): vscode.Disposable {
  const { log, clock } = services;
  const show = (subject: LogSubject, past: Backfill): void => {
    // The connection may have changed while a picker was open.
    requireConnectionOf(services.connections, subject.connectionId);
    channels.create(subject);
    followed.follow(subject, past);
    channels.show(subject);
    services.completedSteps.complete('logs');
    const endpoint = services.endpoints.find(subject.endpointId);
    if (!subject.workerIds && endpoint?.workers?.workers.length === 0) channels.addState(subject, { kind: 'waiting' });
  };
  const choose = (argument: unknown) => chooseLog(services, followed, isEndpointNode(argument) ? argument : undefined);
  /** Returns the log in the panel, or lets the user choose among some of the followed logs. */
  const target = async (
    fits: (one: FollowedLog) => boolean,
    none: string,
    placeholder: string,
  ): Promise<LogSubject | undefined> => {
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
  };
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.logs.open', l10n.t('Could not show the logs'), async (argument) => {
      if (argument === FOLLOWED) {
        pickFollowed(followed, (subject) => show(subject, backfill(clock.now())));
        return;
      }
      const subject = await choose(argument);
      if (subject) show(subject, backfill(clock.now()));
    }),
    registerCommand(log, 'cloudCompute.logs.openSince', l10n.t('Could not show the logs'), async (argument) => {
      const subject = await choose(argument);
      if (!subject) return;
      const text = await askBackfill(clock.now(), backfillText());
      if (text !== undefined) show(subject, backfill(clock.now(), text));
    }),
    registerCommand(log, 'cloudCompute.logs.openFull', l10n.t('Could not open the log'), async (argument) => {
      // In the title of the panel, the command is about the log that the panel shows.
      const subject = isEndpointNode(argument)
        ? await choose(argument)
        : (channels.visible ?? (await choose(undefined)));
      if (subject) await openFull(subject);
    }),
    registerCommand(log, 'cloudCompute.logs.stop', l10n.t('Could not stop following the log'), async () => {
      const subject = await target(
        ({ isWanted }) => isWanted,
        l10n.t('no log is being followed'),
        l10n.t('Log to stop following'),
      );
      if (subject) followed.stop(subject);
    }),
    registerCommand(log, 'cloudCompute.logs.resume', l10n.t('Could not resume the log'), async () => {
      const subject = await target(({ isWanted }) => !isWanted, l10n.t('no log is stopped'), l10n.t('Log to resume'));
      if (subject) show(subject, backfill(clock.now()));
    }),
    registerCommand(log, 'cloudCompute.logs.clear', l10n.t('Could not clear the log'), async () => {
      const subject = await target(() => true, l10n.t('no log is shown'), l10n.t('Log to clear'));
      if (subject) channels.clear(subject);
    }),
    registerCommand(log, 'cloudCompute.logs.options', l10n.t('Could not change the log options'), () =>
      changeLogOptions(clock.now()),
    ),
  );
}
