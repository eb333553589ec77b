import * as vscode from 'vscode';
import { setContext } from '../../kit/contextKeys.ts';
import type { LogChannels } from './channels/logChannels.ts';
import type { FollowedLogs } from './follow/followedLogs.ts';

/** Sets the context key that decides which actions the title of the Output panel has. */
export function followLogPanel(followed: FollowedLogs, channels: LogChannels): vscode.Disposable {
  const update = (): void => {
    const { visible } = channels;
    setContext('cloudCompute.logPanel', visible && followed.statusOf(visible));
  };
  return vscode.Disposable.from(followed.onDidChange(update), channels.onDidChangeVisible(update));
}
