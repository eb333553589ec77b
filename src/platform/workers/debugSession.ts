import type { DebugBody, DebugEvent } from '../../contract/control/controlWorkers.ts';
import { notFound } from '../domain/refusal.ts';
import { DebuggerError, type RunningWorker, type WorkerDebugger } from '../runtimes/runtime.ts';
import type { Worker } from './worker.ts';
import type { WorkerPool } from './workerPool.ts';

export type DebugRequest = DebugBody;

/** Called with the events of a debugged worker. No event follows `ended` and `failed`. */
export type DebugListener = (event: DebugEvent) => void;

/**
 * Holds a worker for a debugger, and opens its debugger in each of its processes.
 *
 * @returns a function that ends the debugging. Call it after the last event, too.
 * @throws Refusal 404 if the worker does not exist
 */
export function debugWorker(pool: WorkerPool, request: DebugRequest, listener: DebugListener): () => void {
  const worker = pool.workerToDebug(request.workerId);
  if (worker) {
    const session = new DebugSession(worker, pool, request, listener);
    return () => session.end();
  }
  if (request.workerId !== undefined) throw notFound(`worker '${request.workerId}'`);
  listener({ event: 'failed', problem: 'noWorkers', reason: 'the endpoint has a maximum of 0 workers' });
  return () => undefined;
}

/** One debugger of a worker. While it lasts, neither scaling nor a time limit ends the worker. */
class DebugSession {
  readonly #worker: Worker;
  readonly #pool: WorkerPool;
  readonly #request: DebugRequest;
  readonly #listener: DebugListener;
  readonly #stopListening: () => void;
  readonly #over = new AbortController();
  #waits = false;
  /** Process whose debugger is open, or being opened. */
  #process: RunningWorker | undefined;

  constructor(worker: Worker, pool: WorkerPool, request: DebugRequest, listener: DebugListener) {
    this.#worker = worker;
    this.#pool = pool;
    this.#request = request;
    this.#listener = listener;
    worker.hold({ debugpy: request.debugpy });
    this.#stopListening = worker.onDidChange(() => this.#follow());
    if (worker.frozen) worker.thaw();
    this.#follow();
  }

  end(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#stopListening();
    this.#worker.release();
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
    const { debugger: found } = process;
    if (!found) {
      const reason = 'only workers that run as processes on this machine can be debugged';
      this.#finish({ event: 'failed', problem: 'notProcess', reason });
      return;
    }
    if (!found.mustRestart && !this.#worker.ready) return;
    this.#process = process;
    this.#waits = false;
    void this.#open(process, found);
  }

  #wait(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#listener({ event: 'waiting', workerId: this.#worker.id });
  }

  async #open(process: RunningWorker, found: WorkerDebugger): Promise<void> {
    const { signal } = this.#over;
    /** A process that has been replaced no longer matters. A function, because the worker changes during each wait. */
    const isCurrent = (): boolean => !signal.aborted && this.#worker.process === process && !this.#worker.ending;
    try {
      if (found.mustRestart) {
        await found.check(this.#request.debugpy);
        if (isCurrent()) this.#restart();
        return;
      }
      const { host, port } = await found.open(signal);
      if (!isCurrent()) return;
      const { language, directory } = found;
      this.#listener({ event: 'ready', workerId: this.#worker.id, language, host, port, directory });
    } catch (error) {
      if (!isCurrent()) return;
      const problem = error instanceof DebuggerError ? error.problem : 'notListening';
      this.#finish({ event: 'failed', problem, reason: (error as Error).message });
    }
  }

  #restart(): void {
    if (this.#worker.unfinished > 0 && this.#request.restartBusy !== true) {
      const reason = 'the worker has jobs, and must be restarted under the debugger';
      this.#finish({ event: 'failed', problem: 'busy', reason });
      return;
    }
    this.#pool.restart(this.#worker, 'it starts under the debugger');
  }

  #finish(event: DebugEvent): void {
    this.end();
    this.#listener(event);
  }
}
