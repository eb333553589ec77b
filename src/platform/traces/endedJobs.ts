import type { JobRecord } from '../domain/job.ts';
import { spansOf } from '../domain/jobSpans.ts';
import { type SpanSink, jobContext, SAMPLED } from '../domain/traceContext.ts';
import type { Clock } from '../time/clock.ts';
import type { Traces } from './traces.ts';

/** Maximum number of ended jobs that wait for their export. */
const MAX_WAITING = 2_048;

/** Time between two turns in ms, and the time that a turn may take. Together, the export takes at most a tenth of the time of the platform. */
const PAUSE_MS = 100;
const TURN_MS = 10;

/** Time in ms that the last turn may take when the platform stops. */
const LAST_TURN_MS = 500;

interface EndedJob {
  readonly job: JobRecord;
  readonly endpointName: string;
}

/**
 * Exports the traces of ended jobs. A trace is read some time after the end of its job, so that neither a job nor its caller waits for it.
 * Jobs that wait when the platform is killed are not exported.
 */
export class EndedJobs {
  readonly #sink: SpanSink;
  readonly #traces: Pick<Traces, 'reader'>;
  readonly #clock: Clock;
  readonly #waiting: EndedJob[] = [];
  #cancelTurn: (() => void) | undefined;

  constructor(sink: SpanSink, traces: Pick<Traces, 'reader'>, clock: Clock) {
    this.#sink = sink;
    this.#traces = traces;
    this.#clock = clock;
  }

  /** Call this after the commit of the end. @param endpointName name of the endpoint at that time */
  add(job: JobRecord, endpointName: string): void {
    if ((jobContext(job.id, job.traceParent).traceFlags & SAMPLED) === 0) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#sink.drop(1);
      return;
    }
    // The output can be large, and no span contains it.
    this.#waiting.push({ job: { ...job, output: undefined }, endpointName });
    this.#cancelTurn ??= this.#clock.after(PAUSE_MS, () => this.#turn());
  }

  /** Exports the waiting jobs. Must be called before the store is closed. */
  close(): void {
    this.#cancelTurn?.();
    this.#export(LAST_TURN_MS);
    if (this.#waiting.length > 0) this.#sink.drop(this.#waiting.splice(0).length);
  }

  #turn(): void {
    this.#cancelTurn = undefined;
    this.#export(TURN_MS);
    if (this.#waiting.length > 0) this.#cancelTurn = this.#clock.after(PAUSE_MS, () => this.#turn());
  }

  #export(limitMs: number): void {
    const end = process.hrtime.bigint() + BigInt(limitMs) * 1_000_000n;
    const traceOf = this.#traces.reader();
    while (this.#waiting.length > 0 && process.hrtime.bigint() < end) {
      for (const { job, endpointName } of this.#waiting.splice(0, 1))
        this.#sink.add(spansOf(traceOf(job), endpointName));
    }
  }
}
