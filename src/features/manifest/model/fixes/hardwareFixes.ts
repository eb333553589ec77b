import * as l10n from '@vscode/l10n';
import { distance } from 'fastest-levenshtein';
import { MAX_VCPUS } from '../../../../contract/bounds.ts';
import { similarNames } from '../../../../text/suggestion.ts';
import {
  listAt,
  removal,
  stringsAt,
  firstPreferred,
  possible,
  preferred,
  set,
  words,
  type Broken,
  type Fixer,
  type Fixers,
  type Proposal,
  exampleOf,
  removing,
  choosing,
} from './fix.ts';

/* Corrections of GPUs, CPUs, and data centers. */

/** Maximum number of names or counts that are offered. */
const MAX_OFFERED = 6;
const FEWEST_VCPUS = 2;

const hardwareMissing: Fixer<'hardwareMissing'> = ({ manifest }) => {
  const add = (field: 'cpu' | 'gpu') => possible(l10n.t`Add '${field}'`, set([field], exampleOf([field], manifest)));
  // Global volumes are for GPU endpoints only.
  const needsGpu = listAt(manifest, ['mounts', 'global']).length > 0;
  return firstPreferred(needsGpu ? [add('gpu'), add('cpu')] : [add('cpu'), add('gpu')]);
};

const hardwareFamilyFixed: Fixer<'hardwareFamilyFixed'> = ({ path, manifest }) => [
  preferred(l10n.t`Remove '${path.join('.')}'`, removal(manifest, path)),
];

const repeatedCpu: Fixer<'repeatedCpu'> = ({ path, manifest }, { id, vcpuCount }) => [
  preferred(l10n.t`Remove the second ${id} with ${vcpuCount} vCPUs`, removal(manifest, path)),
];

const unknownName: Fixer<'unknownPool' | 'unknownFlavor' | 'unknownDataCenter'> = (broken, { value, known }) => {
  const { path } = broken;
  const list = path.slice(0, -1);
  const isItem = typeof path.at(-1) === 'number';
  const used = isItem ? stringsAt(broken.manifest, list) : [];
  const free = known.filter((name) => !used.includes(name));
  const isRemovable = isItem && (listAt(broken.manifest, list).length > 1 || list[0] === 'dataCenterIds');
  return [...nearest(broken, value, free), ...(isRemovable ? [withoutItem(broken, value)] : [])];
};

/** Offers the names that resemble the value, or else the nearest ones. Only a resembling name is preferred. */
function nearest({ path }: Broken, value: string, known: readonly string[]): Proposal[] {
  const similar = similarNames(value, known);
  const others = known
    .filter((name) => !similar.includes(name))
    .map((name) => ({ name, edits: distance(name, value) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name);
  const offered = [...similar, ...others].slice(0, MAX_OFFERED);
  return firstPreferred(
    offered.map((name) => possible(l10n.t`Change to '${name}'`, set(path, name))),
    similar.length > 0,
  );
}

function withoutItem({ path, manifest }: Broken, value: string): Proposal {
  return possible(l10n.t`Remove '${value}'`, removal(manifest, path));
}

const gpuCount: Fixer<'gpuCount'> = ({ path }, { maximum }) => [
  preferred(l10n.t`Change to ${maximum}`, set(path, maximum)),
];

const foreignExclusion: Fixer<'foreignExclusion'> = (broken, { value, offered }) => {
  const used = stringsAt(broken.manifest, broken.path.slice(0, -1));
  const similar = similarNames(
    value,
    offered.filter((id) => !used.includes(id)),
  );
  const changes = similar.map((id) => possible(l10n.t`Change to '${id}'`, set(broken.path, id)));
  return firstPreferred([...changes, withoutItem(broken, value)]);
};

const everythingExcluded: Fixer<'everythingExcluded'> = ({ path, manifest }, { offered }) => {
  const excluded = stringsAt(manifest, path);
  const allow = offered.slice(0, MAX_OFFERED).map((id) => {
    const rest = excluded.filter((other) => other.trim() !== id);
    return possible(l10n.t`Do not exclude '${id}'`, rest.length > 0 ? set(path, rest) : removal(manifest, path));
  });
  return [...allow, possible(l10n.t("Remove 'excludedTypes'"), removal(manifest, path))];
};

const repeatedGpuType: Fixer<'repeatedGpuType'> = ({ path, manifest }) => [
  preferred(l10n.t('Remove the repeated GPU types'), set(path, [...new Set(stringsAt(manifest, path))])),
];

const vcpuCount: Fixer<'vcpuCount'> = (broken, { allowed }) => counts(broken, allowed);

const notAPowerOfTwo: Fixer<'notAPowerOfTwo'> = (broken) => {
  const { value } = broken;
  if (typeof value !== 'number' || value <= 0) return [];
  const power = Math.floor(Math.log2(value));
  const inRange = (count: number) => Math.min(Math.max(count, FEWEST_VCPUS), MAX_VCPUS);
  return counts(broken, [...new Set([inRange(2 ** power), inRange(2 ** (power + 1))])]);
};

/** Offers counts, the nearest first. The higher one of two equally near counts comes first. */
function counts({ path, value }: Broken, allowed: readonly number[]): Proposal[] {
  const current = Number(value);
  const ordered = allowed.toSorted((a, b) => Math.abs(a - current) - Math.abs(b - current) || b - a);
  return firstPreferred(
    ordered.slice(0, MAX_OFFERED).map((count) => possible(l10n.t`Change to ${words(count)}`, set(path, count))),
  );
}

export const hardwareFixes = {
  hardwareMissing,
  gpuAndCpu: choosing([l10n.t('Keep gpu'), ['cpu']], [l10n.t('Keep cpu'), ['gpu']]),
  hardwareFamilyFixed,
  cudaConstraintsConflict: choosing(
    [l10n.t('Keep minCudaVersion'), ['gpu', 'allowedCudaVersions']],
    [l10n.t('Keep allowedCudaVersions'), ['gpu', 'minCudaVersion']],
  ),
  repeatedCpu,
  exclusionsNeedPools: removing(l10n.t("Remove 'excludedTypes'")),
  unknownPool: unknownName,
  unknownFlavor: unknownName,
  unknownDataCenter: unknownName,
  gpuCount,
  foreignExclusion,
  everythingExcluded,
  repeatedGpuType,
  vcpuCount,
  notAPowerOfTwo,
} satisfies Fixers;
