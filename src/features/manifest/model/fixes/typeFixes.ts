import * as l10n from '@vscode/l10n';
import { splitShellWords } from '../../../../contract/shellWords.ts';
import { type ManifestEdit, isFields, valueAt } from '../editing/editedValue.ts';
import {
  removal,
  firstPreferred,
  possible,
  removalTitle,
  set,
  words,
  type Broken,
  type Fixer,
  type Proposal,
  exampleOf,
  isRequired,
} from './fix.ts';

/* Corrections of values with a wrong type. */

/** Converts a value to the expected type, replaces it by an example, or removes an optional field. */
export const typeFixes: Fixer<'wrongType'> = (broken, { expected }) => {
  const { path, value, manifest } = broken;
  const conversions = conversionsTo[expected]?.(broken) ?? [];
  const example = exampleOf(path, manifest);
  const optional = isRequired(path, manifest) ? [] : [possible(removalTitle(broken), removal(manifest, path))];
  const examples =
    conversions.length > 0 || example === undefined || (typeof example === 'object') !== isContainer(expected)
      ? []
      : [possible(l10n.t`Change to ${words(example)}`, set(path, example))];
  // An empty optional field means the same as a missing one.
  const others = value === null ? [...optional, ...examples] : [...examples, ...optional];
  return firstPreferred([...conversions, ...others], conversions.length > 0 || value === null);
};

function isContainer(expected: string): boolean {
  return ['array', 'object'].includes(expected);
}

type Conversion = (broken: Broken) => Proposal[];

const conversionsTo: Readonly<Record<string, Conversion>> = {
  string: toText,
  number: (broken) => toNumber(broken, (number) => number),
  int: (broken) => toNumber(broken, Math.round),
  array: toList,
  object: toObject,
};

function toText({ path, value, written, manifest }: Broken): Proposal[] {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return [possible(l10n.t`Put ${written} in quotes`, set(path, written))];
  if (value === null && path[0] === 'env') return [possible(l10n.t('Change to an empty string'), set(path, ''))];
  if (!Array.isArray(value)) return [];
  const items: readonly unknown[] = value;
  const [item] = items;
  if (items.length === 1 && typeof item === 'string')
    return [possible(l10n.t`Change to ${words(item)}`, set(path, item))];
  const isCommand = path.length === 1 && path[0] === 'args' && valueAt(manifest, ['cmd']) === undefined;
  return isCommand ? [possible(l10n.t("Change to 'cmd'"), { kind: 'rename', path, name: 'cmd' })] : [];
}

function toNumber({ path, value }: Broken, rounded: (number: number) => number): Proposal[] {
  const number = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return [];
  return [possible(l10n.t`Change to ${rounded(number)}`, set(path, rounded(number)))];
}

function toList({ path, value, written }: Broken): Proposal[] {
  if (value === null || value === undefined) return [];
  const items = typeof value === 'string' ? itemsOf(value, path.at(-1)) : [isFields(value) ? value : written];
  return items ? [possible(l10n.t('Change to a list'), set(path, items))] : [];
}

/** Splits a command like a shell, and any other text at its commas. */
function itemsOf(text: string, field: string | number | undefined): string[] | undefined {
  if (field !== 'cmd' && field !== 'entrypoint') return text.split(',').map((item) => item.trim());
  try {
    return splitShellWords(text);
  } catch {
    return undefined;
  }
}

function toObject(broken: Broken): Proposal[] {
  const { path, value } = broken;
  if (path.length === 1 && path[0] === 'env') return toEnvironment(broken);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const [item] = items;
  if (path.length === 1 && path[0] === 'gpu' && items.length > 0 && items.every((pool) => typeof pool === 'string'))
    return [possible(l10n.t`Change to ${words({ pools: items })}`, set(path, { pools: items }))];
  if (path.length === 1 && path[0] === 'mounts' && Array.isArray(value) && items.every(isFields))
    return [possible(l10n.t("Move to 'network'"), set(path, { network: items }))];
  return Array.isArray(value) && items.length === 1 && isFields(item)
    ? [possible(l10n.t('Change to a map'), set(path, item))]
    : [];
}

/** Converts a list of `NAME=value` strings, or of maps with a name and a value. */
function toEnvironment({ path, value }: Broken): Proposal[] {
  if (!Array.isArray(value) || value.length === 0) return [];
  const entries = value.map(variableIn);
  const variables = entries.filter((entry) => entry !== undefined);
  const edit: ManifestEdit = set(path, Object.fromEntries(variables));
  return variables.length === entries.length ? [possible(l10n.t('Change to a map'), edit)] : [];
}

function variableIn(item: unknown): [string, string] | undefined {
  if (typeof item === 'string') {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(item) ?? [];
    return name === undefined || text === undefined ? undefined : [name, text];
  }
  if (!isFields(item)) return undefined;
  const { name, value } = item;
  return typeof name === 'string' && ['string', 'number', 'boolean'].includes(typeof value)
    ? [name, String(value)]
    : undefined;
}
