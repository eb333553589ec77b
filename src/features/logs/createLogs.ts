import path from 'node:path';
import * as vscode from 'vscode';
import { shown } from '../../text/shownText.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { LocalFiles } from '../../account/sourceLinks/localFiles.ts';
import { workerDirectory } from '../../account/endpoints/workerProcess.ts';
import { LogArchives } from './archive/logArchives.ts';
import { ArchivedLogs } from './archivedLogs.ts';
import { LogChannels } from './channels/logChannels.ts';
import { LineColors } from './colors/lineColors.ts';
import { registerLineColors } from './colors/lineColorsProvider.ts';
import type { DocumentShell } from '../../kit/documents/documentShell.ts';
import type { LogCommandOptions } from './commands/logCommands.ts';
import { FollowedLogs } from './follow/followedLogs.ts';
import { WorkerWatch } from './follow/workerWatch.ts';
import { createFullLog, type FullLogParts } from './fullLog/fullLogParts.ts';
import { registerLogLinks } from './links/logLinks.ts';
import { registerLogMarks } from './logMarks.ts';
import { LogSession, FollowedMemento } from './logSession.ts';
import { onDidChangeViewOptions, viewOptions } from './logSettings.ts';
import { LogStatusBar } from './logStatusBar.ts';
import { TroubleStore } from './troubleStore.ts';
import { setContext } from '../../kit/contextKeys.ts';

const MEBIBYTE = 1024 * 1024;
/** Maximum size of all archives of a workspace and of one log, in bytes. The logs that were not used for the longest time are deleted first. */
const ARCHIVE_LIMITS = { all: 4_096 * MEBIBYTE, each: 1_024 * MEBIBYTE };

/** The logs of this window, and what their commands use. */
export interface Logs extends LogCommandOptions {
  readonly fullLog: FullLogParts;
  readonly disposable: vscode.Disposable;
}

/** Follows the logs of workers and endpoints in output channels. @param pages shell of the documents of full logs */
export function createLogs(services: AccountServices, pages: DocumentShell): Logs {
  const { connections, clock, context, log } = services;
  // A window without a workspace has no folder of its own.
  const folder = (): string => path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'logs');
  const archives = new LogArchives(folder, () => ARCHIVE_LIMITS);
  const followed = new FollowedLogs({
    ...{ connections, archives, clock },
    onFailure: ({ workerId }, error) => log.error(shown`The log of worker ${workerId} cannot be stored`.text, error),
  });
  const colors = new LineColors();
  const channels = new LogChannels({
    ...{ followed, colors, clock },
    onError: (error) => log.error('The lines of a log could not be read', error),
    options: viewOptions,
    onDidChangeOptions: (listener) => onDidChangeViewOptions(listener),
  });
  const troubles = new TroubleStore(followed);
  const watch = new WorkerWatch(followed, { connections, clock });
  watch.setFocused(vscode.window.state.focused);
  const source = new ArchivedLogs(connections, archives, followed);
  const fullLog = createFullLog({
    ...{ clock, log, source, colors, pages },
    format: { current: viewOptions, onDidChange: (listener) => onDidChangeViewOptions(listener) },
  });
  const memento = new FollowedMemento(context.workspaceState);
  const disposable = vscode.Disposable.from(
    new LogSession({ connections, followed, channels, archives, memento, clock }),
    troubles.onDidFind(({ worker, trouble }) => channels.addTrouble(worker, trouble)),
    vscode.window.onDidChangeWindowState(({ focused }) => watch.setFocused(focused)),
    registerLineColors(colors),
    registerLogLinks({
      localFiles: new LocalFiles(clock),
      subjectOf: (document) => {
        const endpointId = (channels.subjectOf(document) ?? fullLog.documents.pageAt(document.uri)?.subject)
          ?.endpointId;
        if (endpointId === undefined) return undefined;
        return { endpointId, directory: workerDirectory(services.endpoints.find(endpointId)?.endpoint) };
      },
    }),
    fullLog.editors.onDidChangeVisible(() => followed.setViewed(fullLog.editors.visible)),
    connections.onDidChange(() => followed.setViewed(fullLog.editors.visible)),
    followLogPanel(followed, channels),
    new LogStatusBar(followed),
    registerLogMarks(followed),
    watch,
    fullLog.disposable,
    source,
    channels,
    troubles,
    followed,
  );
  return { services, followed, channels, openFull: (subject, at) => fullLog.open(subject, at), fullLog, disposable };
}

/** Sets the context key that decides which actions the title of the Output panel has. */
function followLogPanel(followed: FollowedLogs, channels: LogChannels): vscode.Disposable {
  const update = (): void => {
    const { visible } = channels;
    setContext('cloudCompute.logPanel', visible && followed.statusOf(visible));
  };
  return vscode.Disposable.from(followed.onDidChange(update), channels.onDidChangeVisible(update));
}
