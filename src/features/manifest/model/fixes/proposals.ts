import * as l10n from '@vscode/l10n';
import type { FieldError, ViolationCode } from '../../../../contract/violation.ts';
import { type ManifestEdit, isFields, type Fields, valueAt } from '../editing/editedValue.ts';
import { nodeAt } from '../text/locate.ts';
import type { ManifestFile } from '../manifestFile.ts';
import type { ManifestProblem } from '../problem.ts';
import { settingFixes } from './settingFixes.ts';
import { fieldAt } from '../fields/fieldSchema.ts';
import { possible, set, type Broken, type Fixer, type Fixers, type Proposal, exampleOf } from './fix.ts';
import { hardwareFixes } from './hardwareFixes.ts';
import { shapeFixes } from './shapeFixes.ts';
import { volumeFixes } from './volumeFixes.ts';
import { ENVIRONMENTS, manifestIn } from '../patched/environmentsOf.ts';
import { patchEdit } from '../patched/patchEdits.ts';
import { valueOfTree, type ManifestNode } from '../text/node.ts';

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
