import type { DebugBody, DebugEvent } from '../../contract/control/controlWorkers.ts';
import { jobCondition, type JobCondition } from '../../contract/jobCondition.ts';
import { notFound } from '../domain/refusal.ts';
import { newToken } from '../ids.ts';
import { execDebugger } from '../runtimes/execDebugger.ts';
import type { RunDebug } from '../runtimes/runSpec.ts';
import { DebuggerError, type RunningWorker, type WorkerDebugger } from '../runtimes/runtime.ts';
import type { Worker } from './worker.ts';
import type { WorkerPool } from './workerPool.ts';

export type DebugRequest = DebugBody;

/** Called with the events of a debugged worker. No event follows `ended` and `failed`. */
export type DebugListener = (event: DebugEvent) => void;

/** Jobs that only a debugged worker receives. */
export interface Reservation {
  /** Lets the worker receive the jobs, or lets them wait. */
  setOpen(isOpen: boolean): void;
  /** Lets any worker receive the jobs. */
  end(): void;
}

/** Reserves the jobs that meet a condition for a worker. Calls back when the worker receives one. */
export type Reserve = (workerId: string, condition: JobCondition, onTaken: (jobId: string) => void) => Reservation;

export interface DebuggedWorkers {
  readonly pool: WorkerPool;
  /** Undefined if the endpoint has no jobs. */
  readonly reserve: Reserve | undefined;
  /** Functions that report an attached debugger, by the IDs of the debuggers. */
  readonly debuggers: Map<string, () => void>;
}

/**
 * Holds a worker for a debugger, and opens its debugger in each of its processes.
 *
 * @returns a function that ends the debugging. Call it after the last event, too.
 * @throws Refusal 404 if the worker does not exist
 */
export function debugWorker(workers: DebuggedWorkers, request: DebugRequest, listener: DebugListener): () => void {
  const { pool, reserve } = workers;
  const { workerId, condition } = request;
  if (condition !== undefined && !reserve) {
    listener({ event: 'failed', problem: 'notQueue', reason: 'only queue-based endpoints have jobs' });
    return () => undefined;
  }
  const worker =
    condition !== undefined && workerId === undefined ? pool.workerForReservedJobs() : pool.workerToDebug(workerId);
  if (worker) {
    const session = new DebugSession(worker, workers, request, listener);
    return () => session.end();
  }
  if (workerId !== undefined) throw notFound(`worker '${workerId}'`);
  listener({ event: 'failed', problem: 'noWorkers', reason: 'the endpoint has a maximum of 0 workers' });
  return () => undefined;
}

/** One debugger of a worker. While it lasts, neither scaling nor a time limit ends the worker. */
class DebugSession {
  readonly #worker: Worker;
  readonly #workers: DebuggedWorkers;
  readonly #request: DebugRequest;
  readonly #listener: DebugListener;
  readonly #stopListening: () => void;
  readonly #over = new AbortController();
  /** The jobs of the condition. They wait until a debugger is attached. */
  readonly #reservation: Reservation | undefined;
  /** ID of the debugger that is open. */
  #debuggerId: string | undefined;
  #waits = false;
  /** Process whose debugger is open, or being opened. */
  #process: RunningWorker | undefined;

  constructor(worker: Worker, workers: DebuggedWorkers, request: DebugRequest, listener: DebugListener) {
    this.#worker = worker;
    this.#workers = workers;
    this.#request = request;
    this.#listener = listener;
    if (request.condition !== undefined) {
      this.#reservation = workers.reserve?.(worker.id, jobCondition(request.condition), (jobId) =>
        listener({ event: 'matched', workerId: worker.id, jobId }),
      );
    }
    worker.hold({ debugpy: request.debugpy });
    this.#stopListening = worker.onDidChange(() => this.#follow());
    if (worker.frozen) worker.thaw();
    this.#follow();
  }

  end(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#stopListening();
    this.#closeJobs();
    this.#reservation?.end();
    this.#worker.release();
  }

  /** Lets the jobs of the condition wait for the next debugger. */
  #closeJobs(): void {
    if (this.#debuggerId !== undefined) this.#workers.debuggers.delete(this.#debuggerId);
    this.#debuggerId = undefined;
    this.#reservation?.setOpen(false);
  }

  /** Lets the jobs of the condition wait until the debugger with the returned ID is attached. */
  #openJobs(): { readonly debuggerId?: string } {
    const reservation = this.#reservation;
    if (!reservation) return {};
    const debuggerId = (this.#debuggerId = newToken());
    this.#workers.debuggers.set(debuggerId, () => reservation.setOpen(true));
    return { debuggerId };
  }

  /**
   * Opens the debugger of a process that is ready. Earlier, a process of Node.js may not handle the request for its inspector, and debugpy may
   * not listen.
   */
  #follow(): void {
    if (this.#over.signal.aborted) return;
    if (this.#worker.stopping) {
      this.#finish({ event: 'ended' });
      return;
    }
    const { process, ending } = this.#worker;
    if (!process || ending) {
      this.#wait();
      return;
    }
    if (process === this.#process) return;
    this.#closeJobs();
    const found = process.debugger ?? execDebugger(process);
    if (!found) {
      const reason = 'the engine of the worker cannot run other programs in it';
      this.#finish({ event: 'failed', problem: 'notProcess', reason });
      return;
    }
    if (!found.opensEarly && !this.#worker.ready) return;
    this.#process = process;
    this.#waits = false;
    void this.#open(process, found);
  }

  #wait(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#closeJobs();
    this.#listener({ event: 'waiting', workerId: this.#worker.id });
  }

  async #open(process: RunningWorker, found: WorkerDebugger): Promise<void> {
    const { signal } = this.#over;
    /** A process that has been replaced no longer matters. A function, because the worker changes during each wait. */
    const isCurrent = (): boolean => !signal.aborted && this.#worker.process === process && !this.#worker.ending;
    try {
      const opened = await found.open(this.#request.debugpy, signal);
      if (!isCurrent()) return;
      if ('restart' in opened) {
        this.#restart(opened.restart);
        return;
      }
      const { language, host, port, directory } = opened;
      const at = { host, port, directory, ...this.#openJobs() };
      this.#listener({ event: 'ready', workerId: this.#worker.id, language, ...at });
    } catch (error) {
      if (!isCurrent()) return;
      const problem = error instanceof DebuggerError ? error.problem : 'notListening';
      this.#finish({ event: 'failed', problem, reason: (error as Error).message });
    }
  }

  #restart(debug: RunDebug): void {
    if (this.#worker.unfinished > 0 && this.#request.restartBusy !== true) {
      const reason = 'the worker has jobs, and must be restarted under the debugger';
      this.#finish({ event: 'failed', problem: 'busy', reason });
      return;
    }
    this.#worker.startUnder(debug);
    this.#workers.pool.restart(this.#worker, 'it starts under the debugger');
  }

  #finish(event: DebugEvent): void {
    this.end();
    this.#listener(event);
  }
}
