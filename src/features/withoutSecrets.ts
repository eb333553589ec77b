import { ApiError } from '../client/apiError.ts';
import { parseFieldError } from '../contract/fieldError.ts';

/* Removal of secret values from errors, because a server can repeat a value of its request. */

const MARK = '…';
/** Length of the fragments of a long value that are recognized, in UTF-16 code units. A server can repeat only a part of a value. */
const FRAGMENT = 8;
/** Longest text that is examined. The rest is cut. */
const LONGEST_TEXT = 400_000;

/** Returns an error without secret values. The cause is omitted, because it contains the response. */
export function withoutSecrets(error: ApiError, secrets: readonly string[]): ApiError {
  const hide = hiderOf(secrets);
  const { operation, status, code, source, title, retryAfterMs, jobId } = error;
  return new ApiError(error.kind, hide.all(error.message), {
    operation,
    status,
    code,
    source,
    title: title === undefined ? undefined : hide.all(title),
    errors: error.errors.map((entry) => hideInEntry(entry, hide)),
    retryAfterMs,
    jobId,
  });
}

/** Returns text without secret values, and without fragments of long ones. Takes linear time. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secretHider(secrets)(text);
}

/** Returns `hideSecrets` for many texts, which examines the secrets once. */
export function secretHider(secrets: readonly string[]): (text: string) => string {
  return hiderOf(secrets).all;
}

interface Hider {
  readonly all: (text: string) => string;
  /** Hides only long values. */
  readonly long: (text: string) => string;
}

/** Keeps the path of an entry, which names a field, unless it contains a long value. */
function hideInEntry(entry: string, { all, long }: Hider): string {
  const message = parseFieldError(entry)?.data.message;
  if (message === undefined) return all(entry);
  return long(entry.slice(0, entry.length - message.length)) + all(message);
}

function hiderOf(secrets: readonly string[]): Hider {
  const fragments = new Set<string>();
  const short = new Set<string>();
  for (const value of new Set(secrets))
    for (const form of formsOf(value)) {
      if (form.length < FRAGMENT) short.add(form);
      for (let at = 0; at + FRAGMENT <= form.length; at++) fragments.add(form.slice(at, at + FRAGMENT));
    }
  const long = (text: string) => hideFragments(cut(text), fragments);
  const pattern = patternOf(short);
  return { long, all: (text) => (pattern ? long(text).replace(pattern, MARK) : long(text)) };
}

/** Returns a value as a server can write it: unchanged, on one line, or as part of JSON, a URL, or Base64. */
function formsOf(value: string): readonly string[] {
  if (value.trim() === '') return [];
  const text = value.toWellFormed();
  return [
    ...[text, text.trim(), text.replaceAll(/\s+/g, ' '), JSON.stringify(text).slice(1, -1)],
    ...[encodeURIComponent(text), Buffer.from(text).toString('base64').replace(/=+$/, '')],
  ];
}

function hideFragments(text: string, fragments: ReadonlySet<string>): string {
  if (fragments.size === 0) return text;
  let result = '';
  let kept = 0;
  let hiddenTo = -1;
  for (let at = 0; at + FRAGMENT <= text.length; at++) {
    if (!fragments.has(text.slice(at, at + FRAGMENT))) continue;
    if (at > hiddenTo) result += text.slice(kept, at) + MARK;
    hiddenTo = at + FRAGMENT;
    kept = hiddenTo;
  }
  return result + text.slice(kept);
}

/** Returns a pattern for short values. They must be whole words, because one letter would hide most of a message. */
function patternOf(values: ReadonlySet<string>): RegExp | undefined {
  if (values.size === 0) return undefined;
  const longestFirst = [...values].sort((a, b) => b.length - a.length).map(wholeWord);
  return new RegExp(longestFirst.join('|'), 'g');
}

function wholeWord(value: string): string {
  const escaped = value.replaceAll(/[^\w\s]/g, '\\$&');
  return `${/^\w/.test(value) ? '(?<!\\w)' : ''}${escaped}${/\w$/.test(value) ? '(?!\\w)' : ''}`;
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) + MARK : text;
}
