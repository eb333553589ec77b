import * as vscode from 'vscode';
import { callAfter, type Clock } from '../client/clock.ts';
import { safe, type Showable } from '../text/shownText.ts';

export interface ProgressOptions {
  readonly title: Showable;
  /** Place of the progress indicator. A notification has a cancel button. A view has only a progress bar, and the status bar has a text. */
  readonly location:
    vscode.ProgressLocation.Notification | vscode.ProgressLocation.Window | { readonly viewId: string };
}

/**
 * Shows a message.
 *
 * @param percent finished part, 0 to 100, if it is known. The bar of a notification never goes back.
 */
export type Report = (message: Showable, percent?: number) => void;

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
      let done = 0;
      return await task(controller.signal, (message, percent = done) => {
        const increment = Math.max(0, percent - done);
        done += increment;
        progress.report({ message: safe(message), ...(increment > 0 && { increment }) });
      });
    } finally {
      subscription.dispose();
    }
  });
}

/** Time in ms after which a task shows its progress. */
const PATIENCE_MS = 500;

/** Runs a task that is usually short. Only a task that takes longer shows a notification, whose cancel button aborts the signal. */
export async function withLateProgress<Result>(
  clock: Clock,
  title: Showable,
  task: (signal: AbortSignal, report: Report) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let last: Showable | undefined;
  let show: Report | undefined;
  const running = task(controller.signal, (message) => {
    last = message;
    show?.(message);
  });
  const ended = running.then(
    () => undefined,
    () => undefined,
  );
  const stopWaiting = callAfter(clock, PATIENCE_MS, () => {
    void withProgress({ title, location: vscode.ProgressLocation.Notification }, async (signal, report) => {
      signal.addEventListener('abort', () => controller.abort(), { once: true });
      show = report;
      if (last !== undefined) report(last);
      await ended;
    });
  });
  try {
    return await running;
  } finally {
    stopWaiting();
  }
}
