import type { Event } from 'kubernetes-types/core/v1.js';
import type { Clock } from '../../time/clock.ts';
import { Backoff } from '../backoff.ts';
import type { KubernetesApi } from './kubernetesApi.ts';
import { isRefused } from './podFailure.ts';

/**
 * State of the image of a pod. unknown: the cluster does not tell it. none: its node has reported nothing yet. pulled: its node has the
 * image.
 */
export type PullState = 'unknown' | 'none' | 'pulling' | 'pulled';

/** Reasons of the events of nodes. */
const STATES: Readonly<Record<string, PullState>> = { Pulling: 'pulling', Pulled: 'pulled' };

/** Frequent events of pods that tell nothing about the image. */
const OTHER_REASONS = ['Scheduled', 'FailedScheduling', 'Created', 'Started', 'Killing'];
const SELECTOR = ['involvedObject.kind=Pod', ...OTHER_REASONS.map((reason) => `reason!=${reason}`)].join(',');

/** Time after which the cluster ends the stream, in s. */
const WATCH_SECONDS = 300;

interface Observed {
  readonly onPull: (state: PullState) => void;
  state: PullState | undefined;
}

/**
 * Follows the pulls of the images of pods, as long as there are observers. A pod does not tell its pull from the creation of its container,
 * so the events of its node are necessary. They need a permission that is optional, and a cluster may drop them.
 */
export class PodPulls {
  readonly #api: Pick<KubernetesApi, 'watchEvents'>;
  readonly #clock: Clock;
  readonly #observed = new Map<string, Observed>();
  #stop: AbortController | undefined;
  #isOpen = false;

  constructor(api: Pick<KubernetesApi, 'watchEvents'>, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Reports the changes of the state of a pod, which is created afterwards. Returns a function that ends the reports. */
  observe(name: string, onPull: (state: PullState) => void): () => void {
    const observed: Observed = { onPull, state: undefined };
    this.#observed.set(name, observed);
    if (this.#isOpen) this.#report(observed, 'none');
    else if (!this.#stop) {
      this.#stop = new AbortController();
      void this.#run(this.#stop.signal);
    }
    return () => {
      if (this.#observed.get(name) === observed) this.#observed.delete(name);
      if (this.#observed.size === 0) this.close();
    };
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#isOpen = false;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#clock);
    // A function, because the signal changes during each wait.
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (isOver()) return;
        this.#reportFirst('unknown');
        if (isRefused(error as Error)) {
          // The next start asks again, because the permission may have been given.
          this.close();
          return;
        }
      }
      if (isOver()) return;
      this.#isOpen = false;
      await backoff.pause(signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    // Without a version, the stream begins with the events that there are.
    const events = await this.#api.watchEvents(SELECTOR, { seconds: WATCH_SECONDS, signal });
    this.#isOpen = true;
    this.#reportFirst('none');
    for await (const { type, object } of events) {
      if (type === 'ERROR') return;
      const state = stateOf(object);
      const observed = this.#observed.get(object.involvedObject?.name ?? '');
      if (state && observed && type !== 'DELETED') this.#report(observed, state);
    }
  }

  #reportFirst(state: PullState): void {
    for (const observed of this.#observed.values())
      if (observed.state === undefined || observed.state === 'unknown') this.#report(observed, state);
  }

  #report(observed: Observed, state: PullState): void {
    // A stream that begins again repeats its events, and they have no order then.
    if (observed.state === state || observed.state === 'pulled') return;
    observed.state = state;
    observed.onPull(state);
  }
}

const stateOf = ({ reason = '' }: Pick<Event, 'reason'>): PullState | undefined =>
  Object.hasOwn(STATES, reason) ? STATES[reason] : undefined;
