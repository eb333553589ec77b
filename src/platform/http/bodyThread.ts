import { Worker } from 'node:worker_threads';
import type { Violation } from '../../contract/violation.ts';
import { BytesJson, LARGE_BYTES } from '../domain/largeJson.ts';
import { type ParsedBody, parseResult } from './jsonBody.ts';
import type { Clock } from '../time/clock.ts';
import type { BodyAnswer, BodyQuestion } from './jsonThread.ts';

/** Idle time after which the thread ends to free its memory, in ms. */
const IDLE_MS = 10_000;
/** Heap limit of the thread, in megabytes. */
const MEMORY_MB = 1_024;

/** The entry point is in the same folder as this file, both in the sources and in the bundle. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './jsonThread.ts' : './jsonThread.js', import.meta.url);

/** A thread that parses large bodies, one at a time. It starts on demand, and ends when it is idle. */
export class BodyThread {
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #cancelIdle: (() => void) | undefined;
  /** Ends with the body that is parsed now. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Parses the request of a job, whose input stays as text if it is large. Takes over the memory of the bytes. */
  async request(bytes: Buffer, invalid: Violation['status'] | undefined): Promise<ParsedBody> {
    const answer = await this.#ask({ kind: 'request', bytes, invalid });
    return 'violations' in answer ? answer : { value: withLarge(answer, 'input') };
  }

  /** Parses the result of a worker, whose output stays as text if it is large. Takes over the memory of the bytes. */
  async result(bytes: Buffer): Promise<Record<string, unknown>> {
    if (bytes.byteLength < LARGE_BYTES) return parseResult(bytes.toString('utf8'));
    const answer = await this.#ask({ kind: 'result', bytes });
    if ('violations' in answer) throw new Error('a result has no schema');
    return withLarge(answer, 'output');
  }

  async close(): Promise<void> {
    this.#cancelIdle?.();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** Asks after the earlier bodies, so that at most one of them is in the memory of the thread. */
  #ask(question: BodyQuestion): Promise<Exclude<BodyAnswer, { unexpectedError: string }>> {
    const answer = this.#last.then(() => this.#answer(question));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #answer(question: BodyQuestion): Promise<Exclude<BodyAnswer, { unexpectedError: string }>> {
    this.#cancelIdle?.();
    const worker = (this.#worker ??= this.#start());
    const settled = new AbortController();
    try {
      const answer = await new Promise<BodyAnswer>((resolve, reject) => {
        const onMessage = (message: BodyAnswer): void => resolve(message);
        const onExit = (): void => reject(new Error('the thread that parses bodies ended'));
        worker.once('message', onMessage).once('error', reject).once('exit', onExit);
        settled.signal.addEventListener('abort', () =>
          worker.off('message', onMessage).off('error', reject).off('exit', onExit),
        );
        worker.postMessage(question, [question.bytes.buffer as ArrayBuffer]);
      });
      if ('unexpectedError' in answer) throw new Error(`a body was not parsed: ${answer.unexpectedError}`);
      return answer;
    } finally {
      settled.abort();
      this.#cancelIdle = this.#clock.after(IDLE_MS, () => void this.close());
    }
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

function withLarge(
  { value, large }: { readonly value: Record<string, unknown>; readonly large?: Uint8Array },
  name: string,
): Record<string, unknown> {
  return large ? { ...value, [name]: new BytesJson(large) } : value;
}
