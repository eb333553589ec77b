import * as l10n from '@vscode/l10n';
import type { UpdateEndpointBody } from '../../../../contract/endpoint.ts';
import { DEFAULT_TIMEOUT_MS, WORKER_DEFAULTS } from '../../../../contract/endpointSettings.ts';
import { variable } from '../../../../contract/environment.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { fieldError, type FieldError } from '../../../../contract/violation.ts';
import { isDeepStrictEqual } from 'node:util';

/** One setting that an edit changed. */
export interface SettingChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface ManifestChange {
  /** Contains only the changed settings. A PATCH leaves omitted settings unchanged. */
  readonly body: UpdateEndpointBody;
  readonly changes: readonly SettingChange[];
  /** Changes that an endpoint does not allow, with the reasons. */
  readonly refused: readonly FieldError[];
}

/** Settings of an endpoint. Several of them can be absent. */
export type Draft = Partial<Manifest>;
type Body = { -readonly [Name in keyof UpdateEndpointBody]: UpdateEndpointBody[Name] };

/** Values that clear a setting in a PATCH. A setting that cannot be empty returns to its default. */
const CLEARED: Readonly<Partial<Record<keyof Manifest, unknown>>> = {
  env: {},
  ports: [],
  dataCenterIds: [],
  networkVolumes: [],
  registry: null,
  flashboot: 'OFF',
  timeout: DEFAULT_TIMEOUT_MS,
  'x-local': {},
};

const PLAIN = [
  'name',
  'scaling',
  'image',
  'disk',
  'env',
  'ports',
  'registry',
  'cpu',
  'dataCenterIds',
  'flashboot',
  'networkVolumes',
  'timeout',
  'x-local',
] as const;

/** Returns the change from one manifest of an endpoint to another. */
export function changeBetween(before: Draft, after: Draft): ManifestChange {
  const body: Body = {};
  const refused: FieldError[] = [];
  if (before.type !== after.type) refused.push(fieldError(['type'], 'typeChanged', {}));
  if ((before.gpu && after.cpu) || (before.cpu && after.gpu))
    refused.push(fieldError([after.gpu ? 'gpu' : 'cpu'], 'hardwareFamilyChanged', {}));
  else Object.assign(body, gpuChange(before, after));
  for (const field of PLAIN) {
    if (isDeepStrictEqual(before[field], after[field]) || (field === 'cpu' && (before.gpu ?? after.gpu))) continue;
    if (after[field] !== undefined) Object.assign(body, { [field]: after[field] });
    else if (field in CLEARED) Object.assign(body, { [field]: CLEARED[field] });
    else refused.push(fieldError([field], 'fieldRemoved', { field, before: before[field] }));
  }
  Object.assign(body, commandChange(before, after), mountsChange(before, after), workersChange(before, after));
  if (after.templateId !== undefined) body.templateId = after.templateId;
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Manifest)[];
  const changes = fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field): SettingChange => ({ field, before: before[field], after: after[field] }));
  return { body, changes, refused };
}

/**
 * A body can contain `args` together with `entrypoint` or `cmd` only if they describe the same command. An empty `args` clears the previous
 * command, so that the lists replace it.
 */
function commandChange(before: Draft, after: Draft): Body {
  if (after.args !== undefined) return isDeepStrictEqual(before.args, after.args) ? {} : { args: after.args };
  const { entrypoint = [], cmd = [] } = after;
  if (before.args !== undefined)
    return { args: '', ...(entrypoint.length > 0 ? { entrypoint } : {}), ...(cmd.length > 0 ? { cmd } : {}) };
  return {
    ...(isDeepStrictEqual(before.entrypoint ?? [], entrypoint) ? {} : { entrypoint }),
    ...(isDeepStrictEqual(before.cmd ?? [], cmd) ? {} : { cmd }),
  };
}

/** A list replaces the volumes of its kind. An empty list detaches them, and an omitted list leaves them unchanged. */
function mountsChange(before: Draft, after: Draft): Body {
  const kinds = (['network', 'global'] as const).filter(
    (kind) => !isDeepStrictEqual(before.mounts?.[kind] ?? [], after.mounts?.[kind] ?? []),
  );
  if (kinds.length === 0) return {};
  return { mounts: Object.fromEntries(kinds.map((kind) => [kind, after.mounts?.[kind] ?? []])) };
}

function workersChange(before: Draft, after: Draft): Body {
  const changed = (['min', 'max', 'idleTimeout'] as const).flatMap((name) => {
    const value = after.workers?.[name] ?? WORKER_DEFAULTS[name];
    // A value that is absent before and after the edit is not a change.
    const isAbsent = before.workers?.[name] === undefined && after.workers?.[name] === undefined;
    return isAbsent || before.workers?.[name] === value ? [] : [[name, value] as const];
  });
  return changed.length === 0 ? {} : { workers: Object.fromEntries(changed) };
}

function gpuChange({ gpu: before }: Draft, { gpu: after }: Draft): Body {
  if (!before || !after || isDeepStrictEqual(before, after)) return {};
  const poolsChanged =
    !isDeepStrictEqual(before.pools, after.pools) ||
    !isDeepStrictEqual(before.excludedTypes ?? [], after.excludedTypes ?? []);
  const changed = <Value>(name: 'count' | 'allowedCudaVersions' | 'minCudaVersion', cleared: Value) =>
    isDeepStrictEqual(before[name], after[name]) ? {} : { [name]: after[name] ?? cleared };
  return {
    gpu: {
      // Exclusions apply to the pools in the same body.
      ...(poolsChanged
        ? { pools: after.pools, ...(after.excludedTypes ? { excludedTypes: after.excludedTypes } : {}) }
        : {}),
      ...changed('count', 1),
      ...changed('allowedCudaVersions', []),
      ...changed('minCudaVersion', ''),
    },
  };
}

/** Describes a change in one line. Environment variables appear by name only, because their values can be secrets. */
export function changeWords({ field, before, after }: SettingChange): string {
  if (field === 'env') return `env: ${envWords(before, after)}`;
  if (!isGroup(before) || !isGroup(after)) return `${field}: ${valueWords(before)} → ${valueWords(after)}`;
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return members
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => `${field}.${name}: ${valueWords(before[name])} → ${valueWords(after[name])}`)
    .join(', ');
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function envWords(before: unknown, after: unknown): string {
  const [old = {}, now = {}] = [before, after] as (Record<string, string> | undefined)[];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => variable(old, name) !== variable(now, name),
  );
  return names
    .map((name) =>
      variable(now, name) === undefined
        ? l10n.t`remove ${name}`
        : variable(old, name) === undefined
          ? l10n.t`add ${name}`
          : l10n.t`change ${name}`,
    )
    .join(', ');
}

/** The digest of an image. Its start is enough to tell images apart, and leaves room for both values in a row. */
const DIGEST = /(@sha256:[0-9a-f]{12})[0-9a-f]{52}/g;

function valueWords(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return value.replaceAll(DIGEST, '$1…');
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${typeof member === 'string' ? member : JSON.stringify(member)}`)
    .join(', ');
}

/** Settings that concern only the scheduler. Changing them does not replace workers. */
const OUTSIDE_WORKERS: readonly string[] = [
  'name',
  'workers',
  'scaling',
  'timeout',
  'flashboot',
  'dataCenterIds',
  'mounts',
  'networkVolumes',
];

/** Returns whether the change replaces the endpoint's workers. */
export function replacesWorkers({ body }: Pick<ManifestChange, 'body'>): boolean {
  return Object.keys(body).some((field) => !OUTSIDE_WORKERS.includes(field));
}

/** Returns a sentence about the workers of an endpoint after a change. */
export function workersSentence(change: Pick<ManifestChange, 'body'>): string {
  return replacesWorkers(change)
    ? l10n.t('Workers are replaced once they are idle.')
    : l10n.t('Workers are not replaced.');
}
