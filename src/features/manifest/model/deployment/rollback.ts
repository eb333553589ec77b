import * as l10n from '@vscode/l10n';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import type { Release, ReleaseDiffEntry } from '../../../../contract/release.ts';
import { manifestOf, withoutEmpty } from './endpointManifest.ts';
import { changeBetween, type ManifestChange } from './difference.ts';

/* The change that returns an endpoint to the settings of an earlier release. */

/** A setting whose earlier value is not known. It keeps its present value. */
export interface LostSetting {
  readonly field: string;
  /** `masked`: the platform hides the value. `unknown`: this program does not know the field. */
  readonly reason: 'masked' | 'unknown';
}

export interface Rollback extends ManifestChange {
  /** Version of the release whose settings return. */
  readonly version: number;
  readonly lost: readonly LostSetting[];
}

/** Says that a setting keeps its present value. */
export function lostWords({ field, reason }: LostSetting): string {
  return reason === 'masked'
    ? l10n.t`${field} keeps its present value, because the platform hides the earlier one`
    : l10n.t`${field} keeps its present value, because its meaning is not known`;
}

/** Place of each field of a release in a manifest. */
const PLACES: Readonly<Record<string, readonly [keyof Manifest, string?]>> = {
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
  'template.imageName': ['image'],
  'template.args': ['args'],
  'template.entrypoint': ['entrypoint'],
  'template.cmd': ['cmd'],
  'template.disk': ['disk'],
  'template.ports': ['ports'],
  'template.registry': ['registry'],
};
const ENV = 'template.env';

type Settings = Record<string, unknown>;

/** Returns the version before the newest one. Undefined if there is none. */
export function versionBefore(releases: readonly Release[]): number | undefined {
  return releases.flatMap(({ version }) => version ?? [])[1];
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
  const settings = structuredClone(current) as Settings;
  const lost = new Map<string, LostSetting>();
  for (const { diff } of releases.slice(0, index))
    for (const entry of diff) for (const one of takeBack(settings, entry)) lost.set(one.field, one);
  const { args, entrypoint, cmd } = settings;
  // The platform derives both lists from `args`.
  const command = args === undefined || args === '' ? { entrypoint, cmd } : { args };
  const wanted = withoutEmpty({ ...settings, args: undefined, entrypoint: undefined, cmd: undefined, ...command });
  return { version, ...changeBetween(current, wanted), lost: [...lost.values()] };
}

/** Takes back one change. Returns the settings whose earlier values are not known. */
function takeBack(settings: Settings, entry: ReleaseDiffEntry): readonly LostSetting[] {
  if (entry.field === ENV) return takeBackEnv(settings, entry);
  const [name, member] = PLACES[entry.field] ?? [];
  if (name === undefined) return [{ field: entry.field, reason: 'unknown' }];
  const value = entry.old ?? undefined;
  settings[name] = member === undefined ? value : withoutEmpty({ ...(settings[name] as Settings), [member]: value });
  return [];
}

/** Removes the variables that the release added. The values of the others are masked. */
function takeBackEnv(settings: Settings, { old, new: after }: ReleaseDiffEntry): readonly LostSetting[] {
  const before = (old ?? {}) as Settings;
  const added = Object.keys((after ?? {}) as Settings).filter((name) => !Object.hasOwn(before, name));
  const env = (settings['env'] ?? {}) as Settings;
  settings['env'] = Object.fromEntries(Object.entries(env).filter(([name]) => !added.includes(name)));
  return Object.keys(before).map((name) => ({ field: `env.${name}`, reason: 'masked' }));
}
