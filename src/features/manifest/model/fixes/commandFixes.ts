import * as l10n from '@vscode/l10n';
import { parseArgs, type ContainerCommand } from '../../../../contract/containerCommand.ts';
import type { ManifestEdit } from '../edit.ts';
import { removal, removals, valueAt } from './fields.ts';
import { firstPreferred, possible, preferred, set, words, type Broken, type Fixer, type Fixers } from './fix.ts';
import { isRequired } from './schemaValue.ts';

/* Corrections of the command of a container. */

const argsUnreadable: Fixer<'argsUnreadable'> = ({ path, value, manifest }) => {
  // The command of x-local is required.
  const remove = isRequired(path, manifest) ? [] : [possible(l10n.t("Remove 'args'"), removal(manifest, path))];
  if (typeof value !== 'string') return remove;
  const closed = ["'", '"', '\\'].map((end) => value + end).filter((args) => commandOf(args) !== undefined);
  return [
    ...firstPreferred(closed.map((args) => possible(l10n.t`Change to ${words(args)}`, set(path, args)))),
    ...remove,
  ];
};

const argsConflict: Fixer<'argsConflict'> = (broken, { given }) => [
  ...split(broken),
  possible(l10n.t`Keep ${given.join(l10n.t(' and '))}`, removal(broken.manifest, ['args'])),
  possible(l10n.t('Keep args'), ...removals(broken.manifest, ...given.map((field) => [field]))),
];

/** Replaces `args` by the same command in exec form. */
function split({ manifest }: Broken) {
  const args = valueAt(manifest, ['args']);
  const command = typeof args === 'string' ? commandOf(args) : undefined;
  if (!command) return [];
  const edits = (['entrypoint', 'cmd'] as const).flatMap((field): ManifestEdit[] => {
    const list = command[field];
    return list && list.length > 0 ? [set([field], list)] : removals(manifest, [field]);
  });
  return [possible(l10n.t('Split args into entrypoint and cmd'), ...edits, removal(manifest, ['args']))];
}

function commandOf(args: string): ContainerCommand | undefined {
  try {
    return parseArgs(args);
  } catch {
    return undefined;
  }
}

/** Restores the value before the edit of an endpoint. */
const fieldRemoved: Fixer<'fieldRemoved'> = (_, { field, before }) => [
  preferred(l10n.t`Restore '${field}'`, set([field], before)),
];

export const commandFixes = { argsUnreadable, argsConflict, fieldRemoved } satisfies Fixers;
