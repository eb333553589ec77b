import type { WorkerStartTrace, XRayEvent } from '../../contract/control/controlTraces.ts';
import type { Clock } from '../time/clock.ts';
import type { Worker } from './worker.ts';
import type { WorkerPool } from './workerPool.ts';

/** Called with the events of a measured start. No event follows `ready` and `failed`. */
export type XRayListener = (event: XRayEvent) => void;

export interface MeasurementServices {
  /** Waits in real time. */
  readonly realClock: Clock;
  /** Returns the recorded start of a worker. */
  readonly startOf: (workerId: string) => WorkerStartTrace;
}

/** Time in ms for the output of a process that has requested its first job. It takes another way than the request. */
const OUTPUT_MS = 300;

/**
 * Starts a further worker that reports the modules that it loads, and ends it once it is ready.
 *
 * @returns a function that ends the worker. Call it after the last event, too.
 */
export function measureStart(pool: WorkerPool, services: MeasurementServices, listener: XRayListener): () => void {
  const worker = pool.workerToMeasure();
  if (worker) {
    const measurement = new StartMeasurement(worker, services, listener);
    return () => measurement.end();
  }
  listener({ event: 'failed', problem: 'noWorkers', reason: 'the endpoint has a maximum of 0 workers' });
  return () => undefined;
}

class StartMeasurement {
  readonly #worker: Worker;
  readonly #services: MeasurementServices;
  readonly #listener: XRayListener;
  readonly #stopListening: () => void;
  #isOver = false;
  #isReady = false;
  #cancelRead = (): void => undefined;
  #last: string | undefined;

  constructor(worker: Worker, services: MeasurementServices, listener: XRayListener) {
    this.#worker = worker;
    this.#services = services;
    this.#listener = listener;
    worker.hold();
    this.#stopListening = worker.onDidChange(() => this.#follow());
    this.#follow();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelRead();
    this.#stopListening();
    this.#worker.release();
  }

  #follow(): void {
    if (this.#isOver || this.#isReady) return;
    const { id: workerId, stopping, failure, ready, view, progress } = this.#worker;
    if (stopping) {
      this.#finish({ event: 'failed', problem: 'ended', workerId, reason: 'the worker was stopped' });
    } else if (failure !== undefined) {
      this.#finish({ event: 'failed', problem: 'notStarted', workerId, reason: failure });
    } else if (ready) {
      this.#isReady = true;
      this.#cancelRead = this.#services.realClock.after(OUTPUT_MS, () => this.#read());
    } else {
      const percent = progress?.kind === 'pulling' ? progress.percent : undefined;
      const event = view.throttled ? 'waiting' : 'starting';
      this.#tell({ event, workerId, ...(percent !== undefined && { percent }) });
    }
  }

  #tell(event: XRayEvent): void {
    const text = JSON.stringify(event);
    if (text === this.#last) return;
    this.#last = text;
    this.#listener(event);
  }

  #read(): void {
    const { id: workerId } = this.#worker;
    this.#worker.recordImports();
    this.#finish({ event: 'ready', workerId, start: this.#services.startOf(workerId) });
  }

  #finish(event: XRayEvent): void {
    this.end();
    this.#listener(event);
  }
}
