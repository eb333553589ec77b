import * as l10n from '@vscode/l10n';
import pMap from 'p-map';
import type { Client } from '../../../../client/client.ts';
import { callAfter } from '../../../../client/clock.ts';
import { followToEnd } from '../../../../client/followToEnd.ts';
import { isTerminal, type Job } from '../../../../contract/job.ts';
import { jobRequestOf, type JobFile } from '../../../../contract/jobFile.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import { checkExpectations } from '../../model/expectations/checkExpectations.ts';
import { MAX_MISMATCHES, mismatchText, pathText, type Mismatch } from '../../model/expectations/mismatch.ts';
import { checkOutputSchema, type SchemaSource, type ReadText } from './checkOutputSchema.ts';
import type { VerificationJobs } from '../../../manifest/model/deployment/verificationTest.ts';
import { readJobFile } from '../../model/checkJobFile.ts';
import { lineAndColumn } from '../../model/jobInput.ts';
import { logLines, plainLine, readWorkerLogSince } from '../../actions/workerLogSince.ts';

/** Time that a job can wait in the queue, in addition to its execution timeout, in ms. Covers the download of a large image. */
const QUEUE_ALLOWANCE_MS = 600_000;

/** Maximum number of jobs that are submitted and not yet ended, for several job files. */
export const MAX_CONCURRENT_EXPECTATIONS = 4;

/** A job file to run, and its endpoint. */
export interface ExpectationRun {
  readonly endpointId: string;
  /** Execution timeout of the endpoint, in ms. */
  readonly executionTimeout: number;
  readonly file: JobFile;
  readonly source: SchemaSource;
  /** Cancels the job on the platform when aborted. */
  readonly signal: AbortSignal;
  /** Maximum time from the submission to the end, in ms. Default: the execution timeout and `QUEUE_ALLOWANCE_MS`. */
  readonly limitMs?: number | undefined;
  /** The time at which `limitMs` ends, in ms since the epoch, if it began before the submission. */
  readonly endsAt?: number | undefined;
  /** Returns whether the platform can recover from a failure. Default: always true. */
  readonly mayRecover?: () => boolean;
  /** Called with each new state of the job. */
  readonly onJob?: (job: Job) => void;
}

export interface ExpectationResult {
  /** The job at its end. */
  readonly job: Job;
  /** Violated expectations. */
  readonly mismatches: readonly Mismatch[];
  /** Time from the submission to the end, in ms. */
  readonly durationMs: number;
}

/**
 * Submits the job of a file, follows it to its end, and checks the expectations of the file. A job that does not end within the time limit is
 * canceled.
 *
 * @throws ApiError if the job is not accepted or its state cannot be read; the reason of the signal after a cancellation
 */
export async function runExpectation(client: Client, run: ExpectationRun): Promise<ExpectationResult> {
  const { endpointId, file, source, signal, mayRecover = () => true, onJob = () => undefined } = run;
  const { clock } = client.context;
  signal.throwIfAborted();
  const startedAt = clock.now();
  // The signal is omitted: the platform may accept an aborted submission, and that job could not be canceled.
  let last = await client.runJob({ endpointId, body: jobRequestOf(file) });
  const limitMs = run.limitMs ?? (file.policy?.executionTimeout ?? run.executionTimeout) + QUEUE_ALLOWANCE_MS;
  const limit = new AbortController();
  const leftMs = run.endsAt === undefined ? limitMs : Math.max(0, run.endsAt - clock.now());
  const stopTimer = callAfter(clock, leftMs, () => limit.abort());
  const seen = (job: Job): void => {
    last = job;
    onJob(job);
  };
  seen(last);
  let beforeCancel = last.status;
  try {
    const job = isTerminal(last.status)
      ? last
      : await followToEnd({
          client,
          address: { endpointId, jobId: last.id },
          signal: AbortSignal.any([signal, limit.signal]),
          mayRecover,
          onJob: seen,
          onCanceling: () => (beforeCancel = last.status),
        });
    if (job !== last) seen(job);
    signal.throwIfAborted();
    const durationMs = clock.now() - startedAt;
    if (limit.signal.aborted && job.status === 'CANCELLED')
      return { job, mismatches: [neverEnded(limitMs, beforeCancel)], durationMs };
    const violated = [
      ...checkExpectations(file.expect ?? {}, job),
      ...(await checkOutputSchema(file.expect ?? {}, job, source)),
    ];
    return { job, mismatches: violated.slice(0, MAX_MISMATCHES), durationMs };
  } finally {
    stopTimer();
  }
}

function neverEnded(limitMs: number, status: string): Mismatch {
  return { code: 'neverEnded', path: ['status'], member: ['expect'], expected: limitMs, actual: status };
}

/** Outcome of one of several runs. */
export type ExpectationOutcome =
  | ({ readonly kind: 'ran' } & ExpectationResult)
  | { readonly kind: 'canceled' }
  /** The platform refused the job, or its state cannot be read. */
  | { readonly kind: 'error'; readonly error: unknown };

/** Runs job files, at most `concurrency` at a time. Never rejects. Calls `ended` once for each file, in the order in which the jobs end. */
export async function runExpectations<Item>(
  client: Client,
  items: readonly Item[],
  {
    prepare,
    ended,
    concurrency = MAX_CONCURRENT_EXPECTATIONS,
  }: {
    /** Called when the run of a file begins. */
    readonly prepare: (item: Item) => ExpectationRun;
    readonly ended: (item: Item, outcome: ExpectationOutcome) => Promise<void> | void;
    readonly concurrency?: number;
  },
): Promise<void> {
  await pMap(
    items,
    async (item) => {
      const run = prepare(item);
      await ended(item, await outcomeOf(client, run));
    },
    { concurrency },
  );
}

async function outcomeOf(client: Client, run: ExpectationRun): Promise<ExpectationOutcome> {
  try {
    return { kind: 'ran', ...(await runExpectation(client, run)) };
  } catch (error) {
    return run.signal.aborted ? { kind: 'canceled' } : { kind: 'error', error };
  }
}

/**
 * Replaces the workers of an endpoint, so that they load changed files. The platform has no such operation: the endpoint gets a maximum of
 * 0 workers, and then its old settings again. Without FlashBoot in between, no frozen process resumes.
 *
 * @throws ApiError
 */
export async function restartWorkers(client: Client, { id, workers, flashboot }: Endpoint): Promise<void> {
  if (workers.max === 0) return;
  const { min, max } = workers;
  await client.updateEndpoint({ id, body: { workers: { min: 0, max: 0 }, flashboot: 'OFF' } });
  await client.updateEndpoint({ id, body: { workers: { min, max }, ...(isFlashboot(flashboot) && { flashboot }) } });
}

function isFlashboot(value: string): value is 'OFF' | 'FLASHBOOT' | 'PRIORITY_FLASHBOOT' {
  return ['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'].includes(value);
}

/** Returns the jobs that verify deployments. They are job files, or have the form of one. */
export function verificationJobs(readText: ReadText): VerificationJobs {
  return {
    read: async (uri) => {
      let text: string;
      try {
        text = await readText(uri);
      } catch (error) {
        return { problem: (error as Error).message };
      }
      const read = readJobFile(text);
      if (read.file) return { file: read.file };
      const { line, column } = lineAndColumn(text, read.offset);
      return { problem: l10n.t`line ${line}, column ${column}: ${read.problem}` };
    },
    run: async (client, { id: endpointId, timeout }, { file, uri, limitMs, endsAt }, signal) => {
      const since = client.context.clock.now();
      const { job, mismatches } = await runExpectation(client, {
        ...{ endpointId, executionTimeout: timeout, file, source: { uri, readText }, limitMs, endsAt, signal },
      });
      const { id: jobId, workerId } = job;
      const differences = mismatches.map((one) => ({
        path: pathText(one.path),
        message: plainLine(mismatchText(one)),
      }));
      const needsLog = differences.length > 0 && workerId !== undefined;
      const log = needsLog ? await readWorkerLogSince(client, { endpointId, workerId, since, signal }) : [];
      return { jobId, workerIds: workerId === undefined ? [] : [workerId], differences, log: logLines(log) };
    },
  };
}
