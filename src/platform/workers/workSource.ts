import type { Demand } from '../domain/autoscaler.ts';
import type { RunningWorker } from '../runtimes/runtime.ts';
import type { Transaction } from '../store/store.ts';
import type { Worker } from './worker.ts';

/** The work that a process had when it ended. */
export interface LostWork {
  /** How the process ended, as a predicate such as `exited with code 1`. */
  readonly reason: string;
  /** IDs of jobs or requests. */
  readonly held: readonly string[];
  /** Whether the process was ended on purpose. Such an end does not count as a failure of the work. */
  readonly intended: boolean;
  readonly transaction: Transaction;
}

/** Source of work for the workers of a pool: a queue or a load balancer. */
export interface WorkSource {
  /** Returns the waiting and running work. Only the oldest `horizon` waiting items affect the decision. */
  demand(horizon: number): Demand;
  /** Called after a change of a worker that affects scaling or the queue: it comes up, becomes free, or stops. */
  changed(): void;
  /** Called when a worker is about to be ended. It receives no more work. */
  workerEnding(worker: Worker): void;
  /** Called once when the worker's process has ended or its start has failed, before that is stored. */
  processEnded(worker: Worker): void;
  /**
   * Stores that the work of the process is lost. Called after `processEnded`, inside the transaction that ends the usage of the process,
   * and again if that transaction fails. The worker may have another process by then.
   */
  workLost?(worker: Worker, work: LostWork): void;
  /** Called when the worker has fully stopped. */
  workerEnded(worker: Worker): void;
  /** Called when the worker's next process is up. */
  processStarted?(worker: Worker, running: RunningWorker): void;
  /** Called when the engine of the worker became unreachable, or is back. The worker may have lost its connections, too. */
  reachabilityChanged?(worker: Worker): void;
  /** Called when the worker's process was frozen or thawed. */
  standbyChanged?(worker: Worker, frozen: boolean): void;
  /** Called when a debugger begins or ceases to hold the worker. Its time limits do not apply in between. */
  debuggedChanged?(worker: Worker): void;
  /** Called before a worker is ended. Resolves once the worker has finished its work, or its time limit is exceeded. */
  drain?(worker: Worker): Promise<void>;
}
