import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../../../../client/apiError.ts';
import type { Client } from '../../../../client/client.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import type { Job, JobRequest } from '../../../../contract/job.ts';
import type { EndpointStore } from '../../../../account/endpoints/endpointStore.ts';
import type { WaitOptions } from '../../../jobs/actions/jobFollower.ts';
import { runToEnd, type SubmitServices } from '../../../jobs/actions/submitJob.ts';
import { readJobFile } from '../../../jobs/model/checkJobFile.ts';
import {
  createEndpoint,
  InvalidManifestError,
  readDraft,
  type Draft,
} from '../../../manifest/actions/createEndpoint.ts';
import { copySample } from './copySample.ts';
import { SampleError } from './sampleError.ts';

const MANIFEST = 'hello.endpoint.yaml';
const JOB = 'hello.job.json';
/** Interval for reading the workers while the job waits for one, in ms. */
const READ_WORKERS_EVERY_MS = 2_000;

export type SampleStep = 'copy' | 'start' | 'create' | 'run';

/** Receives the progress of the sample. */
export interface SampleObserver extends Required<Pick<WaitOptions, 'onWaiting'>> {
  step(step: SampleStep): void;
  /** Called before the job is submitted. */
  ready(endpoint: Endpoint): Promise<void>;
}

export interface SampleOptions {
  /** Path of the shipped sample. */
  readonly source: string;
  /** Path of the copy. */
  readonly folder: string;
  /** Stops after the current step. Cancels a running job. */
  readonly signal: AbortSignal;
  /** Starts the local platform, and makes it the current connection. */
  readonly connect: () => Promise<Client>;
  readonly store: Pick<EndpointStore, 'refresh' | 'refreshOne' | 'find' | 'endpoints'>;
  /** Records the job, and follows it. */
  readonly jobs: Omit<SubmitServices, 'client'>;
  readonly observer: SampleObserver;
}

/** The endpoint of the sample, and its job in the final state. */
export interface SampleResult {
  readonly endpoint: Endpoint;
  readonly job: Job;
}

/**
 * Tries the sample: copies it, starts the local platform, creates its endpoint, and runs its job. A repeated call uses the copy and the
 * endpoint of the earlier one.
 *
 * @throws SampleError; the error of `connect`; ApiError, with the kind `canceled` after an abort
 */
export async function runSample(options: SampleOptions): Promise<SampleResult> {
  const { source, folder, signal, connect, store, observer } = options;
  try {
    observer.step('copy');
    await copySample(source, folder, signal);
    observer.step('start');
    const client = await untilAborted(connect(), signal);
    signal.throwIfAborted();
    observer.step('create');
    const draft = await sampleDraft(folder);
    const body = await sampleJob(folder);
    const endpoint = (await existing(store, draft)) ?? (await createEndpoint({ client, store }, draft, signal));
    await observer.ready(endpoint);
    signal.throwIfAborted();
    observer.step('run');
    return { endpoint, job: await runJob(options, client, endpoint, body) };
  } catch (error) {
    throw signal.aborted ? new ApiError('canceled', 'canceled', { operation: 'runSample', cause: error }) : error;
  }
}

async function sampleDraft(folder: string): Promise<Draft> {
  const text = await readSample(folder, MANIFEST);
  return readDraft({ text, language: 'yaml', target: 'local', folder }).catch((error: unknown) => {
    if (!(error instanceof InvalidManifestError)) throw error;
    throw new SampleError('changed', { reason: `${MANIFEST}: ${error.problems[0]?.message ?? ''}`, cause: error });
  });
}

async function sampleJob(folder: string): Promise<JobRequest> {
  const { body, problem } = readJobFile(await readSample(folder, JOB));
  if (!body) throw new SampleError('changed', { reason: `${JOB}: ${problem}` });
  return body;
}

async function readSample(folder: string, name: string): Promise<string> {
  return readFile(path.join(folder, name), 'utf8').catch((error: unknown) => {
    throw new SampleError('changed', { reason: (error as Error).message, cause: error });
  });
}

/** Returns the endpoint that an earlier call created from the same folder. */
async function existing(store: SampleOptions['store'], { body }: Draft): Promise<Endpoint | undefined> {
  await store.refresh();
  return store.endpoints.find(
    ({ endpoint: { name, image, workers }, deleting }) =>
      !deleting && name === body.name && image === body.image && workers.max > 0,
  )?.endpoint;
}

async function runJob(
  { signal, store, jobs, observer }: SampleOptions,
  client: Client,
  endpoint: Endpoint,
  body: JobRequest,
): Promise<Job> {
  const { id: endpointId, name: endpointName } = endpoint;
  const failed = new AbortController();
  let readAt = 0;
  /** Ends the wait for a worker that cannot run. The platform would start it again and again. */
  const watchWorkers = (elapsedMs: number): void => {
    const workers = store.find(endpointId)?.workers?.summary;
    if (workers && workers.unhealthy > 0 && workers.idle + workers.running + workers.initializing === 0) failed.abort();
    if (elapsedMs - readAt < READ_WORKERS_EVERY_MS) return;
    readAt = elapsedMs;
    void store.refreshOne(endpointId);
  };
  const order = { endpointId, endpointName, body };
  const job = await runToEnd(
    order,
    { ...jobs, client },
    {
      kind: 'run',
      signal: AbortSignal.any([signal, failed.signal]),
      onWaiting: (waiting, elapsedMs) => {
        observer.onWaiting(waiting, elapsedMs);
        if (waiting.status === 'IN_QUEUE') watchWorkers(elapsedMs);
      },
    },
  ).catch((error: unknown) => {
    throw failed.signal.aborted ? new SampleError('workerFailed', { endpointId, cause: error }) : error;
  });
  signal.throwIfAborted();
  if (failed.signal.aborted) throw new SampleError('workerFailed', { endpointId });
  if (!job) throw new SampleError('platformStopped', { endpointId });
  return job;
}

/** Waits for a promise, or rejects with the reason of the signal. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
