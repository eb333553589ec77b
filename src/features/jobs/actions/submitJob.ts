import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { startSync } from '../../../client/runSync.ts';
import type { Job, JobRequest } from '../../../contract/job.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import type { RunKind } from '../model/jobInput.ts';
import { firstValue, type StoredJob } from '../model/storedJob.ts';
import { storableRequest, type JobRequests } from './jobRequests.ts';
import type { WaitOptions } from './jobFollower.ts';
import { failuresOf, type JobFailure, type JobRecord } from './readJob.ts';

/** Time for which the platform holds the response to `runsync`, in ms. Until then the job has no ID, and cannot be canceled or streamed. */
const FIRST_WAIT_MS = 2_000;

/** A job to submit and its endpoint. */
export interface JobOrder {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly body: JobRequest;
  /** Highest price of one worker, in USD per hour, if it is known. */
  readonly pricePerHour?: number | undefined;
  /** Address of the job file that the body comes from. */
  readonly file?: string | undefined;
}

export interface SubmitServices extends JobRecord {
  readonly requests: Pick<JobRequests, 'put'>;
}

/** A job that the platform has accepted, in its first state. */
export interface Submitted {
  readonly job: Job;
  readonly stored: StoredJob;
}

export interface RunOptions extends Omit<WaitOptions, 'cancels' | 'limitMs'> {
  /** `runSync` waits at most for `limitMs`. `run` waits until the job has ended. */
  readonly kind: RunKind;
  readonly limitMs?: number | undefined;
  /** Called if the signal is aborted, before the job is canceled on the platform. */
  readonly onCanceling?: () => void;
}

/** Submits a request, records the job and its request, and follows it. @throws ApiError if the job was not accepted */
export function submitJob(order: JobOrder, services: SubmitServices): Promise<Submitted> {
  const { endpointId, body } = order;
  // No signal: the platform may accept an aborted submission, and that job could not be canceled.
  return recorded(order, services, (onSend) => services.client.runJob({ endpointId, body }, { onSend }));
}

/** Submits several requests, and follows their jobs. Returns the requests that were not accepted. */
export function submitJobs(
  orders: readonly JobOrder[],
  services: SubmitServices,
): Promise<readonly JobFailure<JobOrder>[]> {
  return failuresOf(orders, (order) => submitJob(order, services));
}

/**
 * Submits a job, and waits until it has ended. Aborting the signal cancels the job on the platform.
 *
 * @returns the last state, which is unfinished if the time is over. Undefined if the platform stopped or was disconnected
 * @throws ApiError if the job was not accepted or cannot be canceled
 * @throws UserError if the job was accepted, or may have been accepted, but its state cannot be read
 */
export async function runToEnd(
  order: JobOrder,
  services: SubmitServices,
  { kind, limitMs, onCanceling, ...options }: RunOptions,
): Promise<Job | undefined> {
  const { clock, connectionId, follower } = services;
  const { signal } = options;
  const deadline = clock.now() + (limitMs ?? Number.POSITIVE_INFINITY);
  const onAbort = () => onCanceling?.();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { job, stored } = await (kind === 'run' ? submitJob(order, services) : submitSync(order, services, limitMs));
    const left = deadline - clock.now();
    const limit = kind === 'runSync' && Number.isFinite(left) ? { limitMs: Math.max(left, 0) } : {};
    return await follower
      .wait(connectionId, stored, job, { ...options, ...limit, cancels: true })
      .catch((error: unknown) => {
        throw error instanceof ApiError && !signal.aborted ? unreadableStateError(error) : error;
      });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Submits a job with `runsync`. The request is not repeated if its response is lost. */
async function submitSync(order: JobOrder, services: SubmitServices, timeout: number | undefined): Promise<Submitted> {
  const { endpointId, body } = order;
  const run = { endpointId, body, longestWait: FIRST_WAIT_MS, ...(timeout !== undefined && { timeout }) };
  try {
    return await recorded(order, services, (onSend) => startSync(services.client, run, { onSend }));
  } catch (error) {
    throw error instanceof ApiError && lostAnswer(error) ? unknownOutcomeError(error) : error;
  }
}

/** Records the submitted job with the times of the attempt that the platform accepted, and follows it. */
async function recorded(
  { endpointId, endpointName, body, pricePerHour, file }: JobOrder,
  { clock, connectionId, history, requests, follower }: SubmitServices,
  send: (onSend: () => void) => Promise<Job>,
): Promise<Submitted> {
  const { answer: job, times } = await timed(clock, send);
  const storable = storableRequest(body);
  const value = 'request' in storable ? firstValue(storable.request.input) : undefined;
  const stored: StoredJob = {
    ...{ id: job.id, endpointId, endpointName, ...times, status: job.status },
    ...(pricePerHour !== undefined && { pricePerHour }),
    ...(file !== undefined && { file }),
    ...(value !== undefined && { firstValue: value }),
    ...('reason' in storable && { notStored: storable.reason }),
  };
  void requests.put(connectionId, job.id, body);
  await follower.seen(connectionId, stored, job);
  return { job, stored: history.find(connectionId, job.id) ?? stored };
}

interface TimedAnswer<Answer> {
  readonly answer: Answer;
  readonly times: Required<Pick<StoredJob, 'submittedAt' | 'answeredAt'>>;
}

/** Submits a job. Resolves with the answer, and with the times of the attempt that the platform accepted. */
export async function timed<Answer>(
  clock: Pick<JobRecord['clock'], 'now'>,
  submit: (onSend: () => void) => Promise<Answer>,
): Promise<TimedAnswer<Answer>> {
  let submittedAt = clock.now();
  const answer = await submit(() => {
    submittedAt = clock.now();
  });
  return { answer, times: { submittedAt, answeredAt: clock.now() } };
}

/** Returns whether the platform may have accepted a job whose response did not arrive. */
function lostAnswer({ kind, status }: ApiError): boolean {
  return (kind === 'network' && status !== undefined) || kind === 'timeout';
}

/** Returns the error for an accepted job whose state can no longer be read. The platform still runs the job. */
function unreadableStateError({ message }: ApiError): UserError {
  return new UserError(shown`the job was accepted, but its state can no longer be read (${message})`, {
    label: l10n.t('Open Recent Job…'),
    command: 'cloudCompute.jobs.openRecent',
  });
}

function unknownOutcomeError({ message }: ApiError): UserError {
  return new UserError(shown`no response arrived, and the job may run anyway (${message})`, {
    label: l10n.t('Refresh'),
    command: 'cloudCompute.endpoints.refresh',
  });
}
