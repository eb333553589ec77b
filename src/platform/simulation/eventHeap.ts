import type { SimulatedWorker } from './simulatedWorker.ts';

/**
 * up: the process of the worker is up. ready: the worker accepts work. free: it can begin another job. ended: a job has ended. overdue: a
 * request may have exceeded its time limit before the worker began it.
 */
export type EventKind = 'up' | 'ready' | 'free' | 'ended' | 'overdue';

/** An event of a worker. The objects are used again, because there are billions of events. */
export interface WorkerEvent {
  at: number;
  /** Number in order of addition. */
  order: number;
  kind: EventKind;
  worker: SimulatedWorker;
  /** Index of the job. -1 if the event concerns none. */
  job: number;
  /** Whether the job ends because a time limit is exceeded. */
  timedOut: boolean;
}

/** A queue of events by their times. Events of the same time keep the order of their addition. */
export class EventHeap {
  readonly #events: WorkerEvent[] = [];
  readonly #unused: WorkerEvent[] = [];
  #added = 0;
  /** Time of the first event. Infinity if there is none. */
  nextAt = Infinity;

  add(at: number, kind: EventKind, worker: SimulatedWorker, job = -1, timedOut = false): void {
    const order = this.#added++;
    let event = this.#unused.pop();
    if (event) {
      event.at = at;
      event.order = order;
      event.kind = kind;
      event.worker = worker;
      event.job = job;
      event.timedOut = timedOut;
    } else event = { at, order, kind, worker, job, timedOut };
    const events = this.#events;
    let index = events.length;
    events.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = events[parent];
      if (!above || above.at <= at) break;
      events[index] = above;
      index = parent;
    }
    events[index] = event;
    this.nextAt = events[0]?.at ?? Infinity;
  }

  /** Removes and returns the first event, which is valid until the next call of `add`. */
  take(): WorkerEvent | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (first && last && first !== last) this.#sink(last);
    if (first) this.#unused.push(first);
    this.nextAt = events[0]?.at ?? Infinity;
    return first;
  }

  /** Puts an event in the place of the first one. */
  #sink(event: WorkerEvent): void {
    const events = this.#events;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let below = events[child];
      if (!below) break;
      const other = events[child + 1];
      if (other && isBefore(other, below)) {
        below = other;
        child++;
      }
      if (isBefore(event, below)) break;
      events[index] = below;
      index = child;
    }
    events[index] = event;
  }
}

function isBefore(left: WorkerEvent, right: WorkerEvent): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
