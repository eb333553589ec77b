import type * as vscode from 'vscode';
import type { CommandTable } from '../../../kit/commands.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import { fullLogCommands } from './fullLogCommands.ts';
import { createFullLog, type FullLogServices } from './fullLogParts.ts';
import type { LogSubject } from '../model/logSubject.ts';
import { FULL_LOG_SCHEME } from './model/pageAddress.ts';

export interface FullLog {
  readonly disposable: vscode.Disposable;
  readonly commands: CommandTable;
  /**
   * Shows the newest page of a log. Resolves once it is visible, and reads the lines that are not stored yet in the background.
   *
   * @throws the error of a read
   */
  open(subject: LogSubject): Promise<void>;
  /** Returns the log that a document shows, or undefined. */
  subjectOf(document: vscode.TextDocument): LogSubject | undefined;
  /** The logs that the user can see. Their pages show new lines only if the source receives them. */
  visible(): readonly LogSubject[];
  /** Fires when other logs may have become visible. */
  readonly onDidChangeVisible: (listener: () => unknown) => Subscription;
}

/** Registers the documents of full logs. */
export function registerFullLog(services: FullLogServices): FullLog {
  const parts = createFullLog(services, FULL_LOG_SCHEME);
  return {
    disposable: parts.disposable,
    commands: fullLogCommands(services.clock, () => Promise.resolve(parts)),
    open: (subject) => parts.open(subject),
    subjectOf: ({ uri }) => parts.documents.pageAt(uri)?.subject,
    visible: () => parts.editors.visible,
    onDidChangeVisible: parts.editors.onDidChangeVisible,
  };
}
