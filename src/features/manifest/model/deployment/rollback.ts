import * as l10n from '@vscode/l10n';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import { Environment, variable } from '../../../../contract/environment.ts';
import { Manifest } from '../../../../contract/manifest.ts';
import type { Release, ReleaseDiffEntry } from '../../../../contract/release.ts';
import { ignoresIdleTimeout } from './compare.ts';
import { manifestOf, withoutEmpty } from './endpointManifest.ts';
import { changeBetween, type Draft, type ManifestChange } from './difference.ts';

/* The change that returns an endpoint to the settings of an earlier release. */

/** A setting whose earlier value cannot return. It keeps its present value, or stays absent. */
export interface LostSetting {
  readonly field: string;
  /**
   * `masked`: the platform hides the value. `unknown`: this program does not know the field, or its form. `notClearable`: it had no value,
   * and an endpoint cannot lose one.
   */
  readonly reason: 'masked' | 'unknown' | 'notClearable';
}

export interface Rollback extends ManifestChange {
  /** Version of the release whose settings return. */
  readonly version: number;
  readonly lost: readonly LostSetting[];
}

/** Returns the reason why a setting could not return to its earlier value. */
export function lostWords({ field, reason }: LostSetting): string {
  switch (reason) {
    case 'masked':
      return l10n.t`${field} is not restored, because the platform hides its earlier value`;
    case 'unknown':
      return l10n.t`${field} is not restored, because its meaning is not known`;
    case 'notClearable':
      return l10n.t`${field} keeps its value, because it cannot be removed from an endpoint`;
  }
}

type Field = keyof typeof Manifest.shape;

/** Place of each field of a release in a manifest. */
const PLACES: ReadonlyMap<string, readonly [Field, string?]> = new Map(
  Object.entries<readonly [Field, string?]>({
    name: ['name'],
    scaling: ['scaling'],
    timeout: ['timeout'],
    flashboot: ['flashboot'],
    locations: ['dataCenterIds'],
    cpu: ['cpu'],
    gpuCount: ['gpu', 'count'],
    'gpu.pools': ['gpu', 'pools'],
    'gpu.excludedTypes': ['gpu', 'excludedTypes'],
    'gpu.allowedCudaVersions': ['gpu', 'allowedCudaVersions'],
    'gpu.minCudaVersion': ['gpu', 'minCudaVersion'],
    'workers.min': ['workers', 'min'],
    'workers.max': ['workers', 'max'],
    'workers.idleTimeout': ['workers', 'idleTimeout'],
    'mounts.network': ['mounts', 'network'],
    'mounts.global': ['mounts', 'global'],
    'x-local.gpu': ['x-local', 'gpu'],
    'x-local.preload': ['x-local', 'preload'],
    'template.imageName': ['image'],
    'template.args': ['args'],
    'template.entrypoint': ['entrypoint'],
    'template.cmd': ['cmd'],
    'template.disk': ['disk'],
    'template.ports': ['ports'],
    'template.registry': ['registry'],
  }),
);
const ENV = 'template.env';

type Settings = Record<string, unknown>;

/**
 * Returns the version before the settings that an endpoint has. If they are those of an earlier release, the endpoint has returned to it, and
 * the releases after it are those that were taken back. Undefined if there is none.
 *
 * @param releases newest first
 */
export function versionBefore(endpoint: Endpoint, releases: readonly Release[]): number | undefined {
  const versions = releases.flatMap(({ version }) => version ?? []);
  const first = versions.findLastIndex((version) => {
    const rollback = rollbackTo(endpoint, releases, version);
    return rollback && Object.keys(rollback.body).length === 0 && rollback.lost.length === 0;
  });
  return versions[Math.max(first, 0) + 1];
}

/** Values that a platform sends instead of a secret. A single asterisk is an ordinary value. */
const MASKED = /^\*{3,}$/;

/** Returns whether a platform hides the value of an environment variable. */
export function isMasked(value: unknown): boolean {
  return typeof value === 'string' && MASKED.test(value);
}

/**
 * Returns the change that returns an endpoint to an earlier release. Each release contains the values before it, so the later ones are
 * taken back one after the other. Undefined if the version is not among the releases.
 *
 * @param releases newest first
 */
export function rollbackTo(endpoint: Endpoint, releases: readonly Release[], version: number): Rollback | undefined {
  const index = releases.findIndex((release) => release.version === version);
  if (index < 0) return undefined;
  const current = manifestOf(endpoint);
  const { entrypoint, cmd } = endpoint;
  // A release names only the differences, and both lists can be the same before and after a change of `args`.
  const settings: Settings = structuredClone({ ...current, entrypoint, cmd });
  const lost = new Map<string, LostSetting>();
  for (const { diff } of releases.slice(0, index)) for (const entry of diff) takeBack(settings, entry, lost);
  return { version, ...returnTo(current, settings, lost) };
}

/** Returns the change from present settings to earlier ones, as far as it is possible. */
export function returnTo(
  current: Draft,
  earlier: Settings,
  lost = new Map<string, LostSetting>(),
): Omit<Rollback, 'version'> {
  const { args, entrypoint, cmd } = earlier;
  // The platform derives both lists from `args`.
  const command = args === undefined || args === '' ? { entrypoint, cmd } : { args };
  const env = sendableEnv(current, earlier, lost);
  // A platform refuses a timeout that it would ignore.
  const isIdleIgnored = ignoresIdleTimeout(earlier);
  const workers = isIdleIgnored
    ? withoutEmpty({ ...(earlier['workers'] as Settings), idleTimeout: current.workers?.idleTimeout })
    : earlier['workers'];
  const wanted = withoutEmpty({
    ...{ ...earlier, args: undefined, entrypoint: undefined, cmd: undefined },
    ...{ ...command, env, workers },
  });
  for (const { code, path } of changeBetween(current, wanted).refused) {
    const [field] = path;
    if (code !== 'fieldRemoved' || field === undefined) continue;
    lost.set(String(field), { field: String(field), reason: 'notClearable' });
    wanted[field] = current[field as keyof Draft];
  }
  return { ...changeBetween(current, wanted), lost: [...lost.values()] };
}

/** Returns the variables to send: the present ones if a value is hidden, because a body replaces all variables. */
function sendableEnv(current: Draft, { env }: Settings, lost: Map<string, LostSetting>): unknown {
  const wanted = (env ?? {}) as Readonly<Record<string, string>>;
  const present = current.env ?? {};
  if (!Object.values(wanted).some(isMasked)) return wanted;
  for (const name of new Set([...Object.keys(present), ...Object.keys(wanted)]))
    if (variable(present, name) !== variable(wanted, name)) setLost(lost, `env.${name}`, 'masked');
  return present;
}

function setLost(lost: Map<string, LostSetting>, field: string, reason: LostSetting['reason']): void {
  lost.set(field, { field, reason });
}

/** Takes back one change. Adds the settings whose earlier values are not known. */
function takeBack(settings: Settings, entry: ReleaseDiffEntry, lost: Map<string, LostSetting>): void {
  if (entry.field === ENV) {
    takeBackEnv(settings, entry, lost);
    return;
  }
  const [name, member] = PLACES.get(entry.field) ?? [];
  const old = entry.old ?? undefined;
  const value =
    name === undefined || member === undefined ? old : withoutEmpty({ ...(settings[name] as Settings), [member]: old });
  if (name !== undefined && Manifest.shape[name].safeParse(value).success) settings[name] = value;
  else setLost(lost, entry.field, 'unknown');
}

/** Removes the variables that the release added, and restores the values that are not masked. */
function takeBackEnv(settings: Settings, { old, new: after }: ReleaseDiffEntry, lost: Map<string, LostSetting>): void {
  const [before, later] = [Environment.safeParse(old ?? {}), Environment.safeParse(after ?? {})];
  if (!before.success || !later.success) {
    setLost(lost, ENV, 'unknown');
    return;
  }
  const env = new Map(Object.entries((settings['env'] ?? {}) as Environment));
  for (const name of new Set([...Object.keys(before.data), ...Object.keys(later.data)])) {
    const value = variable(before.data, name);
    if (isMasked(value)) {
      setLost(lost, `env.${name}`, 'masked');
      continue;
    }
    if (value === undefined) env.delete(name);
    else env.set(name, value);
    // A later release changed it too, but the value before all of them is known.
    lost.delete(`env.${name}`);
  }
  settings['env'] = Object.fromEntries(env);
}
