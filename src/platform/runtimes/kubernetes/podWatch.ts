import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Clock } from '../../time/clock.ts';
import { Backoff } from '../backoff.ts';
import { isExpired, type KubernetesApi } from './kubernetesApi.ts';

/** Receives the changes of one pod. */
export interface PodObserver {
  onPod(pod: Pod): void;
  /** The pod does not exist any more. @param last its last state, if it was seen */
  onGone(last: Pod | undefined): void;
  /** The cluster cannot be reached, or can be reached again if there is no error. */
  onReachable(error: Error | undefined): void;
}

interface Observed {
  readonly observer: PodObserver;
  /** Whether the pod certainly existed at some time, so its absence from a list means that it is gone. */
  exists: boolean;
  last: Pod | undefined;
}

/** Time after which the cluster ends a watch, in s. A shorter time finds dead connections sooner. */
const WATCH_SECONDS = 60;
/** Time after which a watch proves that the cluster works, in ms. Only such a watch ends the growth of the pauses. */
const LIVED_MS = 1_000;
/** Time after which a watch that the cluster did not end counts as dead, in ms. */
const DEAD_MS = 75_000;

/** Follows all pods of the platform with one watch, as long as there are observers. */
export class PodWatch {
  readonly #api: KubernetesApi;
  readonly #selector: string;
  readonly #clock: Clock;
  readonly #random: (() => number) | undefined;
  readonly #observed = new Map<string, Observed>();
  #stop: AbortController | undefined;
  #failure: Error | undefined;

  /** @param options.random as for `Backoff` */
  constructor(
    api: KubernetesApi,
    { selector, clock, random }: { selector: string; clock: Clock; random?: () => number },
  ) {
    this.#api = api;
    this.#selector = selector;
    this.#clock = clock;
    this.#random = random;
  }

  /** Reports the changes of a pod, which is created afterwards. Returns a function that ends the reports. */
  observe(name: string, observer: PodObserver): () => void {
    const observed: Observed = { observer, exists: false, last: undefined };
    this.#observed.set(name, observed);
    if (this.#failure) observer.onReachable(this.#failure);
    if (!this.#stop) {
      this.#stop = new AbortController();
      void this.#run(this.#stop.signal);
    }
    return () => {
      if (this.#observed.get(name) === observed) this.#observed.delete(name);
      if (this.#observed.size === 0) this.close();
    };
  }

  /** Announces that a pod was created. */
  created(name: string): void {
    const observed = this.#observed.get(name);
    if (observed) observed.exists = true;
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#failure = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#clock, this.#random);
    const isStopped = (): boolean => signal.aborted;
    let version: string | undefined;
    while (!isStopped()) {
      if (version === undefined) {
        try {
          version = await this.#list(signal);
          this.#reached(undefined);
        } catch (error) {
          if (isStopped()) return;
          this.#reached(error as Error);
          await backoff.pause(signal);
          continue;
        }
      }
      const began = this.#clock.now();
      const from: string = version;
      try {
        version = await this.#follow(from, signal);
      } catch {
        // Changes may have been missed. The list tells whether the cluster can be reached.
        version = undefined;
      }
      const hasLived = this.#clock.now() - began >= LIVED_MS;
      if (hasLived) backoff.reset();
      // Watches that end at once without an event would never report a change.
      else if (version === from) version = undefined;
      if (!hasLived || version === undefined) await backoff.pause(signal);
    }
  }

  /** Reports all pods. Resolves with the version from which to follow. */
  async #list(signal: AbortSignal): Promise<string> {
    const expected = [...this.#observed].filter(([, { exists }]) => exists);
    const { items, metadata } = await this.#api.listPods(this.#selector, { signal });
    const found = new Set(items.map((pod) => pod.metadata?.name));
    for (const pod of items) this.#report(pod);
    for (const [name, observed] of expected) if (!found.has(name)) this.#reportGone(name, observed);
    return metadata?.resourceVersion ?? '0';
  }

  /** Reports changes until the cluster ends the watch. Resolves with the last version, or undefined if it is too old. */
  async #follow(from: string, signal: AbortSignal): Promise<string | undefined> {
    const dead = new AbortController();
    const cancel = this.#clock.after(DEAD_MS, () => dead.abort());
    let version = from;
    try {
      const options = { seconds: WATCH_SECONDS, signal: AbortSignal.any([signal, dead.signal]) };
      for await (const event of this.#api.watchPods(this.#selector, from, options)) {
        if (event.type === 'ERROR') {
          if (isExpired(event)) return undefined;
          throw new Error(event.object.message ?? 'the watch ended with an error');
        }
        const { object } = event;
        version = object.metadata?.resourceVersion ?? version;
        if (event.type === 'DELETED') this.#deleted(object);
        else if (event.type !== 'BOOKMARK') this.#report(object);
      }
      return version;
    } finally {
      cancel();
    }
  }

  #report(pod: Pod): void {
    const observed = this.#observed.get(pod.metadata?.name ?? '');
    if (!observed) return;
    observed.exists = true;
    observed.last = pod;
    observed.observer.onPod(pod);
  }

  #deleted(pod: Pod): void {
    this.#report(pod);
    const name = pod.metadata?.name ?? '';
    const observed = this.#observed.get(name);
    if (observed) this.#reportGone(name, observed);
  }

  #reportGone(name: string, observed: Observed): void {
    if (this.#observed.get(name) === observed) observed.observer.onGone(observed.last);
  }

  #reached(failure: Error | undefined): void {
    if (failure === undefined && this.#failure === undefined) return;
    this.#failure = failure;
    for (const { observer } of [...this.#observed.values()]) observer.onReachable(failure);
  }
}
