import { parentPort } from 'node:worker_threads';
import { JobRequest } from '../../contract/job.ts';
import type { Violation } from '../../contract/violation.ts';
import { LARGE_BYTES } from '../domain/largeJson.ts';
import { parseBody } from '../http/jsonBody.ts';
import { parseResult } from './workerResult.ts';

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

function answerTo(question: BodyQuestion): BodyAnswer {
  try {
    const { buffer, byteOffset, byteLength } = question.bytes;
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
    // Frees the memory now instead of at a later garbage collection, because the text and its copies are as large.
    (buffer as ArrayBuffer).transfer(0);
    if (question.kind === 'result') {
      const { status, output, error, stopPod } = parseResult(text);
      return withoutLarge({ status, output, error, stopPod }, 'output');
    }
    const parsed = parseBody(text, JobRequest, question.invalid);
    return 'value' in parsed ? withoutLarge(parsed.value as Record<string, unknown>, 'input') : parsed;
  } catch (error) {
    return { unexpectedError: (error as Error).stack ?? String(error) };
  }
}

/** Replaces a member that is large by its text. */
function withoutLarge(value: Record<string, unknown>, name: string): BodyAnswer {
  // A value that is not serialized here is copied to the main thread as an object.
  const text = value[name] === undefined ? undefined : Buffer.from(JSON.stringify(value[name]));
  if (text === undefined || text.byteLength < LARGE_BYTES) return { value };
  return { value: { ...value, [name]: null }, large: new Uint8Array(text.buffer, text.byteOffset, text.byteLength) };
}
