import { JobRequest } from '../../contract/job.ts';
import { checkShape } from '../../contract/shapeCheck.ts';
import { parsePositionedJson } from './positionedJson.ts';

/** The body of a job, or why a text is none and where that shows. */
export type JobInput =
  | { readonly body: JobRequest; readonly problem?: undefined }
  | { readonly body?: undefined; readonly problem: string; readonly offset: number };

/** Reads a job file: the body of a job, `{ "input": …, "policy"?: … }`. */
export function readJobFile(text: string): JobInput {
  if (text.trim() === '') return { problem: 'it is empty: a job file holds { "input": … }', offset: 0 };
  const json = parsePositionedJson(text);
  if ('error' in json) return { problem: `it is not JSON: ${json.error}`, offset: json.offset };
  const { value, offsetOf } = json;
  if (typeof value !== 'object' || value === null || !('input' in value))
    return { problem: 'it has no "input": a job file holds { "input": … }', offset: offsetOf([]) };
  return checked(value, offsetOf);
}

/** Reads what a person typed: the input itself, or a whole job body. */
export function readTypedInput(text: string): JobInput {
  if (text.trim() === '') return { problem: 'An input is needed, such as {"prompt": "hello"}', offset: 0 };
  const json = parsePositionedJson(text);
  if ('error' in json) return { problem: `Not JSON, character ${json.offset + 1}: ${json.error}`, offset: json.offset };
  const { value, offsetOf } = json;
  return isBody(value) ? checked(value, offsetOf) : checked({ input: value }, () => 0);
}

/** Whether a value can be the input of a job. Workers accept only objects, not arrays or primitive values. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members of a job body. */
const BODY_MEMBERS = Object.keys(JobRequest.shape);

/** Whether this is a body rather than an input: wrapping it once more is what nobody means. */
function isBody(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || !('input' in value)) return false;
  return Object.keys(value).every((name) => BODY_MEMBERS.includes(name));
}

function checked(value: object, offsetOf: (path: readonly (string | number)[]) => number): JobInput {
  const unknown = Object.keys(value).find((name) => !BODY_MEMBERS.includes(name));
  if (unknown !== undefined) return { problem: `unknown property '${unknown}'`, offset: offsetOf([unknown]) };
  if ('input' in value && !isObject(value.input))
    return { problem: 'input: must be an object, such as {"prompt": "hello"}', offset: offsetOf(['input']) };
  const { data: body, violations } = checkShape(JobRequest, value);
  if (body) return { body };
  const [{ path, message }] = violations;
  return { problem: `${path.join('.')}: ${message}`, offset: offsetOf(path) };
}

/** Warns about an input that is valid but probably not intended. */
export function inputWarning({ input }: JobRequest): string | undefined {
  const isEmpty = Object.keys(input).length === 0;
  return isEmpty ? 'An empty input is dropped by hosted platforms: the worker sees a job without one.' : undefined;
}

/** What a person typed is read as a whole body. */
export function isWholeBody(text: string): boolean {
  const json = parsePositionedJson(text);
  return !('error' in json) && isBody(json.value);
}

/** Line and column, from 1, of an offset. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** A job body in a line, for lists. */
export function preview({ input, ...rest }: JobRequest, length = 80): string {
  const text = JSON.stringify(Object.keys(rest).length > 0 ? { input, ...rest } : input);
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** What a new job file starts with. */
export const jobFileTemplate = `{
  "input": {
    "prompt": "hello"
  }
}
`;
