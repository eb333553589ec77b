import * as vscode from 'vscode';
import type { Subscription } from '../../../kit/emitter.ts';
import { registerFullLogCommands } from './fullLogCommands.ts';
import { createFullLog, type FullLogServices } from './fullLogParts.ts';
import type { LogSubject } from '../model/logSubject.ts';
import { FULL_LOG_SCHEME } from './model/pageAddress.ts';

export interface FullLog {
  readonly disposable: vscode.Disposable;
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

/** Registers the documents of full logs, and the commands for them. */
export function registerFullLog(services: FullLogServices): FullLog {
  const parts = createFullLog(services, FULL_LOG_SCHEME);
  return {
    disposable: vscode.Disposable.from(parts.disposable, registerFullLogCommands(services, parts)),
    open: (subject) => parts.open(subject),
    subjectOf: ({ uri }) => parts.documents.pageAt(uri)?.subject,
    visible: () => parts.editors.visible,
    onDidChangeVisible: parts.editors.onDidChangeVisible,
  };
}
