import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { cancelAndRead } from '../../../client/followToEnd.ts';
import { runSync } from '../../../client/runSync.ts';
import type { Job } from '../../../contract/job.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import { JobSight } from './jobSight.ts';
import type { JobOrder } from './jobOrder.ts';
import { unreadableStateError, type SubmitOptions } from './submitAndFollow.ts';

/** Time for which the platform holds the first response, in ms. Until then the job has no ID, and cannot be canceled or streamed. */
const FIRST_WAIT_MS = 2_000;

/**
 * Runs a job with `runsync` and waits for its result, at most for the timeout of the endpoint.
 *
 * @param timeout timeout of the endpoint, in ms
 * @returns the last state, which is unfinished if the timeout passed. Undefined if the platform stopped or was disconnected
 * @throws ApiError if the job was not accepted or cannot be canceled
 * @throws UserError if the job may have been accepted, but its state cannot be read
 */
export async function submitAndWait(
  order: JobOrder,
  timeout: number | undefined,
  options: SubmitOptions,
): Promise<Job | undefined> {
  const { client, clock, signal, isConnected, observer, record } = options;
  const { endpointId, body } = order;
  const sight = new JobSight({ order, clock, signal, observer, record });
  // Aborted only once the ID is known, because the job could not be canceled without it.
  const stop = new AbortController();
  const onAbort = () => {
    observer.canceling();
    if (sight.job) stop.abort();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const onJob = (job: Job) => {
    sight.see(job);
    if (signal.aborted) stop.abort();
  };
  try {
    const run = { endpointId, body, longestWait: FIRST_WAIT_MS, ...(timeout !== undefined && { timeout }) };
    return await runSync(client, run, { signal: stop.signal, onJob, onSend: sight.onSend });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { job } = sight;
    if (!job) throw lostAnswer(error) ? unknownOutcomeError(error) : error;
    if (error.kind === 'canceled' && signal.aborted)
      return sight.see(await cancelAndRead(client, { endpointId, jobId: job.id }));
    if (!isConnected()) return undefined;
    throw unreadableStateError(error);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await sight.end();
  }
}

/** Returns whether the platform may have accepted a job whose response did not arrive. */
function lostAnswer({ kind, status }: ApiError): boolean {
  return (kind === 'network' && status !== undefined) || kind === 'timeout';
}

function unknownOutcomeError({ message }: ApiError): UserError {
  return new UserError(shown`no response arrived, and the job may run anyway (${message})`, {
    label: l10n.t('Refresh'),
    command: 'cloudCompute.endpoints.refresh',
  });
}
