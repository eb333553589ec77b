import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { followToEnd } from '../../../client/followToEnd.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { StoredJob } from '../model/storedJob.ts';
import type { JobObserver, JobOrder } from './jobOrder.ts';
import { JobSight } from './jobSight.ts';

export type { JobObserver, JobOrder } from './jobOrder.ts';

export interface SubmitOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Cancels the job on the platform when aborted. */
  readonly signal: AbortSignal;
  /** Returns whether the platform that accepted the job is still connected. */
  readonly isConnected: () => boolean;
  readonly observer: JobObserver;
  /** Records the job in the history. Called each time the status or the worker changes. */
  readonly record: (job: StoredJob) => void;
}

/**
 * Submits a job and follows it until it has ended.
 *
 * @returns the final state of the job, or undefined if its platform stopped or was disconnected before the job ended
 * @throws ApiError if the job was not accepted or cannot be canceled
 * @throws UserError if the job was accepted but its state can no longer be read
 */
export async function submitAndFollow(order: JobOrder, options: SubmitOptions): Promise<Job | undefined> {
  const { client, clock, signal, isConnected, observer, record } = options;
  const { endpointId, body } = order;
  const sight = new JobSight({ order, clock, signal, observer, record });
  // The signal is omitted: the platform may accept an aborted submission, and that job could not be canceled.
  const { id, status } = sight.see(await client.runJob({ endpointId, body }, { onSend: sight.onSend }));
  try {
    if (isTerminal(status)) return sight.job;
    const ended = await followToEnd({
      client,
      address: { endpointId, jobId: id },
      signal,
      mayRecover: isConnected,
      onJob: (seen) => void sight.see(seen),
      onCanceling: () => observer.canceling(),
    });
    return sight.see(ended);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'canceled') throw error;
    // The local platform feature reports that the platform stopped.
    if (!isConnected()) return undefined;
    throw unreadableStateError(error);
  } finally {
    await sight.end();
  }
}

/** Returns the error for an accepted job whose state can no longer be read. The platform still runs the job. */
export function unreadableStateError({ message }: ApiError): UserError {
  return new UserError(shown`the job was accepted, but its state can no longer be read (${message})`, {
    label: l10n.t('Open Recent Job…'),
    command: 'cloudCompute.jobs.openRecent',
  });
}
