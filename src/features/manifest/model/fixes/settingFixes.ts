import * as l10n from '@vscode/l10n';
import { ROUTE_ENVIRONMENT } from '../../../../contract/route.ts';
import type { Path } from '../../../../contract/violation.ts';
import type { ManifestEdit } from '../edit.ts';
import { isFields } from '../editing/effectiveValue.ts';
import { fieldAt } from '../fields/fieldSchema.ts';
import { removal, valueAt } from './fields.ts';
import { fieldWords, possible, preferred, set, words, type Fixer, type Fixers } from './fix.ts';
import { scalerEdits, exampleOf } from './schemaValue.ts';

/* Corrections of images, scaling, workers, and environment variables. */

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

const idleTimeoutUnused: Fixer<'idleTimeoutUnused'> = ({ path, manifest }) => [
  preferred(l10n.t("Remove 'idleTimeout'"), removal(manifest, path)),
];

const sibling = (path: Path, name: string): Path => [...path.slice(0, -1), name];

const minAboveMax: Fixer<'minAboveMax'> = ({ path }, { min, max }) => [
  possible(l10n.t`Change min to ${max}`, set(sibling(path, 'min'), max)),
  possible(l10n.t`Change max to ${min}`, set(sibling(path, 'max'), min)),
];

const maxBelowMin: Fixer<'maxBelowMin'> = ({ path }, { min, max }) => [
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

export const settingFixes = {
  imageMissing,
  containerImageLocally,
  localCommandIncomplete,
  scalerNeedsQueue,
  idleTimeoutUnused,
  minAboveMax,
  maxBelowMin,
  shortTime,
  notAPort,
  relativeHealthPath,
  portOutOfRange,
  nulCharacter,
} satisfies Fixers;
