import * as l10n from '@vscode/l10n';
import { JobFile, jobRequestOf } from '../../../contract/jobFile.ts';
import type { JobRequest } from '../../../contract/job.ts';
import { checkShape } from '../../../contract/shapeCheck.ts';
import type { FieldError, ViolationCode } from '../../../contract/violation.ts';
import { ruleMessage } from '../../../account/contractText.ts';
import { withSuggestion } from '../../../text/suggestion.ts';
import type { Span } from '../../../text/span.ts';
import { dataSize } from '../../../text/quantities.ts';
import { inputWarning, bodyBytes, sizeProblemOf, type SizeProblem } from './jobInput.ts';
import { parseCommentedJson, type PositionedJson } from './positionedJson.ts';

/** Codes of problems that are not violations of the contract. */
export type JobFileCode =
  | 'syntax'
  | 'emptyFile'
  | 'emptyInput'
  | 'tooLarge'
  | 'notChecked'
  | 'schemaFile'
  | 'inputSchema'
  | 'reference'
  /** The check of the input was stopped at its time limit. */
  | 'stopped'
  | 'duplicateKey';

/** A problem at a place in the text of a job file. Programs decide on `code` and `violation`. */
export interface JobProblem extends Span {
  readonly code: ViolationCode | JobFileCode;
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'information';
  /** The broken rule with its path and data. */
  readonly violation?: FieldError;
  /** Set for `tooLarge`. */
  readonly size?: SizeProblem;
  /** Time limit of the check, in ms. Set for `stopped`. */
  readonly limitMs?: number;
}

/** Maximum number of reported violations. The search for the place of each takes linear time. */
const MAX_PROBLEMS = 100;

export type ParsedJobFile = Extract<PositionedJson, { value: unknown }>;

export interface CheckedJobFile {
  readonly text: string;
  /** Undefined for a text with a syntax error. */
  readonly parsed?: ParsedJobFile | undefined;
  /** The member `endpoint`, also of a file with errors. */
  readonly endpoint: string | undefined;
  /** The file and its request. Undefined for a file with errors. */
  readonly file?: JobFile | undefined;
  readonly request?: JobRequest | undefined;
  readonly problems: readonly JobProblem[];
}

/** A job file, or its first problem and the offset of the problem in UTF-16 code units. */
export type ReadJobFile =
  | { readonly file: JobFile; readonly body: JobRequest; readonly problem?: undefined }
  | { readonly file?: undefined; readonly body?: undefined; readonly problem: string; readonly offset: number };

/** Reads a job file: JSON with comments, which contains the body of a job, its endpoint, and expectations. */
export function readJobFile(text: string): ReadJobFile {
  const { file, request, problems } = checkShapeOf(text);
  if (file && request) return { file, body: request };
  const [first] = problems;
  return { problem: first?.message ?? '', offset: first?.start ?? 0 };
}

/** Checks the text of a job file with the rules of the contract, and the size of its request. */
export function checkJobFile(text: string): CheckedJobFile {
  const checked = checkShapeOf(text);
  const { parsed, request } = checked;
  if (!parsed || !request) return checked;
  const problems: JobProblem[] = [];
  const warning = inputWarning(request);
  if (warning !== undefined)
    problems.push({ ...parsed.spanOf(['input']), code: 'emptyInput', message: warning, severity: 'warning' });
  const size = sizeFinding(request);
  if (size) problems.push({ ...keyOrValue(parsed, ['input']), ...size });
  return { ...checked, problems };
}

/** Checks the text of a job file with the rules of the contract. */
function checkShapeOf(text: string): CheckedJobFile {
  const broken = (code: 'syntax' | 'emptyFile', message: string, at: number): CheckedJobFile => ({
    text,
    endpoint: undefined,
    problems: [{ ...visible(text, at), code, message, severity: 'error' }],
  });
  if (text.trim() === '')
    return broken('emptyFile', l10n.t('The file is empty: a job file contains { "input": … }'), 0);
  const parsed = parseCommentedJson(text);
  if ('error' in parsed) return broken('syntax', l10n.t`Invalid JSON: ${parsed.error}`, parsed.offset);
  const { value } = parsed;
  const named = (value as { endpoint?: unknown } | null)?.endpoint;
  const checked = { text, parsed, endpoint: typeof named === 'string' && named !== '' ? named : undefined };
  const { data: file, violations } = checkShape(JobFile, value);
  if (!file)
    return { ...checked, problems: violations.slice(0, MAX_PROBLEMS).map((violation) => problemOf(parsed, violation)) };
  return { ...checked, file, request: jobRequestOf(file), problems: [] };
}

function sizeFinding(request: JobRequest): Pick<JobProblem, 'code' | 'message' | 'severity' | 'size'> | undefined {
  const bytes = bodyBytes(request);
  const [forRun, forWait] = [sizeProblemOf(bytes, 'run'), sizeProblemOf(bytes, 'runSync')];
  if (forWait) {
    const message = l10n.t`The request has ${dataSize(bytes)}. A platform accepts at most ${dataSize(forWait.limit)}`;
    return { code: 'tooLarge', message, severity: 'error', size: forWait };
  }
  if (!forRun) return undefined;
  const message = l10n.t`The request has ${dataSize(bytes)}. Above ${dataSize(forRun.limit)}, only “Run and Wait” can send it`;
  return { code: 'tooLarge', message, severity: 'warning', size: forRun };
}

function problemOf(parsed: ParsedJobFile, violation: FieldError): JobProblem {
  const { code, path } = violation;
  const span =
    code === 'unknownField'
      ? keyOrValue(parsed, path)
      : code === 'missingField'
        ? firstCharacter(parsed.spanOf(path))
        : parsed.spanOf(path);
  return { ...span, code, message: sentence(violation), severity: 'error', violation };
}

function sentence(violation: FieldError): string {
  const { code, path, data } = violation;
  const message = ruleMessage(violation);
  const name = path.map(String).join('.');
  if (code === 'unknownField') return withSuggestion(l10n.t`Unknown property '${data.name}'`, data.name, data.known);
  if (code === 'missingField') return l10n.t`'${name}' is ${message}`;
  return name === '' ? l10n.t`A job file is an object: ${message}` : l10n.t`${name}: ${message}`;
}

/** Returns the key of a member, or the value for an item of a list. */
function keyOrValue({ keyOf, spanOf }: ParsedJobFile, path: FieldError['path']): Span {
  return keyOf(path) ?? spanOf(path);
}

function firstCharacter({ start }: Span): Span {
  return { start, end: start + 1 };
}

/** Returns the word at an offset, or one character, so that the underline is visible. */
function visible(text: string, at: number): Span {
  if (at >= text.length) return { start: Math.max(0, text.length - 1), end: text.length };
  const word = /^\w+/.exec(text.slice(at, at + 100))?.[0] ?? ' ';
  return { start: at, end: at + word.length };
}
