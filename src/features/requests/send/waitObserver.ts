import * as l10n from '@vscode/l10n';
import type { Report } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { shortDuration } from '../../../text/quantities.ts';
import { queueWords } from '../../../account/jobWords.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { WaitObserver } from '../actions/untilWorkerReady.ts';

/** Interval for reading the state of workers while a request waits, in ms. */
const REFRESH_EVERY_MS = 3_000;

/** Returns an observer that reports why a request waits, such as `3 s · waiting for a worker: 1 initializing`. */
export function waitObserver(
  { endpoints }: Pick<AccountServices, 'endpoints'>,
  endpointId: string,
  report: Report,
): WaitObserver {
  let refreshedAt = -Infinity;
  return {
    waiting: (elapsedMs) => {
      const snapshot = endpoints.find(endpointId);
      const summary = snapshot?.workers?.summary;
      const isReady = summary !== undefined && summary.idle + summary.running > 0;
      const words = isReady ? l10n.t('waiting for the response') : queueWords(summary, snapshot?.endpoint.workers.max);
      report(shown`${shortDuration(elapsedMs)} · ${words}`);
      if (elapsedMs - refreshedAt < REFRESH_EVERY_MS) return;
      refreshedAt = elapsedMs;
      void endpoints.refreshOne(endpointId).catch(() => undefined);
    },
    retrying: (pauseMs) => report(shown`no worker became ready; trying again in ${shortDuration(pauseMs)}`),
  };
}

/** Returns whether a worker of an endpoint can become ready. A paused endpoint starts none. */
export function canHaveWorkers({ endpoints }: Pick<AccountServices, 'endpoints'>, endpointId: string): boolean {
  return endpoints.find(endpointId)?.endpoint.workers.max !== 0;
}
