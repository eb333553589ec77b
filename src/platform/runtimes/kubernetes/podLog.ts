import type { Clock } from '../../time/clock.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { Backoff } from '../backoff.ts';
import { DeliveredRecords } from './deliveredRecords.ts';
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

export interface PodLogOptions {
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
