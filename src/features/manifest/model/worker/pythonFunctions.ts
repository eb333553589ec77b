/* Python functions that could handle jobs. */

/** A top-level function with exactly one required parameter. */
export interface PythonFunction {
  readonly name: string;
  /** Offset of the line that begins with `def` or `async def`. */
  readonly start: number;
  /** Offset after the body. */
  readonly end: number;
  /** Name of the required parameter. */
  readonly parameter: string;
  /** Type of the required parameter, as it is written. */
  readonly annotation: string | undefined;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  /** Whether the function looks like a handler: it receives a job, rather than a value of its input. */
  readonly isHandler: boolean;
  /** Members of the input that the body reads, with their defaults if they are literals. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Maximum length of a signature and of a body that are read, in UTF-16 code units. */
const MAX_SIGNATURE = 2_000;
const MAX_BODY = 50_000;
const MAX_FUNCTIONS = 500;

const DEFINITION = /^(async[ \t]+)?def[ \t]+([A-Za-z_]\w*)[ \t]*\(/gm;
const JOB_PARAMETERS = ['job', 'event'];

/** Returns the functions of a Python file that could handle jobs. Functions with decorators belong to a framework. Takes linear time. */
export function pythonFunctions(text: string): PythonFunction[] {
  const found: PythonFunction[] = [];
  for (const match of text.matchAll(DEFINITION)) {
    if (found.length === MAX_FUNCTIONS) break;
    const [head, isAsync, name = ''] = match;
    const start = match.index;
    const signature = signatureAt(text, start + head.length);
    if (!signature || hasDecorator(text, start)) continue;
    const required = parametersIn(signature.text).filter(isRequired);
    const [only] = required;
    const [, parameter = '', annotation] = /^([A-Za-z_]\w*)\s*(?::\s*([^]*))?$/.exec(only ?? '') ?? [];
    if (required.length !== 1 || parameter === '') continue;
    const end = bodyEnd(text, signature.end);
    const body = text.slice(signature.end, end).replaceAll(/(^|\s)#.*$/gm, '');
    found.push({
      ...{ name, start, end, parameter, annotation: annotation?.trim() },
      isAsync: isAsync !== undefined,
      isGenerator: /(^|[\s(=])yield\b/.test(body),
      isHandler: name === 'handler' || JOB_PARAMETERS.includes(parameter),
      input: inputIn(body),
    });
  }
  return found;
}

/** Returns the parameters after an opening parenthesis, and the offset after the closing one. */
function signatureAt(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const limit = Math.min(text.length, start + MAX_SIGNATURE);
  let depth = 1;
  for (let offset = start; offset < limit; offset++) {
    const character = text.charAt(offset);
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (depth === 0) return { text: text.slice(start, offset), end: offset + 1 };
  }
  return undefined;
}

/** Splits parameters at the commas that are not in brackets. */
function parametersIn(signature: string): string[] {
  const parameters: string[] = [];
  let depth = 0;
  let from = 0;
  for (let offset = 0; offset <= signature.length; offset++) {
    const character = signature.charAt(offset);
    if ('([{'.includes(character) && character !== '') depth++;
    else if (')]}'.includes(character) && character !== '') depth--;
    if ((character === ',' && depth === 0) || character === '') {
      parameters.push(
        signature
          .slice(from, offset)
          .replaceAll(/(^|\s)#.*$/gm, '')
          .trim(),
      );
      from = offset + 1;
    }
  }
  return parameters.filter((parameter) => parameter !== '');
}

function isRequired(parameter: string): boolean {
  return !/^[*/]/.test(parameter) && !parameter.replaceAll(/[=!<>]=/g, '').includes('=');
}

function hasDecorator(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 300), start).trimEnd();
  const line = before.slice(before.lastIndexOf('\n') + 1);
  // A decorator with several lines ends with its parenthesis.
  return /^(@|\s*\))/.test(line);
}

/** Returns the offset of the next line without an indentation. */
function bodyEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + MAX_BODY);
  const next = text.slice(start, limit).search(/\n(?=[^\s#)])/);
  return next < 0 ? limit : start + next + 1;
}

const MEMBER = /(?<!environ)(?:\[\s*|\.get\(\s*)(["'])([A-Za-z_]\w*)\1(?:\s*,\s*([^,()[\]{}\n]{1,80}))?\s*[\])]/g;
const MAX_MEMBERS = 20;

/** Returns the members of the input that a body reads, such as in `job["input"]["prompt"]` and `input.get("steps", 20)`. */
function inputIn(body: string): Record<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [, , name = '', fallback] of body.matchAll(MEMBER)) {
    if (name === 'input' || name === 'id' || members.has(name) || members.size === MAX_MEMBERS) continue;
    members.set(name, literal(fallback) ?? EXAMPLE);
  }
  return Object.fromEntries(members);
}

/** A text for a member without a default. */
export const EXAMPLE = 'Hello';

/** Returns the value of a Python literal: a number, a text, or a Boolean value. */
function literal(text: string | undefined): unknown {
  const trimmed = text?.trim() ?? '';
  if (trimmed === 'True' || trimmed === 'False') return trimmed === 'True';
  if (/^-?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  return /^(["'])([^"'\\]*)\1$/.exec(trimmed)?.[2];
}
