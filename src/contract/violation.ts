import { controlWords } from './violations/controlWords.ts';
import { endpointWords } from './violations/endpointWords.ts';
import { manifestWords } from './violations/manifestWords.ts';
import { requestWords } from './violations/requestWords.ts';
import { ruleWords } from './violations/ruleWords.ts';
import { shapeWords } from './violations/shapeWords.ts';

const words = { ...shapeWords, ...ruleWords, ...endpointWords, ...requestWords, ...controlWords, ...manifestWords };

export type ViolationCode = keyof typeof words;

/** Data of a code. An empty object if the code needs none. */
export type ViolationData<Code extends ViolationCode> =
  Parameters<(typeof words)[Code]> extends [infer Data] ? Data : Readonly<Record<string, never>>;

/** A rule that a value breaks. Programs decide on `code` and `data`; `message` is for people. */
export type BrokenRule<Code extends ViolationCode = ViolationCode> = {
  readonly [Each in Code]: { readonly code: Each; readonly data: ViolationData<Each>; readonly message: string };
}[Code];

/** Path of a field, from the root of the body. */
export type Path = readonly (string | number)[];

/** A field of a body that breaks a rule. */
export type FieldError<Code extends ViolationCode = ViolationCode> = BrokenRule<Code> & { readonly path: Path };

/** A broken rule of a body, with its path and the HTTP status of the response. */
export type Violation = FieldError & { readonly status: 400 | 404 | 422 };

export function brokenRule<Code extends ViolationCode>(code: Code, data: ViolationData<Code>): BrokenRule<Code> {
  const wordsOf = words[code] as (data: ViolationData<Code>) => string;
  return { code, data, message: wordsOf(data) };
}

export function fieldError<Code extends ViolationCode>(
  path: Path,
  code: Code,
  data: ViolationData<Code>,
): FieldError<Code> {
  return { path, ...brokenRule(code, data) };
}

export function violation<Code extends ViolationCode>(
  path: Path,
  code: Code,
  data: ViolationData<Code>,
  status: Violation['status'] = 400,
): Violation {
  return { ...(fieldError(path, code, data) as FieldError), status };
}

/** Formats a path as in the `errors` of a problem, such as `$.workers.min`. */
export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, segment) => text + (typeof segment === 'number' ? `[${segment}]` : `.${segment}`),
    '$',
  );
}

/** Formats a violation as an entry of a problem's `errors`. */
export function formatViolation({ path, message }: FieldError): string {
  return `${formatPath(path)}: ${message}`;
}
