import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { callAfter } from '../../../client/clock.ts';
import { followToEnd } from '../../../client/followToEnd.ts';
import { MAX_FAULT_COUNT } from '../../../contract/bounds.ts';
import type { Disturbance, DisturbanceEffect } from '../../../contract/control/controlDisturbances.ts';
import type { CreateEndpointBody } from '../../../contract/endpoint.ts';
import type { Job, JobRequest } from '../../../contract/job.ts';
import type { SafetyPart } from '../../../contract/safety.ts';
import { UserError } from '../../../kit/userError.ts';
import { findStartFailure, startFailureWords } from '../../jobs/expectations/actions/findStartFailure.ts';
import type { BreakPoint } from '../model/breakPoint.ts';
import type { Call, Effects } from '../model/effects.ts';
import { changedFiles, copyFileEdges, readSnapshot } from './fileEdges.ts';
import type { PrivatePlatform } from './privatePlatform.ts';
import { RecordingProxy, type UnreachableServer } from './recordingProxy.ts';
import { addedLines, shellLines } from './shellCommand.ts';

const POLL_MS = 50;
/** Time for which a worker may go on after its result, in ms. */
const MAX_AFTER_RESULT_MS = 15_000;
/** Workers of the endpoint. The second one takes over from the first. */
const WORKERS = 2;
/** A disturbance that never happens, and only counts. */
const COUNTER = { at: MAX_FAULT_COUNT, effect: 'killWorker' } as const;

/** A job to run once. */
export interface RunOrder {
  readonly platform: PrivatePlatform;
  /** Create body with resolved references. */
  readonly body: CreateEndpointBody;
  readonly request: JobRequest;
  readonly edges: SafetyPart;
  /** Folder of the manifest. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Undefined: the run is not disturbed. */
  readonly point: BreakPoint | undefined;
  /** Maximum time from the submission to the end of the job, in ms. */
  readonly limitMs: number;
  /** Called once the workers are ready, before the job is submitted. */
  readonly onReady?: ((endpointId: string) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

export interface RunRecord {
  readonly effects: Effects;
  readonly job: Job;
  /** Whether the run reached its point. True without a point. */
  readonly reached: boolean;
  /** Number of progress reports. */
  readonly progress: number;
  /** Whether both workers were ready. */
  readonly twoWorkers: boolean;
  readonly unreachable: readonly UnreachableServer[];
  readonly tunnels: readonly string[];
  /** Time from the submission to the end, in ms. */
  readonly durationMs: number;
  /** Whether the job did not end within the limit, and was canceled. */
  readonly tooLong: boolean;
}

/**
 * Runs a job once on new workers, breaks it at the point, and returns its effects once the workers have ended.
 *
 * @throws UserError if the workers cannot start or an edge cannot be used; ApiError; the reason of the signal
 */
export async function runOnce(order: RunOrder): Promise<RunRecord> {
  const { platform, edges, folder, signal } = order;
  const scratch = await mkdtemp(path.join(tmpdir(), 'cloud-compute-safety-'));
  const run: Running = { jobId: Promise.withResolvers(), ended: Promise.withResolvers(), reachedCall: false };
  const proxy = await RecordingProxy.start({
    edges: edges.http ?? {},
    platform: platform.authority,
    onReplied: (number) => disturbAtCall(order, run, number),
  });
  try {
    await mkdir(path.join(scratch, 'files'));
    const files = await copyFileEdges(edges.files ?? {}, { folder, into: path.join(scratch, 'files'), signal });
    const variables = {
      ...proxy.variables,
      ...Object.fromEntries(files.map(({ variable, directory }) => [variable, directory])),
    };
    const shell = {
      ...{ folder, signal },
      // The proxy records the worker, and not the command.
      environment: { ...order.environment, ...Object.fromEntries(files.map((one) => [one.variable, one.directory])) },
    };
    if (edges.reset !== undefined) await shellLines(edges.reset, shell);
    const linesBefore = edges.command === undefined ? [] : await shellLines(edges.command, shell);
    const before = await readSnapshot(files, signal);
    const done = await runJob(order, run, variables);
    // Ends the workers, so that nothing changes any more.
    await platform.control.reset({}, { signal });
    const linesAfter = edges.command === undefined ? [] : await shellLines(edges.command, shell);
    const normalized = normalizer([
      [done.job.id, '{job}'],
      ...done.workerIds.map((id): [string, string] => [id, '{worker}']),
      ...files.map(({ variable, directory }): [string, string] => [directory, `{${variable}}`]),
      ...proxy.addresses,
    ]);
    const { status } = done.job;
    return {
      ...done,
      effects: {
        status,
        calls: proxy.calls.map((call) => normalizedCall(call, normalized)),
        files: changedFiles(before, await readSnapshot(files, signal), normalized),
        lines: addedLines(linesBefore, linesAfter).map(normalized),
      },
      reached: done.reached || run.reachedCall,
      unreachable: proxy.unreachable,
      tunnels: [...proxy.tunnels],
    };
  } finally {
    run.ended.resolve();
    await proxy.close();
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Running {
  readonly jobId: PromiseWithResolvers<string>;
  /** Resolved once the job has ended. */
  readonly ended: PromiseWithResolvers<void>;
  endpointId?: string;
  reachedCall: boolean;
}

/** Kills the worker, or lets its lease expire, at the call of the point. */
async function disturbAtCall({ platform, point, signal }: RunOrder, run: Running, number: number): Promise<void> {
  if (point?.kind !== 'killedAtCall' && point?.kind !== 'expiredAtCall') return;
  if (run.reachedCall || number !== point.number || run.endpointId === undefined) return;
  run.reachedCall = true;
  const { endpointId } = run;
  const jobId = await run.jobId.promise;
  const effect = point.kind === 'killedAtCall' ? 'killWorker' : 'expireLease';
  try {
    await platform.control.disturbJob({ endpointId, jobId, body: { effect } }, { signal });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    // The worker called after its result.
    run.reachedCall = false;
    return;
  }
  // The first worker goes on after the second one has finished, so that the order of their effects is always the same.
  if (effect === 'expireLease') await run.ended.promise;
}

/** Returns the disturbance at the platform, or undefined for a point at a call and without a point. */
function disturbanceOf(point: BreakPoint | undefined): Disturbance | undefined {
  const at = (message: Disturbance['message'], effect: DisturbanceEffect, number = 1): Disturbance => ({
    ...{ message, effect, at: number },
  });
  switch (point?.kind) {
    case undefined:
    case 'killedAtCall':
    case 'expiredAtCall':
      return undefined;
    case 'killedBeforeTake':
      return at('take', 'killWorker');
    case 'twoWorkers':
      return at('take', 'expireLease');
    case 'killedAtProgress':
      return at('progress', 'killWorker', point.number);
    case 'expiredAtProgress':
      return at('progress', 'expireLease', point.number);
    case 'killedBeforeResult':
      return at('result', 'killWorker');
    case 'resultLost':
      return at('result', 'loseResult');
    case 'answerLost':
      return at('result', 'loseAnswer');
  }
}

interface DoneRun extends Pick<RunRecord, 'job' | 'reached' | 'progress' | 'twoWorkers' | 'durationMs' | 'tooLong'> {
  readonly workerIds: readonly string[];
}

async function runJob(
  { platform: { client, control }, body, request, point, limitMs, onReady, signal }: RunOrder,
  run: Running,
  variables: Readonly<Record<string, string>>,
): Promise<DoneRun> {
  const { clock } = client.context;
  const endpoint = await client.createEndpoint({ body: withEdges(body, variables) }, { signal });
  const endpointId = (run.endpointId = endpoint.id);
  const ready = await untilReady(client, endpointId, signal);
  await onReady?.(endpointId);
  const counting = { endpointId } as const;
  const disturbance = disturbanceOf(point);
  if (disturbance) await control.addDisturbance({ ...counting, body: disturbance }, { signal });
  for (const message of ['progress', 'take', 'request'] as const)
    await control.addDisturbance({ ...counting, body: { message, ...COUNTER } }, { signal });
  const startedAt = clock.now();
  const limit = new AbortController();
  const stopTimer = callAfter(clock, limitMs, () => limit.abort());
  try {
    const submitted = await client.runJob({ endpointId, body: request });
    run.jobId.resolve(submitted.id);
    const job = await followToEnd({
      client,
      address: { endpointId, jobId: submitted.id },
      signal: AbortSignal.any([signal, limit.signal]),
      mayRecover: () => false,
      onJob: () => undefined,
      onCanceling: () => undefined,
    });
    signal.throwIfAborted();
    const durationMs = clock.now() - startedAt;
    run.ended.resolve();
    const tooLong = limit.signal.aborted && job.status === 'CANCELLED';
    if (!tooLong) await untilIdle({ platform: { client, control }, endpointId, point, signal });
    const { disturbances } = await control.listDisturbances(counting, { signal });
    const seen = disturbances.find(({ message, at }) => message === 'progress' && at === COUNTER.at)?.seen ?? 0;
    const reached = point === undefined || (disturbance !== undefined && disturbances[0]?.happened === true);
    return { job, reached, progress: seen, ...ready, durationMs, tooLong };
  } finally {
    stopTimer();
  }
}

/** Resolves once both workers are ready, or one of them and the other cannot start. @throws UserError if none can start */
async function untilReady(
  client: PrivatePlatform['client'],
  endpointId: string,
  signal: AbortSignal,
): Promise<{ readonly twoWorkers: boolean; readonly workerIds: readonly string[] }> {
  for (;;) {
    const failure = await findStartFailure(client, endpointId, signal);
    signal.throwIfAborted();
    if (failure) throw new UserError(startFailureWords(failure.finding));
    const { workers, summary } = await client.listEndpointWorkers({ id: endpointId }, { signal });
    if (summary.idle >= WORKERS || (summary.idle > 0 && summary.throttled + summary.unhealthy > 0))
      return { twoWorkers: summary.idle >= WORKERS, workerIds: workers.map(({ id }) => id) };
    await client.context.clock.sleep(POLL_MS, signal);
  }
}

/**
 * Resolves once no worker runs the job and each worker that had it has requested another one, which it does after all its work. A worker
 * that does not within `MAX_AFTER_RESULT_MS` is not waited for.
 */
async function untilIdle({
  platform: { client, control },
  endpointId,
  point,
  signal,
}: {
  readonly platform: Pick<PrivatePlatform, 'client' | 'control'>;
  readonly endpointId: string;
  readonly point: BreakPoint | undefined;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { clock } = client.context;
  const isKilled = point?.kind.startsWith('killed') === true;
  const until = clock.now() + MAX_AFTER_RESULT_MS;
  for (;;) {
    const { summary } = await client.listEndpointWorkers({ id: endpointId }, { signal });
    const { disturbances } = await control.listDisturbances({ endpointId }, { signal });
    const seen = (wanted: string) =>
      disturbances.find(({ message, at }) => message === wanted && at === COUNTER.at)?.seen ?? 0;
    const isDone = summary.running === 0 && seen('request') >= seen('take') - (isKilled ? 1 : 0);
    if (isDone || clock.now() >= until) return;
    await clock.sleep(POLL_MS, signal);
  }
}

/** Returns the create body for two workers on the private platform, which has no resources of other platforms. */
function withEdges(
  { networkVolumes: _v, mounts: _m, registry: _r, ...body }: CreateEndpointBody,
  variables: Readonly<Record<string, string>>,
): CreateEndpointBody {
  return {
    ...body,
    workers: { ...body.workers, min: WORKERS, max: WORKERS },
    flashboot: 'OFF',
    env: { ...body.env, ...variables },
  };
}

function normalizedCall({ method, path: place, body, key }: Call, normalized: (text: string) => string): Call {
  return {
    method,
    path: normalized(place),
    body: normalized(body),
    key: key === undefined ? undefined : normalized(key),
  };
}

/** Returns a function that replaces texts, the longest first. */
function normalizer(pairs: readonly (readonly [text: string, name: string])[]): (text: string) => string {
  const ordered = pairs.toSorted(([one], [other]) => other.length - one.length);
  return (text) => ordered.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/** Describes a server that a worker could not reach. */
export function unreachableWords({ name, code }: UnreachableServer): string {
  return l10n.t`${name} cannot be reached (${code})`;
}
