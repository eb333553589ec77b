import type { JobTrace, WorkerStartTrace } from '../../contract/control/controlTraces.ts';
import { accountOfImageQueue } from '../domain/imageQueue.ts';
import type { JobRecord } from '../domain/job.ts';
import { jobTrace } from '../domain/jobTrace.ts';
import type { JobTraceEvent } from '../domain/jobTraceEvent.ts';
import { WorkerHistory } from '../domain/queueWait.ts';
import { notFound } from '../domain/refusal.ts';
import { workerStartTrace } from '../domain/workerStartTrace.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import type { WorkerEvents } from './workerEvents.ts';
import { spansOf } from '../domain/jobSpans.ts';
import { type SpanSink, jobContext, SAMPLED } from '../domain/traceContext.ts';

/** The jobs of all queues. */
interface TracedJobs {
  /** @throws Refusal 404 */
  get(endpointId: string, id: string): JobRecord;
  /** Returns the recorded events of a job, in order. */
  history(job: JobRecord): JobTraceEvent[];
}

interface TraceContext {
  readonly store: Pick<Store, 'runs'>;
  readonly jobs: TracedJobs;
  readonly events: WorkerEvents;
  readonly clock: Clock;
}

/** Builds the traces of jobs and of the starts of workers. */
export class Traces {
  readonly #context: TraceContext;

  constructor(context: TraceContext) {
    this.#context = context;
  }

  /** Returns the trace of a job of an endpoint, or of a queue of the image-editing model. @throws Refusal 404 */
  ofJob(endpointId: string, jobId: string): JobTrace {
    return this.reader()(this.#context.jobs.get(endpointId, jobId));
  }

  /** Returns a function that builds the traces of jobs, and reads the events of the workers of an endpoint once. */
  reader(): (job: JobRecord) => JobTrace {
    const { jobs, events, clock } = this.#context;
    const histories = new Map<string, WorkerHistory>();
    const historyOf = (endpointId: string): WorkerHistory | undefined => {
      if (accountOfImageQueue(endpointId) !== undefined) return undefined;
      const history = histories.get(endpointId) ?? new WorkerHistory(events.of(endpointId));
      histories.set(endpointId, history);
      return history;
    };
    return (job) => jobTrace({ job, events: jobs.history(job), workers: historyOf(job.endpointId), now: clock.now() });
  }

  /** Returns the last start of a worker. It has no spans if its events are gone. @throws Refusal 404 for an unknown worker */
  ofWorker(endpointId: string, workerId: string): WorkerStartTrace {
    const { store, events } = this.#context;
    if (!store.runs.getWorker(endpointId, workerId)) throw notFound(`worker '${workerId}'`);
    const own = events.of(endpointId).filter((event) => event.workerId === workerId);
    return workerStartTrace({ endpointId, workerId }, own);
  }
}

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
