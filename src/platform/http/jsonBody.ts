import type * as z from 'zod';
import { checkShape } from '../../contract/shapeCheck.ts';
import { violation, type Violation } from '../../contract/violation.ts';
import { LARGE_BYTES, largeBuffer } from '../domain/largeJson.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Exchange } from './exchange.ts';

export type ParsedBody = { readonly value: unknown } | { readonly violations: readonly Violation[] };

/** Parses a body. @param invalid status of an invalid body */
export function parseJson(text: string, invalid: Violation['status'] | undefined): ParsedBody {
  try {
    const value: unknown = JSON.parse(text);
    if (!isTooDeep(text)) return { value };
  } catch (error) {
    if (text.trim() === '') return { violations: [violation([], 'bodyMissing', {}, invalid)] };
    return { violations: [violation([], 'notJson', { message: (error as Error).message }, invalid)] };
  }
  return { violations: [violation([], 'tooDeep', { maximum: MAX_DEPTH }, invalid)] };
}

/** Parses a body that matches a schema. */
export function parseBody(text: string, schema: z.ZodType, invalid: Violation['status'] | undefined): ParsedBody {
  const parsed = parseJson(text, invalid);
  if ('violations' in parsed) return parsed;
  const { data, violations } = checkShape(schema, parsed.value, invalid);
  return violations.length > 0 ? { violations } : { value: data };
}

/**
 * Maximum nesting of JSON values. Serialization is recursive, and a stack overflow would fail the whole transaction that stores the value.
 */
const MAX_DEPTH = 1_000;

/** @param json a text that is valid JSON */
function isTooDeep(json: string): boolean {
  // Each level has two brackets.
  if (json.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Returns the position of the quotation mark that closes the string at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/** Start of a progress report from an SDK. It distinguishes a report from a result if the text is not valid JSON. */
const PROGRESS = /^\s*\{\s*"status"\s*:\s*"IN_PROGRESS"/;

/** Parses the result of a worker. An unreadable result becomes an `error` that fails the job. */
export function parseResult(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(text)) return { error: `the worker's result is nested more than ${MAX_DEPTH} levels deep` };
    return typeof value === 'object' && value !== null ? { ...value } : { output: value };
  } catch (failure) {
    const hint = /\b(NaN|Infinity)\b/.test(text) ? ' (it contains NaN or Infinity, which JSON does not allow)' : '';
    const reason = `is not valid JSON${hint}: ${(failure as Error).message}`;
    if (PROGRESS.test(text)) return { status: 'IN_PROGRESS', error: `it ${reason}` };
    return { error: `the worker's result ${reason}` };
  }
}

/** Reads the body as text. @throws Refusal 413 as `readBytes` does */
export async function readBody(exchange: Exchange, maxBytes: number): Promise<string> {
  return (await readBytes(exchange, maxBytes)).toString('utf8');
}

/**
 * Reads the body from Node's own stream. A web stream would cost more than the rest of a small request.
 *
 * @throws Refusal 413, or the status `tooLarge`, for a body of more than `maxBytes` bytes. Such a body is never in memory as a whole.
 */
export function readBytes({ incoming }: Exchange, maxBytes: number, tooLarge: 400 | 413 = 413): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = (): void => reject(new Refusal(tooLarge, `the body is larger than ${maxBytes} bytes`));
    const declared = Number(incoming.headers['content-length'] ?? 0);
    if (declared > maxBytes) {
      refuse();
      return;
    }
    // A large body is written into one buffer as it arrives, because its chunks would stay in memory until a garbage collection.
    const large = declared >= LARGE_BYTES ? largeBuffer(declared) : undefined;
    const onData = (chunk: Buffer): void => {
      const { byteLength } = chunk;
      if (large) {
        chunk.copy(large, bytes);
        // Frees the memory now. Node.js has copied the chunk into a buffer of its own.
        if (byteLength === chunk.buffer.byteLength) (chunk.buffer as ArrayBuffer).transfer(0);
      } else chunks.push(chunk);
      bytes += byteLength;
      if (bytes <= maxBytes) return;
      // The server discards the rest of the body after its response.
      incoming.off('data', onData).pause();
      chunks.length = 0;
      refuse();
    };
    incoming.on('data', onData);
    incoming.once('end', () => resolve(large ?? Buffer.concat(chunks)));
    incoming.once('error', () => reject(new Refusal(400, 'the connection closed before the end of the body')));
  });
}
