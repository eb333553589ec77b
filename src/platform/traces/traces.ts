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
