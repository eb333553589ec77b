import * as l10n from '@vscode/l10n';
import type { Path, ViolationCode, ViolationData } from '../../../../contract/violation.ts';
import { type ManifestEdit, type Fields, isFields, valueAt } from '../editing/editedValue.ts';
import type { TextChange } from '../../../../text/span.ts';
import { fieldAt, type FieldSchema } from '../fields/fieldSchema.ts';

/* Corrections of problems. They depend on the code and the data of a violation, never on its message. */

/** A correction of one problem. */
export interface ManifestFix {
  readonly title: string;
  readonly changes: readonly TextChange[];
  /** Whether *Auto Fix* and *Fix All* apply it. */
  readonly isPreferred: boolean;
}

/** A correction whose changes of the text are not known yet. */
export interface Proposal {
  readonly title: string;
  readonly edits: readonly ManifestEdit[];
  readonly isPreferred: boolean;
}

/** The field that breaks a rule, and the manifest around it. */
export interface Broken {
  readonly path: Path;
  /** Value of the field. Undefined if it is missing. */
  readonly value: unknown;
  /** Text of the field, as written. */
  readonly written: string;
  readonly manifest: Fields;
}

export type Fixer<Code extends ViolationCode> = (broken: Broken, data: ViolationData<Code>) => readonly Proposal[];

export type Fixers = { readonly [Code in ViolationCode]?: Fixer<Code> };

export function preferred(title: string, ...edits: readonly ManifestEdit[]): Proposal {
  return { title, edits, isPreferred: true };
}

export function possible(title: string, ...edits: readonly ManifestEdit[]): Proposal {
  return { title, edits, isPreferred: false };
}

export function set(path: Path, value: unknown): ManifestEdit {
  return { kind: 'set', path, value };
}

/** Marks the first of several proposals as the preferred one. */
export function firstPreferred(proposals: readonly Proposal[], isSure = true): Proposal[] {
  return proposals.map((proposal, index) => ({ ...proposal, isPreferred: isSure && index === 0 }));
}

/** Returns the title for the removal of a field, or of an item of a list. */
export function removalTitle({ path, value }: Broken): string {
  const name = path.at(-1);
  return typeof name === 'number' ? l10n.t`Remove ${words(value)}` : l10n.t`Remove '${name ?? ''}'`;
}

/** Longest value in a title, in UTF-16 code units. */
const LONGEST_VALUE = 80;

/** Formats a value for a title. */
export function words(value: unknown): string {
  const text = plainWords(value);
  return typeof value === 'string' ? `'${text}'` : text;
}

/** Formats a field and its value for a title. */
export function fieldWords(name: string | number | undefined, value: unknown): string {
  return `'${name ?? ''}: ${plainWords(value)}'`;
}

function plainWords(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

export function listAt(value: unknown, path: Path): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}

/** Returns the strings of a list in a manifest. */
export function stringsAt(value: unknown, path: Path): readonly string[] {
  return listAt(value, path).filter((item) => typeof item === 'string');
}

/** Containers that mean the same as a missing field if they are empty. */
const OPTIONAL: readonly (string | number)[] = [
  ...['workers', 'mounts', 'network', 'global', 'networkVolumes', 'dataCenterIds', 'excludedTypes'],
  ...['allowedCudaVersions', 'env', 'ports', 'cmd', 'entrypoint', 'x-local', 'args'],
];

/** Returns the edit that removes a field, together with optional parents that would be empty. */
export function removal(manifest: Fields, path: Path): ManifestEdit {
  const parent = path.slice(0, -1);
  const container = valueAt(manifest, parent);
  const isEmptied = typeof container === 'object' && container !== null && Object.keys(container).length === 1;
  return isEmptied && OPTIONAL.includes(parent.at(-1) ?? '') ? removal(manifest, parent) : { kind: 'remove', path };
}

/** Returns the edits that remove the fields that the manifest has. */
export function removals(manifest: Fields, ...paths: readonly Path[]): ManifestEdit[] {
  return paths.filter((path) => valueAt(manifest, path) !== undefined).map((path) => removal(manifest, path));
}

/** Returns a fixer that removes the field. */
export function removing(title: string): (broken: Broken) => Proposal[] {
  return ({ path, manifest }) => [preferred(title, removal(manifest, path))];
}

/** Returns a fixer for fields that exclude each other. Each choice removes one of them. */
export function choosing(
  ...choices: readonly (readonly [title: string, removed: Path])[]
): (broken: Broken) => Proposal[] {
  return ({ manifest }) => choices.map(([title, path]) => possible(title, removal(manifest, path)));
}

/* Values that the schema of manifests names for a field. */

/** Returns whether the field must exist. Items of lists count as optional. */
export function isRequired(path: Path, manifest: Fields): boolean {
  const name = path.at(-1);
  const parent = path.slice(0, -1);
  if (parent.join() === 'x-local' && isHalfOfProgram(name, valueAt(manifest, parent))) return true;
  return name !== undefined && (fieldAt(path, manifest)?.required ?? false);
}

const PROGRAM: readonly (string | number | undefined)[] = ['directory', 'command'];

/** Returns whether a member of `x-local` is half of a program whose other half is set. */
function isHalfOfProgram(name: string | number | undefined, local: unknown): boolean {
  return (
    PROGRAM.includes(name) &&
    isFields(local) &&
    PROGRAM.every((one) => one === name || local[String(one)] !== undefined)
  );
}

/** Returns the default or the first example of a field. */
export function exampleOf(path: Path, manifest: Fields): unknown {
  const [first] = path;
  if (path.length === 1 && first === 'scaling' && manifest['type'] === 'LOAD_BALANCER')
    return { type: 'REQUEST_COUNT', requestCount: exampleOf(['scaling', 'requestCount'], {}) };
  const field = fieldAt(path, manifest);
  return field && exampleIn(field.schema);
}

function exampleIn(schema: FieldSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.examples && schema.examples.length > 0) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  const { properties, required = [] } = schema;
  if (!properties) return undefined;
  return Object.fromEntries(required.map((name) => [name, properties[name] && exampleIn(properties[name])]));
}

/** Field of each kind of scaling. */
const FIELDS: Readonly<Record<string, string>> = { QUEUE_DELAY: 'queueDelay', REQUEST_COUNT: 'requestCount' };

/** Returns the edits that change the kind of scaling, with the field that it needs. */
export function scalerEdits(manifest: Fields, type: string): ManifestEdit[] {
  const own = FIELDS[type];
  const others = Object.values(FIELDS).filter((field) => field !== own);
  const selected = { scaling: { type } };
  const isMissing = own !== undefined && valueAt(manifest, ['scaling', own]) === undefined;
  return [
    set(['scaling', 'type'], type),
    ...(isMissing ? [set(['scaling', own], exampleOf(['scaling', own], selected))] : []),
    ...removals(manifest, ...others.map((field) => ['scaling', field])),
  ];
}
