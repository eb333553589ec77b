import type { Logger } from 'pino';
import type { Clock } from '../../time/clock.ts';
import { repeat } from '../backoff.ts';
import type { KubernetesApi } from './kubernetesApi.ts';

/** Deletes pods and secrets, and repeats failed requests until the cluster can be reached again. */
export class PodCleaner {
  readonly #api: KubernetesApi;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #closed = new AbortController();
  readonly #pending = new Set<Promise<void>>();

  constructor(api: KubernetesApi, { clock, log }: { clock: Clock; log: Logger }) {
    this.#api = api;
    this.#clock = clock;
    this.#log = log;
  }

  /** Resolves with false if the pod does not exist. Waits as long as the cluster cannot be reached. @throws the reason of the signal */
  async deletePod(name: string, graceSeconds: number, signal?: AbortSignal): Promise<boolean> {
    return this.#repeat(`pod ${name}`, () => this.#api.deletePod(name, graceSeconds, { signal }), signal);
  }

  /** Deletes the pod and the secret of a run in the background. */
  remove(name: string, graceSeconds: number): void {
    this.#background(Promise.all([this.deletePod(name, graceSeconds), this.#deleteSecret(name)]));
  }

  removeSecret(name: string): void {
    this.#background(this.#deleteSecret(name));
  }

  /** Resolves once every deletion was accepted by the cluster, or was tried once more. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('the platform stops'));
    await Promise.all(this.#pending);
  }

  async #deleteSecret(name: string): Promise<void> {
    await this.#repeat(`secret ${name}`, () => this.#api.deleteSecret(name));
  }

  #background(work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => this.#log.warn({ err: error }, 'an object of a worker was left on the cluster'),
    );
    this.#pending.add(done);
    void done.finally(() => this.#pending.delete(done));
  }

  async #repeat<T>(object: string, action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return repeat(action, {
      clock: this.#clock,
      signal: signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal,
      onFailure: (error) => this.#log.warn({ err: error }, `the ${object} cannot be deleted yet`),
    });
  }
}
