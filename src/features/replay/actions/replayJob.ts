import { ApiError } from '../../../client/apiError.ts';
import { isTerminal, type Job, type JobRequest } from '../../../contract/job.ts';
import type { CreateEndpointBody } from '../../../contract/endpoint.ts';
import type { Environment } from '../../../contract/environment.ts';
import { MIN_VOLUME_GB } from '../../../contract/networkVolume.ts';
import { MAX_TIME_SPAN_MS } from '../../../contract/bounds.ts';
import { secretHider, withoutSecrets } from '../../../account/withoutSecrets.ts';
import { logLines, readWorkerLogSince } from '../../jobs/actions/workerLogSince.ts';
import { findStartFailure, startFailureWords } from '../../jobs/expectations/actions/findStartFailure.ts';
import { compareEnds, type Comparison } from '../model/comparison.ts';
import { isBlocked, type ReplayPlan } from '../model/replayPlan.ts';
import type { WorkerSettings } from '../model/workerSettings.ts';
import { copyVolume } from './copyVolume.ts';
import type { ReadEnvironment } from './readEnvironment.ts';
import { ReplayError } from './replayError.ts';
import { endOfSubject, requestOfSubject, type ReplaySubject } from './replaySubject.ts';
import { openScratch, type ScratchLaunch, type ScratchPlatform } from './scratchPlatform.ts';

/** Steps of a replay, in order. */
export type ReplayStep = 'start' | 'copy' | 'create' | 'debug' | 'run';

/** The endpoint of a replay before its job is submitted, for a debugger. */
export interface WaitingEndpoint extends Pick<ScratchPlatform, 'client' | 'control'> {
  readonly endpointId: string;
}

export interface Replay {
  readonly subject: ReplaySubject;
  readonly settings: WorkerSettings;
  readonly plan: ReplayPlan;
  readonly values: Pick<ReadEnvironment, 'env' | 'inputSecrets' | 'hidden'>;
  readonly launch: ScratchLaunch;
  /** Maximum time from the submission to the end, in ms. Default: the timeout of the job, and `QUEUE_ALLOWANCE_MS`. */
  readonly limitMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly onStep?: (step: ReplayStep) => void;
  /** Attaches a debugger before the job is submitted. The time of the job is then not limited. */
  readonly debug?: (endpoint: WaitingEndpoint, signal: AbortSignal) => Promise<void>;
}

/**
 * The end of a replay. Its texts and its job contain none of the hidden values.
 *
 * - `ended`: the job has ended.
 * - `notStarted`: the worker cannot start.
 * - `neverEnded`: the job did not end within the time limit.
 */
export type ReplayResult = Exclude<EndOfReplay, Ended> | (Ended & { readonly comparison: Comparison });

interface Ended {
  readonly kind: 'ended';
  readonly job: Job;
  /** Last lines of the worker's log. */
  readonly log: readonly string[];
}

type EndOfReplay =
  | Ended
  | { readonly kind: 'notStarted'; readonly reason: string; readonly log: readonly string[] }
  | { readonly kind: 'neverEnded'; readonly limitMs: number; readonly log: readonly string[] };

/** Time that the worker can take to start, in addition to the timeout of the job, in ms. Covers the download of a large image. */
const QUEUE_ALLOWANCE_MS = 600_000;
const DEFAULT_TIMEOUT_MS = 300_000;
/** Time between two looks at the job, in ms. */
const INTERVAL_MS = 200;
/** Operations that are called while the worker starts. A fault in them would be used up, or hide the state of the worker. */
const WATCHING: readonly string[] = ['*', 'listEndpointWorkers', 'streamWorkerLogs', 'getWorkerLogs'];

/**
 * Runs a recorded job again on a platform of its own, and compares its end with the recorded one. The platform of the user is not touched. The
 * platform, its worker, and the copy of the volume are gone when the promise settles.
 *
 * @throws ReplayError; RecordingError; ApiError without hidden values; the reason of the signal after a cancellation
 */
export async function replayJob(replay: Replay): Promise<ReplayResult> {
  const { subject, plan, values, launch, signal, onStep = () => undefined } = replay;
  signal.throwIfAborted();
  if (isBlocked(plan)) throw new ReplayError('blocked', 'a part of the job is missing');
  const request = await requestOfSubject(subject, values.inputSecrets);
  const recordedEnd = await endOfSubject(subject);
  onStep('start');
  const scratch = await openScratch(launch, signal);
  try {
    const stopping = AbortSignal.any([signal, scratch.lost]);
    const end = await runOn(scratch, { ...replay, onStep, request }, stopping).catch((error: unknown) => {
      stopping.throwIfAborted();
      throw error instanceof ApiError ? withoutSecrets(error, values.hidden) : error;
    });
    const shown = withoutHidden(end, values.hidden);
    // A recording has marks in place of secrets, so the comparison needs them too.
    return shown.kind === 'ended' ? { ...shown, comparison: compareEnds(recordedEnd, shown.job) } : shown;
  } finally {
    await scratch.close();
  }
}

async function runOn(
  scratch: ScratchPlatform,
  replay: Replay & Required<Pick<Replay, 'onStep'>> & { readonly request: Pick<JobRequest, 'input' | 'policy'> },
  signal: AbortSignal,
): Promise<EndOfReplay> {
  const { settings, plan, values, request, onStep, debug } = replay;
  const { control, client } = scratch;
  const volumeId = await snapshotVolume(scratch, replay, signal);
  onStep('create');
  for (let ahead = plan.clockAheadMs; ahead > 0; ahead -= MAX_TIME_SPAN_MS)
    await control.setClock({ body: { advanceMs: Math.min(ahead, MAX_TIME_SPAN_MS) } }, { signal });
  for (const fault of plan.faults) await control.addFault({ body: fault }, { signal });
  const hasGpus = settings.gpu !== undefined && (await control.getEngine({}, { signal })).gpus.length > 0;
  // The control API is subject to no fault. An endpoint that the API creates would be.
  const body = endpointOf(replay.subject.recorded.endpoint, { settings, plan, env: values.env, volumeId, hasGpus });
  const { endpoints } = await control.seed({ body: seedOf({ endpoints: [body] }) }, { signal });
  const [endpointId = ''] = endpoints;
  if (debug) {
    onStep('debug');
    await debug({ client, control, endpointId }, signal);
  }
  onStep('run');
  const { input, policy } = request;
  const { jobs } = await control.seed(
    { body: seedOf({ jobs: [{ endpoint: endpointId, status: 'IN_QUEUE', input, ...(policy && { policy }) }] }) },
    { signal },
  );
  const limitMs =
    replay.limitMs ?? (policy?.executionTimeout ?? settings.timeout ?? DEFAULT_TIMEOUT_MS) + QUEUE_ALLOWANCE_MS;
  const place = { endpointId, jobId: jobs[0] ?? '' };
  const watched = { ...place, limitMs: debug ? undefined : limitMs, watches: !isWatchingFaulty(plan) };
  return watchJob(scratch, watched, signal);
}

/** Creates the volume, and copies the original into it. Returns its ID, or undefined if the worker has no volume. */
async function snapshotVolume(
  { client, control, volumeDirectory }: ScratchPlatform,
  { plan: { volume }, onStep = () => undefined }: Pick<Replay, 'plan' | 'onStep'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!volume) return undefined;
  onStep('copy');
  // On a local platform, any data center will do.
  const [dataCenter] = (await client.listDataCenters({}, { signal })).dataCenters;
  const record = { name: volume.id, size: MIN_VOLUME_GB, dataCenter: dataCenter?.id ?? '' };
  const { networkVolumes } = await control.seed({ body: seedOf({ networkVolumes: [record] }) }, { signal });
  const [id = ''] = networkVolumes;
  if (volume.directory !== undefined) await copyVolume(volume.directory, volumeDirectory(id), signal);
  return id;
}

type SeedBody = Parameters<ScratchPlatform['control']['seed']>[0]['body'];

function seedOf(parts: Partial<SeedBody>): SeedBody {
  const nothing = { templates: [], registries: [], networkVolumes: [], endpoints: [], jobs: [], usage: [] };
  return { ...nothing, users: [], teams: [], keys: [], ...parts };
}

interface EndpointParts {
  readonly settings: WorkerSettings;
  readonly plan: ReplayPlan;
  readonly env: Environment;
  readonly volumeId: string | undefined;
  /** Whether this machine has GPUs for workers. */
  readonly hasGpus: boolean;
}

function endpointOf(name: string, { settings, plan, env, volumeId, hasGpus }: EndpointParts): CreateEndpointBody {
  const { args, entrypoint, cmd, disk, timeout, gpu, cpu = [{ id: 'cpu3c', vcpuCount: 2 }] } = settings;
  const path = plan.volume?.path;
  const ignoresGpus = gpu !== undefined && (!hasGpus || settings['x-local']?.gpu === 'ignore');
  return {
    ...{ name, type: 'QUEUE', scaling: { type: 'REQUEST_COUNT', requestCount: 1 }, workers: { min: 0, max: 1 } },
    ...(plan.image !== undefined && { image: plan.image }),
    ...(args !== undefined && { args }),
    ...(entrypoint && { entrypoint }),
    ...(cmd && { cmd }),
    ...(disk !== undefined && { disk }),
    ...(timeout !== undefined && { timeout }),
    ...(gpu ? { gpu } : { cpu }),
    ...(ignoresGpus && { 'x-local': { gpu: 'ignore' } }),
    ...(volumeId !== undefined &&
      (path === undefined ? { networkVolumes: [volumeId] } : { mounts: { network: [{ volumeId, path }] } })),
    env,
  };
}

function isWatchingFaulty({ faults }: ReplayPlan): boolean {
  return faults.some(({ operation }) => WATCHING.includes(operation));
}

interface WatchedJob {
  readonly endpointId: string;
  readonly jobId: string;
  /** Undefined: no limit. */
  readonly limitMs: number | undefined;
  /** Whether the workers are read, for a failure of their start. */
  readonly watches: boolean;
}

/** Waits for the end of the job through the control API, so that no fault affects it. */
async function watchJob(
  { client, control }: ScratchPlatform,
  { endpointId, jobId, limitMs, watches }: WatchedJob,
  signal: AbortSignal,
): Promise<EndOfReplay> {
  const { clock } = client.context;
  const over = new AbortController();
  const watching = AbortSignal.any([signal, over.signal]);
  let failure: Awaited<ReturnType<typeof findStartFailure>>;
  // A failure to read the workers is not a failure of the worker.
  const watched = watches
    ? findStartFailure(client, endpointId, watching).then(
        (found) => (failure = found),
        () => undefined,
      )
    : Promise.resolve();
  const end = limitMs === undefined ? Infinity : clock.now() + limitMs;
  try {
    for (;;) {
      const { status } = await control.getJobTrace({ endpointId, jobId }, { signal });
      if (isTerminal(status)) break;
      if (failure) {
        const log = logLines(failure.log);
        return { kind: 'notStarted', reason: startFailureWords(failure.finding), log };
      }
      if (clock.now() > end) return { kind: 'neverEnded', limitMs: limitMs ?? 0, log: [] };
      await clock.sleep(INTERVAL_MS, signal);
    }
    await control.removeFaults({}, { signal });
    const job = await client.getJobStatus({ endpointId, jobId }, { signal });
    const { workerId } = job;
    const log =
      workerId === undefined ? [] : logLines(await readWorkerLogSince(client, { endpointId, workerId, signal }));
    return { kind: 'ended', job, log };
  } finally {
    over.abort();
    await watched;
  }
}

/** Removes the values of secrets from everything that a caller can show. */
function withoutHidden(result: EndOfReplay, hidden: readonly string[]): EndOfReplay {
  if (hidden.length === 0) return result;
  const hide = secretHider(hidden);
  return JSON.parse(JSON.stringify(result), (_, value: unknown) =>
    typeof value === 'string' ? hide(value) : value,
  ) as EndOfReplay;
}
