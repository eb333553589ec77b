import { controlWords } from './violations/controlWords.ts';
import { endpointWords } from './violations/endpointWords.ts';
import { manifestWords } from './violations/manifestWords.ts';
import { requestWords } from './violations/requestWords.ts';
import { ruleWords } from './violations/ruleWords.ts';
import { shapeWords } from './violations/shapeWords.ts';
import { type Wording, words, type Words } from './words.ts';

/** A broken rule of any code, as data of another one. */
interface Reason {
  readonly code: string;
  readonly data: object;
  readonly message: string;
}

const wordings = {
  ...shapeWords,
  ...ruleWords,
  ...endpointWords,
  ...requestWords,
  ...controlWords,
  ...manifestWords,
  /** @param data `reasons` has the violation of each allowed shape */
  noAlternative: ({ reasons }: { readonly reasons: readonly Reason[] }): Words | string => {
    const different = new Map(reasons.map((reason) => [reason.message, wordsOf(reason as BrokenRule)]));
    const [first, ...others] = different.values();
    if (first === undefined) return words`does not match any allowed shape`;
    return others.reduce<Words | string>((all, other) => words`${all}, or ${other}`, first);
  },
};

export type ViolationCode = keyof typeof wordings;

/** Data of a code. An empty object if the code needs none. */
export type ViolationData<Code extends ViolationCode> =
  Parameters<(typeof wordings)[Code]> extends [infer Data] ? Data : Readonly<Record<string, never>>;

/** A rule that a value breaks. Programs decide on `code` and `data`; `message` is for people, in English. */
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
  return { code, data, message: String(wordsOf({ code, data })) };
}

/** Returns the message of a rule in a form that an editor can translate. */
export function wordsOf({ code, data }: { readonly code: ViolationCode; readonly data: unknown }): Words | string {
  return (wordings[code] as Wording<unknown>)(data);
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
