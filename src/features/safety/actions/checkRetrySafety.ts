import * as l10n from '@vscode/l10n';
import { MAX_JOB_LIFE_MS } from '../../../contract/bounds.ts';
import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';
import { jobRequestOf, type JobFile } from '../../../contract/jobFile.ts';
import type { SafetyPart } from '../../../contract/safety.ts';
import type { ValueSource } from '../../../account/secrets/envReferences.ts';
import { UserError } from '../../../kit/userError.ts';
import { draftOf } from '../../manifest/actions/createEndpoint.ts';
import { readEnvValues, UnresolvedReferencesError } from '../../manifest/actions/resolveBody.ts';
import type { ManifestPart } from '../../manifest/model/manifestFile.ts';
import { breakPointsOf, unsafeWords, type BreakPoint } from '../model/breakPoint.ts';
import { baselineOf, differencesOf, type Baseline, type Difference } from '../model/effects.ts';
import { runOnce, unreachableWords, type RunOrder, type RunRecord } from './disturbedRun.ts';
import { openWorkplace, type PrivatePlatform } from './workplace.ts';

/** Time in which an undisturbed job must end, in addition to its execution timeout, in ms. */
const START_ALLOWANCE_MS = 60_000;
/** Time in which a disturbed job must end, as a multiple of the undisturbed one and at least, in ms. */
const DISTURBED_FACTOR = 10;
const MIN_DISTURBED_MS = 60_000;

/** A job file to check. */
export interface SafetyJob {
  /** Path for results. */
  readonly path: string;
  readonly file: JobFile;
}

export interface SafetyResult {
  readonly job: SafetyJob;
  readonly point: BreakPoint;
  /** `notReached`: the disturbed run did not come to the point. `error`: it could not run, or did not end. */
  readonly outcome: 'safe' | 'unsafe' | 'notReached' | 'error';
  readonly differences: readonly Difference[];
  /** One sentence without a period, with the difference and its reproduction, or the reason of an error. Empty for a safe point. */
  readonly message: string;
  /** Whether it is the smallest reproduction of the faults of its job. */
  readonly smallest: boolean;
  readonly durationMs: number;
}

export type SafetyEvent =
  /** The undisturbed runs of a job have ended, and these points follow. */
  | { readonly kind: 'planned'; readonly job: SafetyJob; readonly points: readonly BreakPoint[] }
  | { readonly kind: 'started'; readonly job: SafetyJob; readonly point: BreakPoint }
  | { readonly kind: 'ended'; readonly result: SafetyResult }
  /** The job cannot be checked. No result follows. */
  | { readonly kind: 'failed'; readonly job: SafetyJob; readonly reason: string }
  /** A limit of the check, as a sentence. */
  | { readonly kind: 'note'; readonly job: SafetyJob; readonly text: string };

export interface SafetyCheck {
  readonly part: ManifestPart;
  /** Absolute path of the manifest's folder. */
  readonly folder: string;
  readonly jobs: readonly SafetyJob[];
  /** Values of the references in `env`. */
  readonly values: ValueSource;
  /** Environment of the commands of `x-safety`. */
  readonly environment: NodeJS.ProcessEnv;
  /** Path of the platform's program. */
  readonly platformScript: string;
  /** Flags of the engine of workers in containers. Default: the one that Docker finds. */
  readonly engineFlags?: readonly string[];
  /** Points to check. Default: all. */
  readonly wants?: (job: SafetyJob, point: BreakPoint) => boolean;
  /** Called with the platform once the workers of a disturbed run are ready, such as to attach a debugger. */
  readonly onReady?: (
    platform: PrivatePlatform,
    endpoint: Pick<Endpoint, 'id' | 'name' | 'image'>,
    point: BreakPoint,
  ) => Promise<void>;
  /** Maximum time of a disturbed run, in ms. Default: ten times the undisturbed one, and at least one minute. */
  readonly limitMs?: number | undefined;
  readonly onEvent: (event: SafetyEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs each job twice undisturbed and then once for each point at which it can break, on a private platform, and compares the effects. The
 * platform, its workers, and the copies of directories are gone when the returned promise settles.
 *
 * @throws UserError if nothing can be checked; InvalidManifestError; UnresolvedReferencesError; the reason of the signal
 */
export async function checkRetrySafety(check: SafetyCheck): Promise<readonly SafetyResult[]> {
  const { part, folder, jobs, platformScript, engineFlags = [], signal } = check;
  const { manifest, body } = draftOf(part, { target: 'local', folder });
  if (body.type === 'LOAD_BALANCER')
    throw new UserError(l10n.t('the endpoint is load-balanced, and its requests are never delivered again'));
  if (jobs.length === 0) throw new UserError(l10n.t('no job file (*.job.json) belongs to the manifest'));
  const resolved = await withValues(body, check.values);
  signal.throwIfAborted();
  const edges = manifest['x-safety'] ?? {};
  const place = await openWorkplace({ body: resolved, edges, platformScript, engineFlags, signal });
  const { platform } = place;
  const lost = new AbortController();
  void platform.ended.then(() => lost.abort());
  const either = AbortSignal.any([signal, lost.signal]);
  try {
    const results: SafetyResult[] = [];
    for (const job of jobs) {
      const order = {
        ...{ place, folder, body: resolved, request: jobRequestOf(job.file), environment: check.environment },
        ...{ edges, signal: either },
      };
      results.push(...(await checkJob(check, job, order)));
    }
    return results;
  } catch (error) {
    signal.throwIfAborted();
    if (lost.signal.aborted) throw new UserError(l10n.t`the local platform stopped: ${(await platform.ended) ?? ''}`);
    throw error;
  } finally {
    await place.close();
  }
}

/** Returns the body with the values of its references. @throws UnresolvedReferencesError */
async function withValues(body: CreateEndpointBody, source: ValueSource): Promise<CreateEndpointBody> {
  const { resolve, missing } = await readEnvValues([body.env], source);
  if (missing.length > 0) throw new UnresolvedReferencesError(missing);
  const env = Object.fromEntries(Object.entries(body.env ?? {}).map(([name, text]) => [name, resolve(text) ?? text]));
  return { ...body, env };
}

type JobOrder = Omit<RunOrder, 'point' | 'limitMs'>;

async function checkJob(check: SafetyCheck, job: SafetyJob, order: JobOrder): Promise<readonly SafetyResult[]> {
  const { onEvent, wants = () => true, signal } = check;
  let undisturbed: Undisturbed;
  try {
    undisturbed = await runUndisturbed(job, order);
  } catch (error) {
    order.signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    onEvent({ kind: 'failed', job, reason: error.message });
    return [];
  }
  const { baseline, first } = undisturbed;
  for (const text of notesOf(undisturbed, order.edges)) onEvent({ kind: 'note', job, text });
  const calls = first.effects.calls.map(({ method, path }) => `${method} ${path}`);
  const { progress, twoWorkers, effects } = first;
  const files = undisturbed.hasStableChanges ? first.changes : [];
  const hasOtherEffects = effects.files.size > 0 || files.length > 0 || order.edges.command !== undefined;
  const points = breakPointsOf({ progress, calls, files, hasOtherEffects, twoWorkers }).filter((point) =>
    wants(job, point),
  );
  onEvent({ kind: 'planned', job, points });
  const results: SafetyResult[] = [];
  for (const point of points) {
    signal.throwIfAborted();
    onEvent({ kind: 'started', job, point });
    const outcome = await outcomeAt(check, { job, point, baseline, first }, order);
    const smallest = outcome.outcome === 'unsafe' && results.every((one) => one.outcome !== 'unsafe');
    const result = { job, point, smallest, ...outcome };
    results.push(result);
    onEvent({ kind: 'ended', result });
  }
  return results;
}

interface Undisturbed {
  readonly first: RunRecord;
  readonly baseline: Baseline;
  readonly tunnels: readonly string[];
  /** Whether both runs have the same number of changes of files. */
  readonly hasStableChanges: boolean;
}

/** Runs a job twice. @throws UserError if it fails without a disturbance, or an edge cannot be reached */
async function runUndisturbed({ file }: SafetyJob, order: JobOrder): Promise<Undisturbed> {
  const limitMs = Math.min(
    (file.policy?.executionTimeout ?? order.body.timeout ?? MIN_DISTURBED_MS * DISTURBED_FACTOR) + START_ALLOWANCE_MS,
    MAX_JOB_LIFE_MS,
  );
  const run = async () => {
    const record = await runOnce({ ...order, point: undefined, limitMs });
    const [unreachable] = record.unreachable;
    if (unreachable) throw new UserError(unreachableWords(unreachable));
    if (record.tooLong)
      throw new UserError(l10n.t`the job does not end within ${limitMs / 1_000} s without a disturbance`);
    if (record.job.status !== 'COMPLETED')
      throw new UserError(
        l10n.t`the job fails without a disturbance, so its retries cannot be compared: ${failureOf(record)}`,
      );
    return record;
  };
  const first = await run();
  const second = await run();
  const tunnels = [...new Set([...first.tunnels, ...second.tunnels])];
  const hasStableChanges = first.changes.length === second.changes.length;
  return { first, baseline: baselineOf(first.effects, second.effects), tunnels, hasStableChanges };
}

function failureOf({ job: { status, error } }: RunRecord): string {
  const [line = ''] = typeof error === 'string' ? error.split('\n', 1) : [];
  return line === '' ? status : `${status}: ${line}`;
}

/** Returns what the check cannot see, as sentences. */
function notesOf({ first, baseline, tunnels, hasStableChanges }: Undisturbed, edges: SafetyPart): readonly string[] {
  const { calls, files, lines } = first.effects;
  const sees = calls.length > 0 || files.size > 0 || lines.length > 0;
  return [
    ...baseline.notes,
    ...tunnels.map(
      (host) => l10n.t`Calls to ${host} are encrypted and cannot be seen. Name the server in x-safety.http.`,
    ),
    ...(sees
      ? []
      : Object.keys(edges).length > 0
        ? [l10n.t('The job has no effect at the edges of x-safety, so only its status is compared.')]
        : [
            l10n.t(
              'The manifest names no edges in x-safety, so only calls through HTTP_PROXY and the status are compared.',
            ),
          ]),
    ...(hasStableChanges
      ? []
      : [l10n.t('The number of file changes differs from run to run. Crashes between them are left out.')]),
    ...(first.twoWorkers
      ? []
      : [l10n.t('Only one of two workers could start, so points with two workers are left out.')]),
  ];
}

interface Breaking {
  readonly job: SafetyJob;
  readonly point: BreakPoint;
  readonly baseline: Baseline;
  readonly first: RunRecord;
}

async function outcomeAt(
  { limitMs, onReady }: SafetyCheck,
  { point, baseline, first }: Breaking,
  order: JobOrder,
): Promise<Pick<SafetyResult, 'outcome' | 'differences' | 'message' | 'durationMs'>> {
  const {
    place: { platform },
    body: { name, image },
  } = order;
  const limit = limitMs ?? Math.max(MIN_DISTURBED_MS, DISTURBED_FACTOR * first.durationMs);
  const { clock } = platform.client.context;
  const startedAt = clock.now();
  const error = (message: string) => ({ outcome: 'error' as const, differences: [], message });
  const run = async () => {
    const record = await runOnce({
      ...{ ...order, point, limitMs: limit },
      ...(onReady && {
        onReady: (id: string) => onReady(platform, { id, name, ...(image !== undefined && { image }) }, point),
      }),
    });
    if (record.tooLong) return error(l10n.t`the job does not end within ${Math.round(limit / 1_000)} s`);
    const [unreachable] = record.unreachable;
    if (unreachable) return error(unreachableWords(unreachable));
    if (!record.reached) return { outcome: 'notReached' as const, differences: [], message: '' };
    const differences = differencesOf(baseline, record.effects);
    const outcome = differences.length > 0 ? ('unsafe' as const) : ('safe' as const);
    return { outcome, differences, message: unsafeWords(point, differences) };
  };
  try {
    return { ...(await run()), durationMs: clock.now() - startedAt };
  } catch (failure) {
    order.signal.throwIfAborted();
    if (!(failure instanceof UserError)) throw failure;
    return { ...error(failure.message), durationMs: clock.now() - startedAt };
  }
}
