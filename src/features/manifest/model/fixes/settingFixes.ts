import * as l10n from '@vscode/l10n';
import { repositoryIn } from '../../../../contract/imageReference.ts';
import { ROUTE_ENVIRONMENT } from '../../../../contract/route.ts';
import type { Path } from '../../../../contract/violation.ts';
import { type ManifestEdit, isFields, valueAt } from '../editing/editedValue.ts';
import { fieldAt } from '../fields/fieldSchema.ts';
import {
  removal,
  fieldWords,
  possible,
  preferred,
  set,
  words,
  type Fixer,
  type Fixers,
  removals,
  firstPreferred,
  type Broken,
  scalerEdits,
  exampleOf,
  isRequired,
  removing,
  choosing,
} from './fix.ts';
import { parseArgs, type ContainerCommand } from '../../../../contract/containerCommand.ts';

/* Corrections of images, commands, scaling, workers, and environment variables. */

const imageMissing: Fixer<'imageMissing'> = ({ manifest }) => {
  const image = exampleOf(['image'], manifest);
  const template = exampleOf(['templateId'], manifest);
  return [
    preferred(l10n.t`Add ${fieldWords('image', image)}`, set(['image'], image)),
    possible(l10n.t`Add ${fieldWords('templateId', template)}`, set(['templateId'], template)),
  ];
};

const PROCESS = { directory: '.', command: 'python3 handler.py' };

const containerImageLocally: Fixer<'containerImageLocally'> = ({ manifest }) => {
  const local = valueAt(manifest, ['x-local']);
  if (isFields(local) && Object.keys(local).length > 0)
    return [
      possible(
        l10n.t("Add 'directory' and 'command' to 'x-local'"),
        ...Object.entries(PROCESS).map(([name, value]) => set(['x-local', name], value)),
      ),
    ];
  return [possible(l10n.t("Add 'x-local'"), set(['x-local'], PROCESS))];
};

const localCommandIncomplete: Fixer<'localCommandIncomplete'> = ({ path, manifest }) => {
  const [missing, given] =
    valueAt(manifest, [...path, 'command']) === undefined
      ? (['command', 'directory'] as const)
      : (['directory', 'command'] as const);
  const value = exampleOf([...path, missing], manifest);
  return [
    preferred(l10n.t`Add ${fieldWords(missing, value)}`, set([...path, missing], value)),
    possible(l10n.t`Remove '${given}'`, removal(manifest, [...path, given])),
  ];
};

const scalerNeedsQueue: Fixer<'scalerNeedsQueue'> = ({ manifest }, { instead }) => [
  preferred(l10n.t`Change to '${instead}'`, ...scalerEdits(manifest, instead)),
  possible(l10n.t("Change the type to 'QUEUE'"), set(['type'], 'QUEUE')),
];

const sibling = (path: Path, name: string): Path => [...path.slice(0, -1), name];

const minAndMax: Fixer<'minAboveMax' | 'maxBelowMin'> = ({ path }, { min, max }) => [
  possible(l10n.t`Change min to ${max}`, set(sibling(path, 'min'), max)),
  possible(l10n.t`Change max to ${min}`, set(sibling(path, 'max'), min)),
];

/** Offers the value in seconds and in minutes. */
const shortTime: Fixer<'shortTime'> = ({ path, manifest }, { value }) => {
  const { maximum = Infinity } = fieldAt(path, manifest)?.schema ?? {};
  const units = [
    ['s', 1_000],
    ['min', 60_000],
  ] as const;
  return units
    .map(([unit, ms]) => ({ written: `${value} ${unit}`, wanted: value * ms }))
    .filter(({ wanted }) => wanted <= maximum)
    .map(({ written, wanted }) => possible(l10n.t`Change to ${wanted} (${written})`, set(path, wanted)));
};

const notAPort: Fixer<'notAPort'> = ({ path, value, manifest }, { maximum }) => {
  const [digits] = /\d+/.exec(String(value)) ?? [];
  const isPort = digits !== undefined && Number(digits) >= 1 && Number(digits) <= maximum;
  const port = isPort ? String(Number(digits)) : ROUTE_ENVIRONMENT.port.default;
  return [
    preferred(l10n.t`Change to ${words(port)}`, set(path, port)),
    possible(l10n.t`Remove '${String(path.at(-1))}'`, removal(manifest, path)),
  ];
};

const relativeHealthPath: Fixer<'relativeHealthPath'> = ({ path }, { value }) => [
  preferred(l10n.t`Change to ${words(`/${value}`)}`, set(path, `/${value}`)),
];

const portOutOfRange: Fixer<'portOutOfRange'> = ({ path, value, manifest }, { maximum }) => {
  if (typeof value !== 'string') return [];
  const port = Math.min(Math.max(parseInt(value), 1), maximum);
  const bounded = value.replace(/^\d+/, String(port));
  return [
    preferred(l10n.t`Change to ${words(bounded)}`, set(path, bounded)),
    possible(l10n.t`Remove ${words(value)}`, removal(manifest, path)),
  ];
};

const nulCharacter: Fixer<'nulCharacter'> = ({ path, value }, { part }) => {
  if (part === 'value')
    return typeof value === 'string'
      ? [preferred(l10n.t('Remove the NUL characters'), set(path, withoutNul(value)))]
      : [];
  const names = Object.keys(isFields(value) ? value : {}).filter((name) => name.includes('\0'));
  const edits = names.map((name): ManifestEdit => {
    const field = [...path, name];
    const rest = withoutNul(name);
    return rest === '' ? { kind: 'remove', path: field } : { kind: 'rename', path: field, name: rest };
  });
  return [preferred(l10n.t('Remove the NUL characters'), ...edits)];
};

function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

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

const notARepository: Fixer<'notARepository'> = ({ path, value, manifest }) => {
  const name = typeof value === 'string' ? repositoryIn(value) : undefined;
  return [
    ...(name === undefined ? [] : [preferred(l10n.t`Change to ${words(name)}`, set(path, name))]),
    possible(l10n.t("Remove 'repository'"), removal(manifest, path)),
  ];
};

const buildArgument: Fixer<'referenceInBuildArg' | 'keyInBuildArg'> = ({ path, manifest }) => [
  possible(l10n.t`Remove '${String(path.at(-1))}'`, removal(manifest, path)),
];

const verifyUnclear: Fixer<'verifyUnclear'> = (broken) => {
  const { path, manifest } = broken;
  const choices = [
    [l10n.t("Remove 'job'"), [...path, 'job']],
    [l10n.t("Remove 'input'"), [...path, 'input']],
    [l10n.t("Remove 'request'"), [...path, 'request']],
  ] as const;
  const written = choices.filter(([, field]) => valueAt(manifest, field) !== undefined);
  if (written.length > 0) return choosing(...written)(broken);
  const name = valueAt(manifest, ['type']) === 'LOAD_BALANCER' ? 'request' : 'input';
  const field = [...path, name];
  const example = exampleOf(field, manifest);
  return [possible(l10n.t`Add ${fieldWords(name, example)}`, set(field, example))];
};

/** Restores the value before the edit of an endpoint. */
const fieldRemoved: Fixer<'fieldRemoved'> = (_, { field, before }) => [
  preferred(l10n.t`Restore '${field}'`, set([field], before)),
];

export const settingFixes = {
  argsUnreadable,
  argsConflict,
  fieldRemoved,
  imageMissing,
  containerImageLocally,
  localCommandIncomplete,
  scalerNeedsQueue,
  idleTimeoutUnused: removing(l10n.t("Remove 'idleTimeout'")),
  minAboveMax: minAndMax,
  maxBelowMin: minAndMax,
  shortTime,
  notAPort,
  relativeHealthPath,
  portOutOfRange,
  nulCharacter,
  notARepository,
  referenceInBuildArg: buildArgument,
  keyInBuildArg: buildArgument,
  verifyUnclear,
  verifyExpectsTwice: removing(l10n.t("Remove 'expect'")),
  preloadNeedsPython: removing(l10n.t("Remove 'preload'")),
  gateNeedsQueue: removing(l10n.t("Remove 'x-gate'")),
  verifyNeedsQueue: removing(l10n.t("Remove 'x-verify'")),
  verifyNeedsBalancer: removing(l10n.t("Remove 'x-verify'")),
  alertOfOtherType: removing(l10n.t("Remove 'of'")),
} satisfies Fixers;
