import * as l10n from '@vscode/l10n';
import type { Path, ViolationCode, ViolationData } from '../../../../contract/violation.ts';
import type { ManifestEdit } from '../edit.ts';
import type { TextChange } from '../../../../text/span.ts';
import type { Fields } from '../editing/effectiveValue.ts';

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
