import * as l10n from '@vscode/l10n';
import type { FieldError, ViolationCode } from '../../../../contract/violation.ts';
import { type ManifestEdit, isFields, type Fields, valueAt } from '../editing/editedValue.ts';
import { nodeAt } from '../text/locate.ts';
import type { ManifestFile } from '../manifestFile.ts';
import type { ManifestProblem } from '../problem.ts';
import { settingFixes } from './settingFixes.ts';
import { fieldAt } from '../fields/fieldSchema.ts';
import {
  possible,
  set,
  type Broken,
  type Fixer,
  type Fixers,
  type Proposal,
  exampleOf,
  listAt,
  removal,
  removals,
  stringsAt,
  preferred,
  removing,
  choosing,
} from './fix.ts';
import { hardwareFixes } from './hardwareFixes.ts';
import { shapeFixes } from './shapeFixes.ts';
import { ENVIRONMENTS, manifestIn } from '../patched/environmentsOf.ts';
import { patchEdit } from '../patched/patchEdits.ts';
import { valueOfTree, type ManifestNode } from '../text/node.ts';

/* Corrections of mounted volumes. */

const LISTED = ['networkVolumes'];
const NETWORK = ['mounts', 'network'];
const GLOBAL = ['mounts', 'global'];

const deprecatedField: Fixer<'deprecatedField'> = ({ path, manifest }, { instead }) =>
  // Beside a global volume, the network volumes are a violation with its own corrections.
  path[0] === LISTED[0] && instead === NETWORK.join('.') && listAt(manifest, GLOBAL).length === 0
    ? [preferred(l10n.t`Move to ${instead}`, ...moveToMounts(manifest))]
    : [];

const networkVolumesWithMounts: Fixer<'networkVolumesWithMounts'> = ({ manifest }) => [
  preferred(l10n.t('Move to mounts.network'), ...moveToMounts(manifest)),
  possible(l10n.t("Remove 'networkVolumes'"), removal(manifest, LISTED)),
];

const networkVolumesWithGlobalMount: Fixer<'networkVolumesWithGlobalMount'> = ({ manifest }) => [
  possible(l10n.t('Keep the global volume'), removal(manifest, LISTED)),
  possible(l10n.t('Keep the network volumes'), ...moveToMounts(manifest), removal(manifest, GLOBAL)),
];

const secondGlobalVolume: Fixer<'secondGlobalVolume'> = ({ manifest }, { mounted }) => {
  const mounts = listAt(manifest, GLOBAL);
  return mounted.map((volumeId, index) => {
    const title = l10n.t`Keep only the volume '${volumeId}'`;
    const edit = set(GLOBAL, [mounts[index]]);
    return index === 0 ? preferred(title, edit) : possible(title, edit);
  });
};

const repeatedVolume: Fixer<'repeatedVolume'> = ({ path, manifest }, { volumeId }) => {
  const item = path.at(-1) === 'volumeId' ? path.slice(0, -1) : path;
  return [preferred(l10n.t`Remove the second '${volumeId}'`, removal(manifest, item))];
};

/** Mounts the volumes of `networkVolumes` that are not mounted yet, and removes the deprecated field. */
function moveToMounts(manifest: Fields): ManifestEdit[] {
  const mounts = [...listAt(manifest, NETWORK)];
  const first = mounts.length;
  for (const volumeId of stringsAt(manifest, LISTED))
    if (!mounts.some((mount) => isFields(mount) && mount['volumeId'] === volumeId))
      mounts.push({ volumeId, path: freePath(mounts) });
  const added = mounts.slice(first).map((mount, index) => set([...NETWORK, first + index], mount));
  return [...added, ...removals(manifest, LISTED)];
}

/** Returns `/data`, or `/data-2` and so on if the path is in use. */
function freePath(mounts: readonly unknown[]): string {
  const used = mounts.map((mount) => (isFields(mount) ? mount['path'] : undefined));
  const path = (number: number) => (number === 1 ? '/data' : `/data-${number}`);
  let number = 1;
  while (used.includes(path(number))) number++;
  return path(number);
}

const volumeFixes = {
  deprecatedField,
  networkVolumesWithMounts,
  networkVolumesWithGlobalMount,
  networkAndGlobalMounts: choosing(
    [l10n.t('Keep the network volumes'), GLOBAL],
    [l10n.t('Keep the global volume'), NETWORK],
  ),
  secondGlobalVolume,
  globalVolumeWithoutGpu: removing(l10n.t('Remove the global volumes')),
  repeatedVolume,
} satisfies Fixers;

/** Offers the corrections of each shape that the value could have. */
const noAlternative: Fixer<'noAlternative'> = (broken, { reasons }) => {
  // A single value becomes a single value rather than a list.
  const ordered = reasons.toSorted((a, b) => Number(expectsList(a)) - Number(expectsList(b)));
  const proposals = ordered.flatMap(({ code, data }) => fixersOf(code as ViolationCode)?.(broken, data as never) ?? []);
  const different = proposals.filter(
    ({ title }, index) => proposals.findIndex((other) => other.title === title) === index,
  );
  const first = different.findIndex(({ isPreferred }) => isPreferred);
  return different.map((proposal, index) => ({ ...proposal, isPreferred: index === first }));
};

function expectsList({ data }: { readonly data: object }): boolean {
  return 'expected' in data && data.expected === 'array';
}

const fixers: Fixers = {
  ...shapeFixes,
  ...settingFixes,
  ...volumeFixes,
  ...hardwareFixes,
  noAlternative,
};

/** Codes of violations that have corrections. */
export const fixableCodes = Object.keys(fixers) as ViolationCode[];

function fixersOf(code: ViolationCode): Fixer<ViolationCode> | undefined {
  return fixers[code];
}

/** Fields of a minimal manifest, in the order of a new file. */
const FIRST_FIELDS = ['name', 'type', 'scaling', 'image', 'cpu'];

/** Returns the possible corrections of a problem. Computes no changes of the text. */
export function proposalsFor(file: ManifestFile, problem: ManifestProblem): readonly Proposal[] {
  const { environments: [name] = [], part: index } = problem;
  const part = file.parts[index];
  const environment = part?.environments.find((one) => one.name === name);
  if (!part || !environment || problem.violation?.path[0] === ENVIRONMENTS)
    return proposalsIn(file.text, part?.root, problem);
  return proposalsIn(file.text, manifestIn(environment, part.root), problem).flatMap((proposal) => {
    const edit = patchEdit(part.root, environment, proposal.edits);
    return edit ? { ...proposal, edits: [edit] } : [];
  });
}

function proposalsIn(
  text: string,
  root: ManifestNode | undefined,
  { code, violation }: ManifestProblem,
): readonly Proposal[] {
  if (code === 'emptyFile') {
    const fields = FIRST_FIELDS.map((field) => [field, exampleOf([field], {})]);
    return [possible(l10n.t('Add the required fields'), set([], Object.fromEntries(fields)))];
  }
  const manifest = valueOfTree(root);
  if (!violation || !isFields(manifest)) return [];
  const node = nodeAt(root, violation.path);
  const broken: Broken = {
    path: violation.path,
    value: valueAt(manifest, violation.path),
    written: node ? text.slice(node.start, node.end) : '',
    manifest,
  };
  return proposalsOf(violation, broken);
}

/** Only the user chooses a correction that can cost more. */
function proposalsOf({ code, data }: FieldError, broken: Broken): readonly Proposal[] {
  const proposals = fixersOf(code)?.(broken, data as never) ?? [];
  return proposals.map((proposal) =>
    proposal.edits.some((edit) => raisesCost(edit, broken.manifest)) ? { ...proposal, isPreferred: false } : proposal,
  );
}

function raisesCost(edit: ManifestEdit, manifest: Fields): boolean {
  if (edit.kind !== 'set' || fieldAt(edit.path, manifest)?.schema['x-costs'] !== true) return false;
  const before = Number(valueAt(manifest, edit.path) ?? NaN);
  return Number(edit.value) > before;
}
