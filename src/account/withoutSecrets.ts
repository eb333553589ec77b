import { ApiError } from '../client/apiError.ts';
import { parseFieldError } from '../contract/fieldError.ts';

/*
 * Removal of secret values from errors and from results for agents, because a server can repeat a value of its request. "What an agent
 * cannot do" in docs/agents.md lists the forms of a value that are removed.
 */

const MARK = '…';
/** Length of the fragments of a long form that are recognized, in UTF-16 code units. A server can repeat only a part of a value. */
const FRAGMENT = 8;
/**
 * Shortest form that is recognized inside a longer word, and with other capitals. Shorter ones occur in ordinary words, so they must be
 * whole words.
 */
const SHORTEST_PART = 6;

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
  /** Hides only long forms. */
  readonly long: (text: string) => string;
}

/** Keeps the path of an entry, which names a field, unless it contains a long value. */
function hideInEntry(entry: string, { all, long }: Hider): string {
  const message = parseFieldError(entry)?.data.message;
  if (message === undefined) return all(entry);
  return long(entry.slice(0, entry.length - message.length)) + all(message);
}

function hiderOf(secrets: readonly string[]): Hider {
  const parts = new Set<string>();
  const words = new Set<string>();
  for (const value of new Set(secrets)) {
    if (value.trim() === '') continue;
    for (const form of [...writtenForms(value.toWellFormed()), ...encodedForms(value)]) {
      if (form.length < SHORTEST_PART) words.add(form);
      else for (const part of partsOf(lowerCase(form))) parts.add(part);
    }
  }
  const partAt = finder(parts);
  const wordAt = finder(words, isWholeWord);
  return {
    long: (text) => hide(text, (folded, at) => (parts.has(folded.slice(at, at + FRAGMENT)) ? FRAGMENT : 0)),
    all: (text) => hide(text, (folded, at) => partAt(folded, at) || wordAt(text, at)),
  };
}

/** Returns the fragments of a long form, or a shorter form itself. */
function partsOf(form: string): readonly string[] {
  const count = Math.max(1, form.length - FRAGMENT + 1);
  return Array.from({ length: count }, (_, at) => form.slice(at, at + FRAGMENT));
}

/** Returns a value as a server can write it: unchanged, on one line, or as part of JSON or a URL. */
function writtenForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  const strict = url.replaceAll(/[!'()*]/g, (sign) => `%${hexOf(sign, 2).toUpperCase()}`);
  const query = new URLSearchParams([['', text]]).toString().slice(1);
  const percent = [...[url, strict].flatMap((form) => [form, form.replaceAll('%2F', '/')]), query];
  return [
    ...[text, text.trim(), text.replaceAll(/\s+/g, ' ')],
    ...[json, json.replaceAll('/', '\\/')].flatMap((form) => [form, asciiOnly(form)]),
    ...percent.flatMap((form) => [form, form.replaceAll(/%../g, lowerCase)]),
  ];
}

/** Returns the parts of hexadecimal and Base64 text that a value determines. */
function encodedForms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase(), ...base64Forms(bytes, 'base64'), ...base64Forms(bytes, 'base64url')];
}

/**
 * Returns the Base64 characters that bytes determine alone, at each of the three alignments of other bytes before them. Each form appears
 * a second time with the character that contains the last bits at the end of the data.
 */
function base64Forms(bytes: Uint8Array, alphabet: 'base64' | 'base64url'): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const data = Buffer.concat([new Uint8Array(before), bytes]);
    const atEnd = data
      .toString(alphabet)
      .replace(/=+$/, '')
      .slice(Math.ceil((before * 8) / 6));
    return (data.length * 8) % 6 === 0 ? [atEnd] : [atEnd, atEnd.slice(0, -1)];
  });
}

/** Escapes all characters that are not ASCII, as some writers of JSON do. */
function asciiOnly(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${hexOf(unit, 4)}`);
}

function hexOf(unit: string, digits: number): string {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** Changes only ASCII letters, so that the length stays the same. */
function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Replaces parts of a text. @param lengthAt returns the length of the part that begins at a position, or 0 */
function hide(text: string, lengthAt: (folded: string, at: number) => number): string {
  const folded = lowerCase(text);
  let result = '';
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const length = lengthAt(folded, at);
    if (length === 0) continue;
    if (at > kept || result === '') result += text.slice(kept, at) + MARK;
    kept = Math.max(kept, at + length);
  }
  return result + text.slice(kept);
}

/** Returns a function that measures the longest of the forms at a position, or returns 0. An empty form has no effect. Takes constant time for a position. */
function finder(
  forms: ReadonlySet<string>,
  isAllowed: (text: string, start: number, end: number) => boolean = () => true,
): (text: string, at: number) => number {
  const beginnings = new Set([...forms].map((form) => form.charAt(0)));
  const lengths = [...new Set([...forms].map(({ length }) => length))].sort((a, b) => b - a);
  return (text, at) => {
    if (!beginnings.has(text.charAt(at))) return 0;
    const isForm = (length: number): boolean =>
      forms.has(text.slice(at, at + length)) && isAllowed(text, at, at + length);
    return lengths.find(isForm) ?? 0;
  };
}

function isWholeWord(text: string, start: number, end: number): boolean {
  const isInside = (at: number): boolean => /^\w\w$/.test(text.slice(Math.max(0, at - 1), at + 1));
  return !isInside(start) && !isInside(end);
}
