import * as l10n from '@vscode/l10n';
import type { Path } from '../../../../contract/violation.ts';
import { isEnvironmentName } from '../../../../contract/environmentNames.ts';
import { similarNames } from '../../../../text/suggestion.ts';
import { isFields, valueAt } from '../editing/editedValue.ts';
import {
  removal,
  fieldWords,
  firstPreferred,
  possible,
  preferred,
  removalTitle,
  set,
  words,
  type Broken,
  type Fixer,
  type Fixers,
  type Proposal,
  scalerEdits,
  exampleOf,
  isRequired,
} from './fix.ts';
import { typeFixes } from './typeFixes.ts';

/* Corrections of values that the schema rejects. */

/** Maximum number of similar names that are offered. */
const MAX_NAMES = 3;

const unknownField: Fixer<'unknownField'> = ({ path, manifest }, { name, known }) => {
  const parent = valueAt(manifest, path.slice(0, -1));
  const free = known.filter((other) => isFields(parent) && !Object.hasOwn(parent, other));
  const similar = similarNames(name, free).slice(0, MAX_NAMES);
  return firstPreferred([
    ...similar.map((to) => possible(l10n.t`Change to '${to}'`, { kind: 'rename', path, name: to })),
    possible(l10n.t`Remove '${name}'`, removal(manifest, path)),
  ]);
};

const environmentName: Fixer<'environmentName'> = ({ path }) => {
  const written = String(path.at(-1));
  const name = written
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 32);
  const rename = possible(l10n.t`Change to '${name}'`, { kind: 'rename', path, name });
  return firstPreferred([
    ...(isEnvironmentName(name) ? [rename] : []),
    possible(l10n.t`Remove '${written}'`, { kind: 'remove', path }),
  ]);
};

const environmentsInPatch: Fixer<'environmentsInPatch'> = (broken) => [
  preferred(removalTitle(broken), { kind: 'remove', path: broken.path }),
];

const nothingToRemove: Fixer<'nothingToRemove'> = ({ path }, { name, known }) =>
  firstPreferred([
    ...known.slice(0, MAX_NAMES).map((to) => possible(l10n.t`Change to '${to}'`, { kind: 'rename', path, name: to })),
    possible(l10n.t`Remove '${name}'`, { kind: 'remove', path }),
  ]);

const missingField: Fixer<'missingField'> = ({ path, manifest }, { values }) => {
  const example = exampleOf(path, manifest);
  const edits = (value: unknown) => (isScaler(path) ? scalerEdits(manifest, String(value)) : [set(path, value)]);
  const add = (value: unknown) => possible(l10n.t`Add ${fieldWords(path.at(-1), value)}`, ...edits(value));
  if (!values) return example === undefined ? [] : firstPreferred([add(example)]);
  return values.map((value) => {
    const proposal = add(value);
    // A scaler is sure if the manifest already has exactly its field.
    const isSure = isScaler(path) ? proposal.edits.length === 1 : value === example || values.length === 1;
    return { ...proposal, isPreferred: isSure };
  });
};

function isScaler(path: Path): boolean {
  return path.length === 2 && path[0] === 'scaling' && path[1] === 'type';
}

const notOneOf: Fixer<'notOneOf'> = ({ path, value, manifest }, { values }) => {
  const names = values.map(String);
  const similar = typeof value === 'string' ? similarNames(value, names) : [];
  const ordered = [...new Set([...similar, ...names])];
  const isSure = similar.length > 0 || values.length === 1;
  const change = (name: string): Proposal => {
    const wanted = values.find((candidate) => String(candidate) === name);
    return possible(
      l10n.t`Change to '${name}'`,
      ...(isScaler(path) ? scalerEdits(manifest, name) : [set(path, wanted)]),
    );
  };
  return firstPreferred(ordered.map(change), isSure);
};

interface Bound {
  readonly origin: string;
  readonly inclusive: boolean;
}

const tooSmall: Fixer<'tooSmall'> = (broken, { minimum, ...bound }) =>
  isNumeric(bound) ? [atBound(broken, Number(minimum) + step(bound))] : filled(broken);

const tooBig: Fixer<'tooBig'> = (broken, { maximum, ...bound }) => {
  const { path, value } = broken;
  if (isNumeric(bound)) return [atBound(broken, Number(maximum) - step(bound))];
  if (!Array.isArray(value)) return filled(broken);
  const rest = value.slice(0, Number(maximum));
  return [possible(l10n.t`Remove the items after the first ${rest.length}`, set(path, rest)), ...withoutField(broken)];
};

function isNumeric({ origin }: Bound): boolean {
  return origin !== 'string' && origin !== 'array';
}

function step({ inclusive }: Bound): number {
  return inclusive ? 0 : 1;
}

function atBound({ path }: Broken, value: number): Proposal {
  return preferred(l10n.t`Change to ${value}`, set(path, value));
}

/** Replaces a value by the example of its field, or removes it. */
function filled(broken: Broken): Proposal[] {
  const { path, manifest } = broken;
  const example = exampleOf(path, manifest);
  const replacement = example === undefined ? [] : [possible(l10n.t`Change to ${words(example)}`, set(path, example))];
  return firstPreferred([...replacement, ...withoutField(broken)], isRequired(path, manifest));
}

function withoutField(broken: Broken): Proposal[] {
  const { path, manifest } = broken;
  return isRequired(path, manifest) ? [] : [possible(removalTitle(broken), removal(manifest, path))];
}

/** Maximum length of a corrected text, because searches in it take quadratic time. */
const LONGEST_TEXT = 500;

/** Changes that can give a text the format of a field. Those that match the pattern are offered. */
const CHANGES: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  (text) => text.trim().toLowerCase(),
  (text) => text.replace(/^[\s-]+/, ''),
  (text) => `${text.trim()}/http`,
  (text) => `${text.trim()}.0`,
  (text) => /\d+\.\d+/.exec(text)?.[0] ?? '',
  (text) => `${/\d+/.exec(text)?.[0] ?? ''}/http`,
];

/** Corrects the format of a text, replaces it by an example, or removes an optional field. */
const wrongFormat: Fixer<'wrongFormat'> = ({ path, value, manifest }, { pattern, prefix }) => {
  if (typeof value !== 'string' || value.length > LONGEST_TEXT) return [];
  const corrected = prefix === undefined ? matching(value, pattern) : prefix + value.trim();
  const example = exampleOf(path, manifest);
  const text = corrected ?? example;
  return firstPreferred(
    [
      ...(text === undefined ? [] : [possible(l10n.t`Change to ${words(text)}`, set(path, text))]),
      ...(isRequired(path, manifest) ? [] : [possible(l10n.t`Remove ${words(value)}`, removal(manifest, path))]),
    ],
    corrected !== undefined,
  );
};

/**
 * Returns the first change of a text that matches a pattern.
 *
 * @param pattern regular expression in slashes
 */
function matching(text: string, pattern = ''): string | undefined {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  if (source === undefined) return undefined;
  const expression = new RegExp(source, flags);
  return CHANGES.map((change) => change(text)).find((changed) => expression.test(changed));
}

export const shapeFixes = {
  unknownField,
  nothingToRemove,
  environmentName,
  environmentsInPatch,
  missingField,
  wrongType: typeFixes,
  notOneOf,
  tooSmall,
  tooBig,
  wrongFormat,
} satisfies Fixers;
