import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Affinity } from '../domain/balancing.ts';
import { Roster } from '../roster.ts';
import type { OnDisconnect } from '../http/connections.ts';
import type { Clock } from '../time/clock.ts';
import { Turns } from '../time/pacing.ts';

/** A request that waits for a worker. */
export interface Waiting<Found> {
  readonly affinity: Affinity | undefined;
  /** Time of arrival, in ms since the epoch. */
  readonly since: number;
  /** Number of earlier requests. */
  readonly order: number;
  readonly give: (found: Found) => void;
  readonly refuse: (error: Error) => void;
}

/** Requests that any event concerns alike, because they require the same worker, or none. */
export interface Line<Found> {
  readonly required: Affinity | undefined;
  readonly requests: Roster<Waiting<Found>>;
}

/** Maximum number of requests that are answered in one turn of the event loop. Forwarding one costs about 0.2 ms. */
const PER_TURN = 32;

/** Error for all callers that disconnect. Thousands do so at once, and the stack of an error for each would delay other callers. */
const DISCONNECTED = new Error('the caller disconnected');

/**
 * Requests that wait for a worker, in order of arrival. They form lines, so that the work for an arrival and for an event does not depend on
 * the number of requests that must wait longer.
 */
export class WaitingRoom<Found> {
  readonly #clock: Clock;
  readonly #onLength: (length: number) => void;
  #length = 0;
  readonly #all = new Roster<Waiting<Found>>();
  readonly #lines = new Map<string, Line<Found>>();
  readonly #expiries = new Turns(PER_TURN);
  #arrivals = 0;

  /** @param onLength called with the number of waiting requests after each change */
  constructor(clock: Clock, onLength: (length: number) => void = () => undefined) {
    this.#clock = clock;
    this.#onLength = onLength;
  }

  /** Returns the times of arrival of the oldest requests, at most `limit`. */
  since(limit: number): number[] {
    return this.#all.members(limit).map(({ since }) => since);
  }

  /** Returns whether a request with that affinity has to wait for earlier ones. */
  isBehindOthers(affinity: Affinity | undefined): boolean {
    return this.#lines.has(nameOf(requirementOf(affinity)));
  }

  /**
   * Answers the requests that no longer have to wait, at most 32 per call, in order of arrival.
   *
   * @param answerFor returns the answer to the requests of a line; undefined while they have to wait
   * @returns whether more requests may be left to answer
   */
  answer(answerFor: (required: Affinity | undefined) => ((waiting: Waiting<Found>) => void) | undefined): boolean {
    const due = [...this.#lines.values()].flatMap(({ required, requests }) => {
      const answer = answerFor(required);
      return answer ? requests.members(PER_TURN).map((waiting) => ({ waiting, answer })) : [];
    });
    due.sort((left, right) => left.waiting.order - right.waiting.order);
    for (const { waiting, answer } of due.slice(0, PER_TURN)) answer(waiting);
    return due.length >= PER_TURN;
  }

  /** Refuses all requests. Resolves once all are refused. */
  async refuseAll(error: Error): Promise<void> {
    while (
      this.answer(
        () =>
          ({ refuse }) =>
            refuse(error),
      )
    )
      await yieldToEventLoop();
  }

  /** Waits for a worker. @throws the error of `timeoutError` after `ms` ms, the error passed to `refuse`, or DISCONNECTED */
  wait(
    affinity: Affinity | undefined,
    { ms, timeoutError, onDisconnect }: { ms: number; timeoutError: () => Error; onDisconnect: OnDisconnect },
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      let ignoreDisconnect = (): void => undefined;
      const over = (): void => {
        cancel();
        ignoreDisconnect();
        leave();
      };
      const give = (found: Found): void => {
        over();
        resolve(found);
      };
      const refuse = (error: Error): void => {
        over();
        reject(error);
      };
      const expire = async (): Promise<void> => {
        await this.#expiries.step();
        refuse(timeoutError());
      };
      const cancel = this.#clock.after(ms, () => void expire());
      const leave = this.#enter({ affinity, since: this.#clock.now(), order: this.#arrivals++, give, refuse });
      ignoreDisconnect = onDisconnect(() => refuse(DISCONNECTED));
    });
  }

  /** Adds a request. Returns a function that removes it. */
  #enter(waiting: Waiting<Found>): () => void {
    const required = requirementOf(waiting.affinity);
    const name = nameOf(required);
    const line = this.#lines.get(name) ?? { required, requests: new Roster() };
    this.#lines.set(name, line);
    const places = [this.#all, line.requests].map((roster) => ({ roster, place: roster.add(waiting) }));
    this.#onLength(++this.#length);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#onLength(--this.#length);
      for (const { roster, place } of places) roster.remove(place);
      if (!line.requests.first && this.#lines.get(name) === line) this.#lines.delete(name);
    };
  }
}

/** Returns the worker that a request requires. A preference is no requirement. */
export function requirementOf(affinity: Affinity | undefined): Affinity | undefined {
  return affinity?.mode === 'prefer' ? undefined : affinity;
}

const nameOf = (required: Affinity | undefined): string => (required ? `${required.mode} ${required.workerId}` : '');
