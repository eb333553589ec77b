import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { followToEnd } from '../../../client/followToEnd.ts';
import { isTerminal, type Job, type JobRequest } from '../../../contract/job.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import type { StoredJob } from '../jobHistoryStore.ts';

/** A job to submit, and the endpoint that it is for. */
export interface JobOrder {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly body: JobRequest;
}

/** What is told about a job while it is followed. */
export interface JobObserver {
  /** The job as the platform answered it: when it was accepted, each time it changed, and when it has ended. */
  seen(job: Job): void;
  /** The job has not ended: at once, each time it changed, and each second. @param elapsedMs since it was accepted */
  waiting(job: Job, elapsedMs: number): void;
  /** The signal was aborted, and the platform is asked to cancel the job. */
  cancelling(): void;
}

export interface SubmitOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** When it is aborted, the job is cancelled on the platform. */
  readonly signal: AbortSignal;
  /** Whether the platform that accepted the job can still be called. */
  readonly isConnected: () => boolean;
  readonly observer: JobObserver;
  /** Records the job in the history, each time its status changed. */
  readonly record: (job: StoredJob) => void;
}

const TICK_MS = 1_000;

/**
 * Submits a job and follows it until it has ended.
 *
 * @returns the job as it ended; undefined when its platform stopped or its connection was left before that
 * @throws ApiError when the job was not accepted, or cannot be cancelled
 * @throws UserError when the job was accepted, but its state can no longer be read
 */
export async function submitAndFollow(
  { endpointId, endpointName, body }: JobOrder,
  { client, clock, signal, isConnected, observer, record }: SubmitOptions,
): Promise<Job | undefined> {
  // The signal stays out of this call: an aborted submission may have been accepted, and that job could not be cancelled.
  let job = await client.runJob({ endpointId, body });
  const submittedAt = clock.now();
  let recorded: string | undefined;
  const see = (seen: Job) => {
    job = seen;
    observer.seen(job);
    if (job.status === recorded) return;
    recorded = job.status;
    record({ id: job.id, endpointId, endpointName, submittedAt, status: job.status });
  };
  const wait = () => {
    if (!isTerminal(job.status)) observer.waiting(job, clock.now() - submittedAt);
  };
  see(job);
  if (isTerminal(job.status)) return job;

  wait();
  const ended = new AbortController();
  const ticking = each(TICK_MS, clock, ended.signal, () => {
    if (!signal.aborted) wait();
  });
  try {
    see(
      await followToEnd({
        client,
        address: { endpointId, jobId: job.id },
        signal,
        mayRecover: isConnected,
        onJob: (seen) => {
          see(seen);
          wait();
        },
        onCancelling: () => observer.cancelling(),
      }),
    );
    return job;
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'cancelled') throw error;
    // The feature of the local platform tells that it stopped.
    if (!isConnected()) return undefined;
    throw lostFromSight(error);
  } finally {
    ended.abort();
    await ticking;
  }
}

/** The error for an accepted job whose state can no longer be read. The platform still runs the job. */
function lostFromSight({ message }: ApiError): UserError {
  return new UserError(shown`it was accepted, but its state can no longer be read (${message})`, {
    label: 'Open Recent Job…',
    command: 'cloudCompute.jobs.openRecent',
  });
}

async function each(ms: number, clock: Clock, signal: AbortSignal, task: () => void): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(ms, signal);
      task();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
