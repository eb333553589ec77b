import { variable } from '../../contract/environment.ts';
import type { Release, ReleaseDiffEntry, ReleaseList } from '../../contract/release.ts';
import type { EndpointRecord } from './endpoint.ts';
import type { WorkerView } from './worker.ts';
import { dateTime } from '../../contract/dateTime.ts';

/* Releases record the changes of an endpoint. */

/** A release in the store. `createdAt` is in milliseconds since the epoch. */
export interface ReleaseRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly version: number;
  readonly createdAt: number;
  /** Changed settings. Values of environment variables are masked, because they can be secrets. */
  readonly diff: readonly ReleaseDiffEntry[];
}

interface Field {
  /** Name of the field in a diff. */
  readonly name: string;
  readonly value: (endpoint: EndpointRecord) => unknown;
  /** True if a change of this field requires new workers. */
  readonly inWorker: boolean;
}

const setting = (name: string, value: Field['value']): Field => ({ name, value, inWorker: false });
const inWorker = (name: string, value: Field['value']): Field => ({ name, value, inWorker: true });

const IMAGE_FIELD = 'template.imageName';

/** Mounts apply only to workers that start after the change, so they do not replace workers. */
const FIELDS: readonly Field[] = [
  setting('name', ({ name }) => name),
  setting('workers.min', ({ workers }) => workers.min),
  setting('workers.max', ({ workers }) => workers.max),
  setting('workers.idleTimeout', ({ workers }) => workers.idleTimeout),
  setting('scaling', ({ scaling }) => scaling),
  setting('timeout', ({ timeout }) => timeout),
  setting('flashboot', ({ flashboot }) => flashboot),
  setting('locations', ({ dataCenterIds }) => dataCenterIds),
  setting('mounts.network', ({ mounts }) => mounts.network),
  setting('mounts.global', ({ mounts }) => mounts.global),
  inWorker('gpuCount', ({ gpu }) => (gpu ? (gpu.count ?? 1) : undefined)),
  inWorker('x-local.gpu', ({ local }) => local?.gpu),
  inWorker('x-local.preload', ({ local }) => local?.preload),
  inWorker('gpu.pools', ({ gpu }) => gpu?.pools),
  inWorker('gpu.excludedTypes', ({ gpu }) => gpu?.excludedTypes),
  inWorker('gpu.allowedCudaVersions', ({ gpu }) => gpu?.allowedCudaVersions),
  inWorker('gpu.minCudaVersion', ({ gpu }) => gpu?.minCudaVersion),
  inWorker('cpu', ({ cpu }) => cpu),
  inWorker(IMAGE_FIELD, ({ image }) => image),
  inWorker('template.args', ({ args }) => args),
  inWorker('template.entrypoint', ({ entrypoint }) => entrypoint),
  inWorker('template.cmd', ({ cmd }) => cmd),
  inWorker('template.disk', ({ disk }) => disk),
  inWorker('template.ports', ({ ports }) => ports),
  inWorker('template.registry', ({ registry }) => registry),
];

/** Returns the image of a release: the one that the next change replaced, or that of the endpoint. @param releases newest first */
export function imageOfRelease(
  { image }: Pick<EndpointRecord, 'image'>,
  releases: readonly Pick<ReleaseRecord, 'version' | 'diff'>[],
  version: number,
): string {
  const later = releases.filter((release) => release.version > version).toReversed();
  const [change] = later.flatMap(({ diff }) => diff.filter(({ field }) => field === IMAGE_FIELD));
  return typeof change?.old === 'string' ? change.old : image;
}

const ENV_FIELD = 'template.env';
const MASK = '********';

/** Returns the differences between two configurations of an endpoint, and whether they require new workers. */
export function releaseDiff(
  before: EndpointRecord,
  after: EndpointRecord,
): { diff: ReleaseDiffEntry[]; replaceWorkers: boolean } {
  const changed = FIELDS.filter(({ value }) => !same(value(before), value(after)));
  const diff = changed.map(({ name, value }): ReleaseDiffEntry => ({
    field: name,
    old: value(before) ?? null,
    new: value(after) ?? null,
  }));
  const env = envDiff(before.env, after.env);
  return {
    diff: env ? [...diff, env] : diff,
    replaceWorkers: env !== undefined || changed.some((field) => field.inWorker),
  };
}

/** Returns the names of the variables that differ, with masked values. */
function envDiff(before: EndpointRecord['env'], after: EndpointRecord['env']): ReleaseDiffEntry | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => variable(before, name) !== variable(after, name),
  );
  const masked = (env: EndpointRecord['env']): Record<string, string> | null => {
    const shown = names.filter((name) => Object.hasOwn(env, name)).map((name): [string, string] => [name, MASK]);
    return shown.length > 0 ? Object.fromEntries(shown) : null;
  };
  return names.length > 0 ? { field: ENV_FIELD, old: masked(before), new: masked(after) } : undefined;
}

/** Compares plain data whose members are in the order of the contract. */
function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}

/** Returns releases in the form of a response, with the number of workers on each version. */
export function releaseAnswers(releases: readonly ReleaseRecord[], views: readonly WorkerView[]): Release[] {
  return releases.map(({ id, version, createdAt, diff }) => ({
    id,
    version,
    source: 'MANUAL',
    buildId: null,
    createdByUserId: null,
    workerCount: views.filter((view) => view.version === version).length,
    createdAt: dateTime(createdAt),
    diff: [...diff],
  }));
}

/** Returns the progress of the rollout of the newest release. Without workers it is complete. */
export function rollout(views: readonly WorkerView[], endpointVersion: number): ReleaseList['rollout'] {
  const workersTotal = views.length;
  const workersOnLatest = views.filter(({ version }) => version === endpointVersion).length;
  return {
    inProgress: workersOnLatest < workersTotal,
    workersOnLatest,
    workersTotal,
    percentOnLatest: workersTotal === 0 ? 100 : Math.round((100 * workersOnLatest) / workersTotal),
  };
}
