import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { followToEnd } from '../../../client/followToEnd.ts';
import { isTerminal, type Job, type JobRequest } from '../../../contract/job.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import type { StoredJob } from '../jobHistoryStore.ts';

/** A job to submit and its endpoint. */
export interface JobOrder {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly body: JobRequest;
}

/** Receives the state of a job that is being followed. */
export interface JobObserver {
  /** Receives the job when the platform accepts it, each time it changes, and when it ends. */
  seen(job: Job): void;
  /** Receives an unfinished job immediately, each time it changes, and every second. @param elapsedMs time since acceptance */
  waiting(job: Job, elapsedMs: number): void;
  /** Called once the signal is aborted and before the job is canceled on the platform. */
  canceling(): void;
}

export interface SubmitOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Cancels the job on the platform when aborted. */
  readonly signal: AbortSignal;
  /** Returns whether the platform that accepted the job is still connected. */
  readonly isConnected: () => boolean;
  readonly observer: JobObserver;
  /** Records the job in the history. Called each time the status changes. */
  readonly record: (job: StoredJob) => void;
}

const TICK_MS = 1_000;

/**
 * Submits a job and follows it until it has ended.
 *
 * @returns the final state of the job, or undefined if its platform stopped or was disconnected before the job ended
 * @throws ApiError if the job was not accepted or cannot be canceled
 * @throws UserError if the job was accepted but its state can no longer be read
 */
export async function submitAndFollow(
  { endpointId, endpointName, body }: JobOrder,
  { client, clock, signal, isConnected, observer, record }: SubmitOptions,
): Promise<Job | undefined> {
  // The signal is omitted: the platform may accept an aborted submission, and that job could not be canceled.
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
        onCanceling: () => observer.canceling(),
      }),
    );
    return job;
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'canceled') throw error;
    // The local platform feature reports that the platform stopped.
    if (!isConnected()) return undefined;
    throw unreadableStateError(error);
  } finally {
    ended.abort();
    await ticking;
  }
}

/** Returns the error for an accepted job whose state can no longer be read. The platform still runs the job. */
function unreadableStateError({ message }: ApiError): UserError {
  return new UserError(shown`the job was accepted, but its state can no longer be read (${message})`, {
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
