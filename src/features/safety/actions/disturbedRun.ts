import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { callAfter } from '../../../client/clock.ts';
import { followToEnd } from '../../../client/followToEnd.ts';
import { MAX_FAULT_COUNT } from '../../../contract/bounds.ts';
import type {
  ActiveDisturbance,
  Disturbance,
  DisturbanceEffect,
  JobDisturbance,
} from '../../../contract/control/controlDisturbances.ts';
import type { CreateEndpointBody } from '../../../contract/endpoint.ts';
import type { Job, JobRequest } from '../../../contract/job.ts';
import type { SafetyPart } from '../../../contract/safety.ts';
import { UserError } from '../../../kit/userError.ts';
import { findStartFailure, startFailureWords } from '../../jobs/expectations/actions/findStartFailure.ts';
import type { BreakPoint } from '../model/breakPoint.ts';
import type { Call, Effects } from '../model/effects.ts';
import { changedFiles, copyFileEdges, readSnapshot } from './fileEdges.ts';
import { countFileSteps, type FileSteps } from './fileSteps.ts';
import type { Recording, UnreachableServer } from './recordingProxy.ts';
import { addedLines, shellLines } from './shellCommand.ts';
import type { RunFolder, Workplace, PrivatePlatform } from './workplace.ts';

const POLL_MS = 50;
/** Time for which a worker may continue after its result, in ms. */
const MAX_AFTER_RESULT_MS = 15_000;
/** Workers of the endpoint. The second one takes over from the first. */
const WORKERS = 2;
/** A disturbance that never happens, and only counts. */
const COUNTER = { at: MAX_FAULT_COUNT, effect: 'killWorker' } as const;

/** A job to run once. */
export interface RunOrder {
  readonly place: Pick<Workplace, 'platform' | 'proxy' | 'newFolder'>;
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
  /** Names of changed files, in the order of the changes. */
  readonly changes: readonly string[];
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
  const { place, edges, folder, signal } = order;
  const { platform, proxy } = place;
  const run: Running = {
    ...{ jobId: Promise.withResolvers(), ended: Promise.withResolvers(), secondArrived: Promise.withResolvers() },
    reachedCall: false,
  };
  const recording: Recording = {
    ...{ calls: [], tunnels: new Set(), unreachable: [] },
    endpointId: () => run.endpointId,
    isStopped: (number) => stopBeforeCall(order, run, number),
    onReplied: (number) => disturbAtCall(order, run, number),
  };
  const into = await place.newFolder(signal);
  proxy.record(recording);
  try {
    const files = await copyFileEdges(edges.files ?? {}, { folder, into, signal });
    const killAt = order.point?.kind === 'killedAtFile' ? order.point.number + 1 : 0;
    const steps = await countFileSteps({ files, into, env: order.body.env ?? {}, killAt });
    const variables = {
      ...steps.variables,
      ...proxy.variablesFor(platform.authority),
      ...Object.fromEntries(files.map(({ variable, seenAs }) => [variable, seenAs])),
    };
    const shell = {
      ...{ folder, signal },
      // The proxy records the worker, and not the command.
      environment: { ...order.environment, ...Object.fromEntries(files.map((one) => [one.variable, one.directory])) },
    };
    if (edges.reset !== undefined) await shellLines(edges.reset, shell);
    const linesBefore = edges.command === undefined ? [] : await shellLines(edges.command, shell);
    const before = await readSnapshot(files, signal);
    const done = await runJob(order, run, { variables, steps, mounts: into.mounts });
    // Ends the workers, so that nothing changes any more.
    await platform.control.reset({}, { signal });
    const linesAfter = edges.command === undefined ? [] : await shellLines(edges.command, shell);
    const normalized = normalizer([
      [done.job.id, '{job}'],
      ...done.workerIds.map((id): [string, string] => [id, '{worker}']),
      ...files.flatMap(({ variable, directory, seenAs }): [string, string][] => [
        [directory, `{${variable}}`],
        [seenAs, `{${variable}}`],
      ]),
      ...proxy.addresses,
    ]);
    const { status } = done.job;
    const changes = await steps.names();
    return {
      ...done,
      changes: changes.map(normalized),
      effects: {
        status,
        calls: recording.calls.map((call) => normalizedCall(call, normalized)),
        files: changedFiles(before, await readSnapshot(files, signal), normalized),
        lines: addedLines(linesBefore, linesAfter).map(normalized),
      },
      reached: done.reached || run.reachedCall || (killAt > 0 && changes.length >= killAt),
      unreachable: recording.unreachable,
      tunnels: [...recording.tunnels],
    };
  } finally {
    run.ended.resolve();
    proxy.record(undefined);
    await into.remove();
  }
}

interface Running {
  readonly jobId: PromiseWithResolvers<string>;
  /** Resolved once the job has ended. */
  readonly ended: PromiseWithResolvers<void>;
  /** Resolved once the second worker has come as far as the first. */
  readonly secondArrived: PromiseWithResolvers<void>;
  endpointId?: string;
  reachedCall: boolean;
}

/** Kills the worker before the call of the point. Returns whether it did. */
async function stopBeforeCall(order: RunOrder, run: Running, number: number): Promise<boolean> {
  return order.point?.kind === 'killedBeforeCall' && disturbOnce(order, run, { number, effect: 'killWorker' });
}

/** Kills the worker, or lets its lease expire, after the reply to the call of the point. */
async function disturbAtCall(order: RunOrder, run: Running, number: number): Promise<void> {
  switch (order.point?.kind) {
    case 'killedAtCall':
      await disturbOnce(order, run, { number, effect: 'killWorker' });
      break;
    case 'expiredAtCall':
      // The first worker continues after the second one has finished, so that the order of their effects is always the same.
      if (await disturbOnce(order, run, { number, effect: 'expireLease' })) await run.ended.promise;
      break;
    case 'overlapAtCall':
      if (await disturbOnce(order, run, { number, effect: 'expireLease' }))
        await Promise.race([run.secondArrived.promise, run.ended.promise]);
      else if (run.reachedCall && number === 2 * order.point.number) {
        run.secondArrived.resolve();
        await untilFirstDone(order, run);
      }
      break;
    default:
  }
}

/** Disturbs the job at the call of the point. Returns whether this is the call, and the job was running. */
async function disturbOnce(
  { place: { platform }, point, signal }: RunOrder,
  run: Running,
  { number, effect }: { readonly number: number; readonly effect: JobDisturbance['effect'] },
): Promise<boolean> {
  const { endpointId } = run;
  const isCall = point !== undefined && 'call' in point && point.number === number;
  if (!isCall || run.reachedCall || endpointId === undefined) return false;
  run.reachedCall = true;
  const jobId = await run.jobId.promise;
  try {
    await platform.control.disturbJob({ endpointId, jobId, body: { effect } }, { signal });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    // The worker called after its result.
    run.reachedCall = false;
    return false;
  }
}

/** Resolves once one of two workers with the job has delivered a result or has ended. */
async function untilFirstDone({ place: { platform }, signal }: RunOrder, { endpointId = '' }: Running): Promise<void> {
  const { client, control } = platform;
  for (;;) {
    const { summary } = await client.listEndpointWorkers({ id: endpointId }, { signal });
    const { disturbances } = await control.listDisturbances({ endpointId }, { signal });
    if (seenIn(disturbances, 'result') > 0 || summary.running < WORKERS) return;
    await client.context.clock.sleep(POLL_MS, signal);
  }
}

/** Returns how many messages of a kind a run has had. */
function seenIn(disturbances: readonly ActiveDisturbance[], wanted: string): number {
  return disturbances.find(({ message, at }) => message === wanted && at === COUNTER.at)?.seen ?? 0;
}

/** Returns the disturbances at the platform, the first of which is that of the point. None: it is at a call or a file, or there is no point. */
function disturbancesOf(point: BreakPoint | undefined): readonly Disturbance[] {
  const at = (message: Disturbance['message'], effect: DisturbanceEffect, number = 1): Disturbance => ({
    ...{ message, effect, at: number },
  });
  // A result releases it earlier.
  const untilResult = { holdFor: MAX_FAULT_COUNT };
  switch (point?.kind) {
    case undefined:
    case 'killedBeforeCall':
    case 'killedAtCall':
    case 'killedAtFile':
    case 'expiredAtCall':
    case 'overlapAtCall':
      return [];
    case 'killedBeforeTake':
      return [at('take', 'killWorker')];
    case 'twoWorkers':
      return [at('take', 'expireLease')];
    case 'killedAtProgress':
      return [at('progress', 'killWorker', point.number)];
    case 'expiredAtProgress':
      return [{ ...at('progress', 'expireLease', point.number), ...untilResult }];
    case 'overlapAtProgress':
      // The second worker sends the same number of reports, while the first one waits.
      return [
        { ...at('progress', 'expireLease', point.number), holdFor: point.number },
        { ...at('progress', 'hold', 2 * point.number), ...untilResult },
      ];
    case 'killedBeforeResult':
      return [at('result', 'killWorker')];
    case 'resultLost':
      return [at('result', 'loseResult')];
    case 'answerLost':
      return [at('result', 'loseAnswer')];
  }
}

interface DoneRun extends Pick<RunRecord, 'job' | 'reached' | 'progress' | 'twoWorkers' | 'durationMs' | 'tooLong'> {
  readonly workerIds: readonly string[];
}

async function runJob(
  { place, body, request, point, limitMs, onReady, signal }: RunOrder,
  run: Running,
  { steps, ...surroundings }: Surroundings & { readonly steps: FileSteps },
): Promise<DoneRun> {
  const { client, control } = place.platform;
  const { clock } = client.context;
  const endpoint = await client.createEndpoint({ body: withEdges(body, surroundings) }, { signal });
  const endpointId = (run.endpointId = endpoint.id);
  const ready = await untilReady(client, endpointId, signal);
  await onReady?.(endpointId);
  const counting = { endpointId } as const;
  const own = disturbancesOf(point);
  for (const body of own) await control.addDisturbance({ ...counting, body }, { signal });
  for (const message of ['progress', 'take', 'request', 'result'] as const)
    await control.addDisturbance({ ...counting, body: { message, ...COUNTER } }, { signal });
  await steps.begin();
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
    const reached = point === undefined || (own.length > 0 && disturbances[0]?.happened === true);
    return { job, reached, progress: seenIn(disturbances, 'progress'), ...ready, durationMs, tooLong };
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
    const requests = seenIn(disturbances, 'request');
    const isDone = summary.running === 0 && requests >= seenIn(disturbances, 'take') - (isKilled ? 1 : 0);
    if (isDone || clock.now() >= until) return;
    await clock.sleep(POLL_MS, signal);
  }
}

/** The environment and the mounts of the workers of a run. */
interface Surroundings extends Pick<RunFolder, 'mounts'> {
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the create body for two workers on the private platform, which has no resources of other platforms. */
function withEdges(
  { networkVolumes: _v, mounts: _m, registry: _r, ...body }: CreateEndpointBody,
  { variables, mounts }: Surroundings,
): CreateEndpointBody {
  return {
    ...body,
    ...(mounts && { mounts }),
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
