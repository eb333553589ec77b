import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { withProgress, type Report } from '../../../vscode/progress.ts';
import { shown, type Showable } from '../../../vscode/text/shownText.ts';

/** Time after which the progress of a task is shown, in ms. */
const LATE_MS = 500;

interface LateProgress {
  readonly title: Showable;
  readonly clock: Clock;
  /** Called when the user selects Cancel. */
  readonly cancel: () => void;
}

/** Runs a task, and shows its progress with a Cancel button if it takes long. */
export async function withLateProgress<Result>(
  { title, clock, cancel }: LateProgress,
  task: (report: Report) => Promise<Result>,
): Promise<Result> {
  let last: Showable = shown`sending…`;
  let show: Report | undefined;
  const running = task((message) => {
    last = message;
    show?.(message);
  });
  const ended = running.then(
    () => undefined,
    () => undefined,
  );
  const isLate = await Promise.race([ended.then(() => false), clock.sleep(LATE_MS).then(() => true)]);
  if (isLate)
    void withProgress({ title, location: vscode.ProgressLocation.Notification }, async (signal, report) => {
      signal.addEventListener('abort', cancel, { once: true });
      show = report;
      report(last);
      await ended;
    });
  return running;
}
