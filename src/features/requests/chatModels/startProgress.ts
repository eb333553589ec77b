import * as vscode from 'vscode';
import { callAfter } from '../../../client/clock.ts';
import { withProgress, type Report } from '../../../kit/progress.ts';
import { shown, type Showable } from '../../../text/shownText.ts';
import type { WaitObserver } from '../actions/untilWorkerReady.ts';
import { waitObserver } from '../send/waitObserver.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Time in ms after which the wait for an answer is shown. */
const PATIENCE_MS = 1_000;

export interface StartProgress {
  readonly observer: WaitObserver;
  readonly report: Report;
  /** Removes the progress. */
  end(): void;
}

/**
 * Shows in the status bar why a chat waits, such as `12 s · waiting for a worker: 1 initializing`. The chat itself can only show that a
 * request is running, and has the button that cancels it.
 */
export function startProgress(
  services: Pick<AccountServices, 'clock' | 'endpoints'>,
  { endpointId, name }: { readonly endpointId: string; readonly name: string },
): StartProgress {
  const ended = Promise.withResolvers<void>();
  let last: Showable | undefined;
  let show: Report | undefined;
  const report: Report = (message) => {
    last = message;
    show?.(message);
  };
  const stopWaiting = callAfter(services.clock, PATIENCE_MS, () => {
    void withProgress({ title: shown`${name}`, location: vscode.ProgressLocation.Window }, async (_, shownReport) => {
      show = shownReport;
      if (last !== undefined) shownReport(last);
      await ended.promise;
    });
  });
  return {
    observer: waitObserver(services, endpointId, report),
    report,
    end: () => {
      stopWaiting();
      ended.resolve();
    },
  };
}
