import { type Demand, SCALING_PAUSE_MS } from '../domain/autoscaler.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import type { WorkerView } from '../domain/worker.ts';
import type { EndpointMeter } from '../metrics/endpointMeter.ts';
import { pausedWhileFull } from '../store/fullDisk.ts';
import { throttle } from '../time/clock.ts';
import { notFound } from '../domain/refusal.ts';
import { debugWorker, type DebugListener, type DebugRequest, type Reservation, type Reserve } from './debugSession.ts';
import { measureStart, type MeasurementServices, type XRayListener } from './startMeasurement.ts';
import type { Worker, WorkSource } from './worker.ts';
import { WorkerPool, type CloseOptions, type WorkerPoolContext } from './workerPool.ts';

/** A running endpoint: its workers, and the work that they do. Subclasses take over processes of an earlier platform, and then adapt. */
export abstract class LiveEndpoint<Context extends WorkerPoolContext = WorkerPoolContext> implements WorkSource {
  protected readonly context: Context;
  protected readonly workers: WorkerPool;
  readonly #dispatch: () => void;
  readonly #scale: () => void;
  readonly #scaleThrottled: () => void;
  /** Functions that report an attached debugger, by the IDs of the debuggers. */
  readonly #debuggers = new Map<string, () => void>();
  #changePending = false;

  constructor(endpoint: EndpointRecord, context: Context) {
    this.context = context;
    this.workers = new WorkerPool(endpoint, context, this);
    this.#dispatch = pausedWhileFull(context.realClock, () => this.dispatch());
    this.#scale = pausedWhileFull(context.realClock, () => this.workers.scale());
    this.#scaleThrottled = throttle(context, SCALING_PAUSE_MS, this.#scale);
  }

  /** Assigns waiting work to workers. */
  protected abstract dispatch(): void;
  /** Returns the times since which work has been waiting, at most the oldest `horizon`. */
  protected abstract waitingSince(horizon: number): Demand['waitingSince'];
  /** Reserves jobs for a debugged worker; omitted if the endpoint has no jobs. */
  protected reserveJobs?(...args: Parameters<Reserve>): Reservation;
  abstract workerEnding(worker: Worker): void;
  abstract processEnded(worker: Worker): void;
  abstract workerEnded(worker: Worker): void;

  /** Measures the endpoint. */
  get meter(): EndpointMeter {
    return this.context.meter;
  }

  /** Current configuration. */
  get endpoint(): EndpointRecord {
    return this.workers.endpoint;
  }

  /** Returns the active workers. Workers that are stopping are not active. */
  views(): WorkerView[] {
    return this.workers.views();
  }

  /** Number of workers on standby, frozen for a fast start. */
  get standby(): number {
    return this.workers.standby;
  }

  /** Number of further workers that the endpoint needs but this machine cannot start yet. They are THROTTLED, and have no view. */
  get waiting(): number {
    return this.workers.waiting;
  }

  /** Returns the releases, newest first. */
  releases(): ReleaseRecord[] {
    return this.context.store.endpoints.releases(this.endpoint.id);
  }

  /** Returns whether the worker belongs or belonged to the endpoint. */
  isKnownWorker(workerId: string): boolean {
    return this.context.store.runs.getWorker(this.endpoint.id, workerId) !== undefined;
  }

  /** Applies a new configuration. `replaceWorkers` is true if the current workers are outdated. */
  update(endpoint: EndpointRecord, options: { replaceWorkers: boolean }): void {
    this.workers.update(endpoint, options);
    // Not throttled, because the next change can revert this one, such as a maximum of 0 that replaces all workers.
    this.#scale();
  }

  /** Replaces the processes of all workers. Returns the number of workers that restart now, and of those that finish their work first. */
  renewWorkers(reason: string): { restarted: number; finishing: number } {
    return this.workers.renew(reason);
  }

  /** Returns a worker that has not fully stopped. */
  worker(workerId: string): Worker | undefined {
    return this.workers.find(workerId);
  }

  /** Debugs a worker while the returned function is not called. See `DebugSession`. @throws Refusal 404 for an unknown worker */
  debug(request: DebugRequest, listener: DebugListener): () => void {
    const reserve = this.reserveJobs?.bind(this);
    return debugWorker({ pool: this.workers, reserve, debuggers: this.#debuggers }, request, listener);
  }

  /** Reports that a debugger is attached, so that its worker receives jobs. @throws Refusal 404 if the debugger is gone */
  attachedDebugger(debuggerId: string): void {
    const attached = this.#debuggers.get(debuggerId);
    if (!attached) throw notFound(`debugger '${debuggerId}'`);
    attached();
  }

  /** Measures the start of a further worker, until it is measured or the returned function is called. See `StartMeasurement`. */
  measureStart(services: MeasurementServices, listener: XRayListener): () => void {
    return measureStart(this.workers, services, listener);
  }

  /** Stops all workers, or lets them run on for the next platform. */
  close(reason: string, options?: CloseOptions): Promise<void> {
    return this.workers.close(reason, options);
  }

  demand(horizon: number): Demand {
    return {
      waitingSince: this.waitingSince(horizon),
      running: this.workers.active().reduce((sum, { load, additional }) => sum + (additional ? 0 : load), 0),
    };
  }

  /** Dispatches work and adapts the number of workers, once for all changes in one turn of the event loop. */
  changed(): void {
    if (this.#changePending) return;
    this.#changePending = true;
    setImmediate(() => {
      this.#changePending = false;
      this.adapt();
    });
  }

  /** Dispatches work and adapts the number of workers now. */
  protected adapt(): void {
    if (this.workers.closed) return;
    this.#dispatch();
    this.#scaleThrottled();
  }
}
