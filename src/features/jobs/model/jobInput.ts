import * as l10n from '@vscode/l10n';
import { JobRequest, MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../../contract/job.ts';
import { checkShape } from '../../../contract/shapeCheck.ts';
import type { JobFile } from '../../../contract/jobFile.ts';
import { ruleMessage } from '../../../account/contractText.ts';
import { parsePositionedJson } from './positionedJson.ts';

/** The body of a job, or a problem in a text and its offset in UTF-16 code units. */
type JobInput =
  | { readonly body: JobRequest; readonly problem?: undefined }
  | { readonly body?: undefined; readonly problem: string; readonly offset: number };

/** Reads typed text: the input itself or a whole job body. */
export function readTypedInput(text: string): JobInput {
  if (text.trim() === '') return { problem: l10n.t('Enter an input, such as {"prompt": "hello"}'), offset: 0 };
  const json = parsePositionedJson(text);
  if ('error' in json)
    return { problem: l10n.t`Invalid JSON at character ${json.offset + 1}: ${json.error}`, offset: json.offset };
  const { value, spanOf } = json;
  const offsetOf = (path: readonly (string | number)[]) => spanOf(path).start;
  return isBody(value) ? checked(value, offsetOf) : checked({ input: value }, () => 0);
}

/** Returns whether a value can be the input of a job. Workers accept only objects, not arrays or primitive values. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members of a job body. */
const BODY_MEMBERS = Object.keys(JobRequest.shape);

/** Returns whether a value is a whole body and not only an input. A body must not be wrapped in another one. */
export function isBody(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || !('input' in value)) return false;
  return Object.keys(value).every((name) => BODY_MEMBERS.includes(name));
}

/** Checks a body against the schema. @param offsetOf returns the offset of a member, for problems */
export function checked(value: object, offsetOf: (path: readonly (string | number)[]) => number): JobInput {
  const unknown = Object.keys(value).find((name) => !BODY_MEMBERS.includes(name));
  if (unknown !== undefined) return { problem: l10n.t`unknown property '${unknown}'`, offset: offsetOf([unknown]) };
  if ('input' in value && !isObject(value.input))
    return { problem: l10n.t('input: must be an object, such as {"prompt": "hello"}'), offset: offsetOf(['input']) };
  const { data: body, violations } = checkShape(JobRequest, value);
  if (body) return { body };
  const [violation] = violations;
  const { path } = violation;
  return { problem: l10n.t`${path.join('.')}: ${ruleMessage(violation)}`, offset: offsetOf(path) };
}

/** Warns about an input that is valid but probably not intended. */
export function inputWarning({ input }: JobRequest): string | undefined {
  const isEmpty = Object.keys(input).length === 0;
  return isEmpty
    ? l10n.t('Hosted platforms drop an empty input, so the worker receives a job without an input.')
    : undefined;
}

/** Returns whether typed text is a whole body and not only an input. */
export function isWholeBody(text: string): boolean {
  const json = parsePositionedJson(text);
  return !('error' in json) && isBody(json.value);
}

/** Returns the line and column of an offset, both from 1. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** Returns a job body in one line, for lists. */
export function preview({ input, ...rest }: JobRequest, length = 80): string {
  const text = JSON.stringify(Object.keys(rest).length > 0 ? { input, ...rest } : input);
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Request in a new job file. */
export const templateRequest: JobRequest = { input: { prompt: 'hello' } };

/** Returns the text of a job file. */
export function jobFileText(file: JobFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Ways to send a request: `run` returns at once, and `runSync` waits for the result. */
export type RunKind = 'run' | 'runSync';

/** A request that the platform refuses because of its size. Sizes are in bytes. */
export interface SizeProblem {
  readonly code: 'tooLarge';
  readonly kind: RunKind;
  readonly bytes: number;
  readonly limit: number;
}

const LIMITS: Readonly<Record<RunKind, number>> = { run: MAX_RUN_BYTES, runSync: MAX_RUN_SYNC_BYTES };

/** Returns the size of the body that is sent, in bytes. */
export function bodyBytes(request: JobRequest): number {
  return Buffer.byteLength(JSON.stringify(request));
}

/** Returns the problem of a request that exceeds the limit of its kind, or undefined. */
export function sizeProblem(request: JobRequest, kind: RunKind): SizeProblem | undefined {
  return sizeProblemOf(bodyBytes(request), kind);
}

/** Returns the problem of a body with this size, or undefined. */
export function sizeProblemOf(bytes: number, kind: RunKind): SizeProblem | undefined {
  const limit = LIMITS[kind];
  return bytes > limit ? { code: 'tooLarge', kind, bytes, limit } : undefined;
}
