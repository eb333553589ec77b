import type { WorkerObservation } from '../domain/autoscaler.ts';
import type { Candidate } from '../domain/balancing.ts';

/** A request that waits inside the server of a worker. */
interface ReceivedRequest {
  readonly job: number;
  /** Time at which the balancer gives it up. */
  readonly deadline: number;
}

/** A worker of a simulated endpoint, as the autoscaler and the balancer see it. Times are ms since the start of the load. */
export class SimulatedWorker implements WorkerObservation, Candidate {
  /** Nothing asks for it. */
  readonly id = '';
  state: WorkerObservation['state'] = 'throttled';
  since: number;
  /** Whether it has a process, which can be frozen. */
  hasProcess = false;
  /** Whether the worker accepts work. */
  ready = false;
  /** Number of jobs or requests in progress. */
  load = 0;
  /** Number of jobs that it can begin now. */
  free = 0;
  lastAssigned = 0;
  /** Requests that the worker has received and not begun, in order. Undefined before the first one. */
  received: ReceivedRequest[] | undefined;
  /** Start of the time that is paid. Infinity while nothing is paid. */
  paidFrom = Infinity;
  /** Start of the current work. Meaningless without work. */
  busyFrom = 0;

  constructor(now: number) {
    this.since = now;
  }
}
