import * as z from 'zod';
import type { Clock } from '../../time/clock.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { Backoff } from '../backoff.ts';
import type { OutputPosition, StartOptions } from '../runtime.ts';
import type { KubernetesApi } from './kubernetesApi.ts';
import { LogRecords, type LogRecord } from './logRecords.ts';
import { CONTAINER } from './podSpec.ts';

/** Time that a stream has to end after its container, in ms. A node checks at least every 5 s whether the container has ended. */
const END_MS = 7_000;

/**
 * Time without output after which a log that is followed is requested again, in ms. The keep-alive of the system finds a dropped connection
 * to the cluster earlier, but not one behind a proxy, and the watch of the pods finds the end of the worker.
 */
const RENEW_MS = 120_000;
/** Time without data after which the rest of the log of an ended worker is requested again, in ms. Clusters give up a node after 30 s. */
const STALLED_MS = 45_000;
/** Number of requests for the rest of the log that may stall, before it counts as lost. */
const MAX_STALLED = 3;

type Outcome = 'read' | 'failed' | 'stalled' | 'unreachable';

interface PodLogOptions {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** Name of the pod. */
  readonly name: string;
  /** Position from which output is delivered; omitted for all of it. */
  readonly position?: OutputPosition;
  readonly onOutput: StartOptions['onOutput'];
}

/** Follows the output of a worker, and delivers each line once, even if connections end. */
export class PodLog {
  /** Resolves once all output has been delivered, after `end` or `abandon`. */
  readonly done: Promise<void>;
  readonly #options: PodLogOptions;
  readonly #abandoned = new AbortController();
  /** Aborted some time after the end of the worker, for a stream that does not end by itself. */
  readonly #overdue = new AbortController();
  /** Aborts the pause between two requests. */
  readonly #ending = new AbortController();
  readonly #delivered: DeliveredRecords;
  /** Records at the end of the last response, which may have been cut off. They are delivered once no response follows. */
  #cutOff: readonly LogRecord[] = [];
  #cancelOverdue: () => void = () => undefined;

  constructor(options: PodLogOptions) {
    this.#options = options;
    this.#delivered = new DeliveredRecords(options.position);
    this.done = this.#run();
  }

  /** Announces that the worker has ended, so the log will end. */
  end(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    this.#cancelOverdue = this.#options.clock.after(END_MS, () => this.#overdue.abort());
  }

  /** Stops the delivery, because the log cannot be read any more. */
  abandon(): void {
    this.#abandoned.abort();
    this.#ending.abort();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const [abandoned, ending] = [this.#abandoned.signal, this.#ending.signal];
    const backoff = new Backoff(clock);
    let stalled = 0;
    while (!abandoned.aborted) {
      // A response that begins after the end of the worker contains all the rest.
      const isLast = ending.aborted;
      const outcome = await this.#read(!isLast);
      if (outcome === 'stalled') stalled++;
      const isLost = outcome === 'failed' || (outcome === 'stalled' && stalled >= MAX_STALLED);
      const isOver = outcome === 'read' || (isLost && this.#overdue.signal.aborted);
      if (isLast && isOver) break;
      if (outcome === 'read') backoff.reset();
      await backoff.pause(isLast ? abandoned : ending);
    }
    this.#cancelOverdue();
    for (const record of this.#cutOff) this.#deliver(record);
  }

  /** Reads one response to its end. A failed one is repeated. */
  async #read(follow: boolean): Promise<Outcome> {
    const { api, name, clock } = this.#options;
    const silent = new AbortController();
    const over = AbortSignal.any([this.#abandoned.signal, ...(follow ? [this.#overdue.signal] : [])]);
    const signal = AbortSignal.any([over, silent.signal]);
    let cancelSilence = (): void => undefined;
    const awaitData = (): void => {
      cancelSilence();
      cancelSilence = clock.after(follow ? RENEW_MS : STALLED_MS, () => silent.abort());
    };
    const records = new LogRecords();
    let isEmpty = true;
    const end = (): void => {
      const cutOff = records.end();
      // Only a response with records replaces the cut-off records of an earlier one.
      if (cutOff.length > 0 || !isEmpty) this.#cutOff = cutOff.filter((record) => !this.#delivered.isRepeated(record));
    };
    try {
      awaitData();
      const query = { container: CONTAINER, follow, sinceTime: this.#delivered.restart() };
      const response = await api.podLog(name, query, signal);
      for await (const chunk of response as AsyncIterable<Uint8Array>) {
        awaitData();
        for (const record of records.push(chunk)) {
          isEmpty = false;
          if (!this.#delivered.isRepeated(record)) this.#deliver(record);
        }
      }
      end();
      return 'read';
    } catch (error) {
      end();
      if (over.aborted || isRefused(error)) return 'read';
      if (silent.signal.aborted) return follow ? 'read' : 'stalled';
      return error instanceof EngineError && !error.unreachable ? 'failed' : 'unreachable';
    } finally {
      cancelSilence();
    }
  }

  #deliver(record: LogRecord): void {
    const { content, timestamp } = record;
    this.#delivered.add(record);
    this.#options.onOutput('stdout', content, Date.parse(timestamp), () => this.#delivered.toJSON());
  }
}

const BAD_REQUEST = 400;
const NOT_FOUND = 404;

/** Whether the log does not exist any more. The cluster reports a node that it cannot reach with other codes. */
function isRefused(error: unknown): boolean {
  return error instanceof EngineError && (error.status === BAD_REQUEST || error.status === NOT_FOUND);
}

const SECOND_MS = 1_000;

/** A position in a log. It has a constant size, however many lines a worker prints. */
const StoredPosition = z.object({
  /** Start of the next request, in ms since the epoch. */
  since: z.number(),
  /** Number of delivered records since then. */
  count: z.number(),
  /** Latest timestamp of them. If the node has replaced the file of the log in the meantime, later records are new. */
  latest: z.string(),
});
type StoredPosition = z.infer<typeof StoredPosition>;

/**
 * Remembers which records of a log were delivered, so that a repeated request continues after them. A request can start only at a whole
 * second, and its response repeats the records of that second. Records of one timestamp are counted, because several can share it.
 */
export class DeliveredRecords {
  /** Start of the next request, in ms since the epoch; undefined for the start of the log. */
  #since: number | undefined;
  /** Number of delivered records since `#since`, by timestamp. */
  #counts = new Map<string, number>();
  /** Sum of `#counts`. */
  #count = 0;
  #latest = '';
  /** Number of records since `#since` that an earlier platform delivered. A response repeats them first, and then they are in `#counts`. */
  #earlier = 0;
  /** Records that the current response still repeats. */
  #repeated = new Map<string, number>();

  /** @param stored value of `toJSON`; default: the beginning of the log */
  constructor(stored?: unknown) {
    const { success, data } = StoredPosition.safeParse(stored);
    if (success) [this.#since, this.#earlier, this.#latest] = [data.since, data.count, data.latest];
  }

  /** Returns undefined for the beginning of the log. */
  toJSON(): StoredPosition | undefined {
    if (this.#since === undefined) return undefined;
    return { since: this.#since, count: this.#count + this.#earlier, latest: this.#latest };
  }

  /** Returns the `sinceTime` of a new request, and expects its response to repeat the last records. */
  restart(): string | undefined {
    this.#repeated = new Map(this.#counts);
    return this.#since === undefined ? undefined : new Date(this.#since).toISOString();
  }

  /** Returns whether the current response repeats a delivered record. Call it once for each record of a response. */
  isRepeated({ timestamp }: LogRecord): boolean {
    const repeats = this.#repeated.get(timestamp) ?? 0;
    if (repeats > 0) {
      this.#repeated.set(timestamp, repeats - 1);
      return true;
    }
    if (this.#earlier > 0 && Date.parse(timestamp) <= Date.parse(this.#latest)) {
      this.#earlier--;
      this.#add(timestamp);
      return true;
    }
    this.#earlier = 0;
    return false;
  }

  /** Counts a record as delivered. */
  add({ timestamp }: LogRecord): void {
    this.#advance(Date.parse(timestamp));
    this.#add(timestamp);
    if (this.#latest === '' || Date.parse(timestamp) > Date.parse(this.#latest)) this.#latest = timestamp;
  }

  #add(timestamp: string): void {
    this.#counts.set(timestamp, (this.#counts.get(timestamp) ?? 0) + 1);
    this.#count++;
  }

  /** Lets the next request start in the second before this record, because both streams of a worker share a log, not exactly in order. */
  #advance(at: number): void {
    const since = Math.floor(at / SECOND_MS) * SECOND_MS - SECOND_MS;
    if (Number.isNaN(since) || since <= (this.#since ?? -Infinity)) return;
    this.#since = since;
    for (const [timestamp, count] of this.#counts) {
      if (Date.parse(timestamp) >= since) continue;
      this.#counts.delete(timestamp);
      this.#count -= count;
    }
  }
}
