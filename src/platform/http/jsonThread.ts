import { parentPort } from 'node:worker_threads';
import { JobRequest } from '../../contract/job.ts';
import type { Violation } from '../../contract/violation.ts';
import { LARGE_BYTES, largeBuffer } from '../domain/largeJson.ts';
import { parseBody, type ParsedBody, parseResult } from './jsonBody.ts';

/* Entry point of the thread that parses large bodies, and keeps the main thread free for other requests. */

/** A body. Results need no schema. */
export type BodyQuestion =
  | { readonly kind: 'request'; readonly bytes: Uint8Array; readonly invalid: Violation['status'] | undefined }
  | { readonly kind: 'result'; readonly bytes: Uint8Array };

/** A parsed body. `large` is the text of a member that is missing in `value`. */
export type BodyAnswer =
  | { readonly value: Record<string, unknown> }
  | { readonly value: Record<string, unknown>; readonly large: Uint8Array }
  | { readonly violations: readonly Violation[] }
  | { readonly unexpectedError: string };

parentPort?.on('message', (question: BodyQuestion) => {
  const answer = answerTo(question);
  const transferred = 'large' in answer ? [answer.large.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, transferred);
});

/** Number of bytes that are decoded at once. V8 keeps longer texts outside of its heap, and frees their memory much later. */
const DECODED_BYTES = 262_144;

function answerTo(question: BodyQuestion): BodyAnswer {
  try {
    const parsed = parsedOf(question);
    if ('violations' in parsed) return parsed;
    return withoutLarge(parsed.value as Record<string, unknown>, question.kind === 'result' ? 'output' : 'input');
  } catch (error) {
    return { unexpectedError: (error as Error).stack ?? String(error) };
  }
}

/** A function of its own, so that the text is garbage when it returns. */
function parsedOf(question: BodyQuestion): ParsedBody {
  const text = textOf(question.bytes);
  // Frees the memory now instead of at a later garbage collection, because the text and its copies are as large.
  (question.bytes.buffer as ArrayBuffer).transfer(0);
  if (question.kind === 'request') return parseBody(text, JobRequest, question.invalid);
  const { status, output, error, stopPod } = parseResult(text);
  return { value: { status, output, error, stopPod } };
}

function textOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += DECODED_BYTES)
    text += decoder.decode(bytes.subarray(at, at + DECODED_BYTES), { stream: true });
  return text + decoder.decode();
}

/** Replaces a member that is large by its text. */
function withoutLarge(value: Record<string, unknown>, name: string): BodyAnswer {
  // A value that is not serialized here is copied to the main thread as an object.
  const text = value[name] === undefined ? '' : JSON.stringify(value[name]);
  const byteLength = Buffer.byteLength(text);
  if (byteLength < LARGE_BYTES) return { value };
  const large = largeBuffer(byteLength);
  large.write(text);
  return { value: { ...value, [name]: null }, large: new Uint8Array(large.buffer) };
}
