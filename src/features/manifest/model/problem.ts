import * as l10n from '@vscode/l10n';
import type { FieldError, Path, ViolationCode } from '../../../contract/violation.ts';
import { ruleMessage } from '../../../account/contractText.ts';
import { MAX_PROBLEMS, type BoundCode } from './text/bounds.ts';
import { lineAt, locate, nodeAt } from './text/locate.ts';
import type { Span } from '../../../text/span.ts';
import type { ManifestNode } from './text/node.ts';
import { withSuggestion } from '../../../text/suggestion.ts';

/** Codes of problems that are not violations of the contract. `more` counts the problems that are not shown. */
export type TextCode = BoundCode | 'syntax' | 'emptyFile' | 'notAMap' | 'more';

/** A problem at a place in the text of a manifest. Programs decide on `code` and `violation`. */
export interface ManifestProblem extends Span {
  readonly code: ViolationCode | TextCode;
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  /** Index of the endpoint in the file. */
  readonly part: number;
  /** The broken rule with its path and data. Undefined for problems of the text itself. */
  readonly violation?: FieldError;
  /** Names of the environments that have the problem. Undefined for a problem of the manifest itself. */
  readonly environments?: readonly string[];
  /** Set for a deprecated field, which the editor strikes through. */
  readonly deprecated?: true;
}

/** The part of a file that problems are located in. */
export interface Located {
  readonly text: string;
  readonly root: ManifestNode | undefined;
  readonly index: number;
}

/** Converts a violation to a problem at the field that it names. */
export function problemOfViolation(
  { text, root, index }: Located,
  violation: FieldError,
  severity: ManifestProblem['severity'] = 'error',
): ManifestProblem {
  const { start, end, missing } = locate(root, text, violation.path, ABOUT_KEYS.includes(violation.code));
  const node = nodeAt(root, violation.path);
  const hasText = node?.kind !== 'scalar' || node.style !== 'empty';
  return {
    ...visible({ start, end }, text),
    code: violation.code,
    message: sentence(violation, missing, hasText),
    severity,
    part: index,
    violation,
  };
}

/** Converts the first violations to problems and adds a last problem that counts the rest. */
export function problemsOf(
  violations: readonly FieldError[],
  problemOf: (violation: FieldError) => ManifestProblem,
): ManifestProblem[] {
  return withCount(violations.length, violations.slice(0, MAX_PROBLEMS).map(problemOf));
}

/** Returns the given problems and, if `count` is higher, a last problem that counts the missing ones. */
export function withCount(count: number, problems: readonly ManifestProblem[]): ManifestProblem[] {
  const last = problems.at(-1);
  if (count <= problems.length || !last) return [...problems];
  const { start, end, part } = last;
  const message = l10n.t`Problems that are not shown: ${count - problems.length}`;
  return [...problems, { start, end, part, code: 'more', message, severity: 'error' }];
}

/** Returns the first line of a span, so that a problem of the text does not mark the rest of the file. */
export function firstLine({ start, end }: Span, text: string): Span {
  return { start, end: Math.min(end, Math.max(lineAt(text, start).end, start + 1)) };
}

/** Widens a span of at most one character to the word at its start, so that the underline is visible. */
export function visible({ start, end }: Span, text: string): Span {
  if (end > start + 1) return { start, end };
  if (start >= text.length) return { start: Math.max(0, text.length - 1), end: text.length };
  const word = /^[\w-]+/.exec(text.slice(start))?.[0] ?? ' ';
  return { start, end: start + word.length };
}

/** Codes that are about the name of a field, whatever its value. */
const ABOUT_KEYS: readonly ViolationCode[] = [
  ...(['unknownField', 'deprecatedField', 'environmentName', 'environmentsInPatch', 'nothingToRemove'] as const),
];

/** Codes for missing members. Their messages begin with "missing". */
const ABSENT: readonly ViolationCode[] = ['missingField', 'imageMissing', 'imageNotBuilt', 'hardwareMissing'];

/** Codes whose messages are complete sentences, without the name of the field. */
const SENTENCES: readonly ViolationCode[] = ['containerImageLocally', 'deprecatedField'];

/**
 * @param missing part of the violation's path that the document does not have
 * @param hasText false for an empty value, as after `name:`
 */
function sentence(violation: FieldError, missing: Path, hasText: boolean): string {
  const { code, data, path } = violation;
  const message = ruleMessage(violation);
  const last = path.at(-1) ?? '';
  if (code === 'unknownField') return withSuggestion(capital(message), data.name, data.known);
  if (code === 'nothingToRemove') return withSuggestion(capital(message), data.name, data.known);
  if (code === 'unresolvedSecret') return withSuggestion(l10n.t`${last}: ${message}`, data.name, data.known);
  if (SENTENCES.includes(code)) return message;
  if (missing.length > 0) {
    const name = missing.join('.');
    return ABSENT.includes(code) ? l10n.t`'${name}' is ${message}` : l10n.t`'${name}': ${message}`;
  }
  const name = typeof last === 'number' ? `${path.at(-2) ?? ''}[${last}]` : last;
  if (code === 'wrongType' && data.expected === 'string' && isBareWord(data.received) && hasText)
    return l10n.t`${name}: ${message}; put it in quotes`;
  return path.length === 0 ? capital(message) : l10n.t`${name}: ${message}`;
}

/** Returns whether values of this type are single words, which become strings if quoted. */
function isBareWord(type: string): boolean {
  return ['number', 'boolean', 'null'].includes(type);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Checked {
  readonly problems: readonly ManifestProblem[];
  readonly environment?: { readonly name: string } | undefined;
}

/** Returns the problems that a part has in the chosen environment. */
export function problemsOfChosen({ problems, environment }: Checked): readonly ManifestProblem[] {
  return problems.filter(({ environments }) => !environments || environments.includes(environment?.name ?? ''));
}
