import * as vscode from 'vscode';
import { safe, type Showable } from './text/shownText.ts';

export interface ProgressOptions {
  readonly title: Showable;
  /** Place of the progress indicator. A notification has a cancel button; a view has only a progress bar. */
  readonly location: vscode.ProgressLocation.Notification | { readonly viewId: string };
}

export type Report = (message: Showable) => void;

/** Runs a task with visible progress. The cancel button aborts the signal. */
export function withProgress<Result>(
  { title, location }: ProgressOptions,
  task: (signal: AbortSignal, report: Report) => Promise<Result>,
): Thenable<Result> {
  const cancellable = location === vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ title: safe(title), location, cancellable }, async (progress, token) => {
    const controller = new AbortController();
    const subscription = token.onCancellationRequested(() => controller.abort());
    try {
      return await task(controller.signal, (message) => progress.report({ message: safe(message) }));
    } finally {
      subscription.dispose();
    }
  });
}
