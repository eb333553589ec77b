import { get } from 'node:http';
import type { Address } from '../runtimes/runtime.ts';
import type { Clock } from '../time/clock.ts';
import { afterProbe, healthOf, probePause, startsSlowly, type Health, type HealthState } from '../domain/health.ts';

export interface HealthWatchOptions {
  /** Probed in this order until one accepts the connection. */
  readonly addresses: readonly Address[];
  readonly path: string;
  readonly clock: Clock;
  /** Called on every change of state. `finding` describes the result of the probe. */
  readonly onChange: (state: HealthState['state'], finding: string) => void;
  /** Called once per start if the worker is not ready within the usual time. */
  readonly onSlow: (finding: string) => void;
  /** Whether a worker that does not become ready in time is given up. Otherwise its time starts again. */
  readonly mayExpire: () => boolean;
  /** Called once if the worker does not become ready in time. The watch then closes. */
  readonly onExpired: (finding: string) => void;
}

/** Maximum duration of a probe, in ms. */
const PROBE_MS = 5_000;

interface Finding {
  readonly health: Health;
  readonly text: string;
}

/** Probes the health path of a worker's process at intervals until it is closed. */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  #state: HealthState;
  #slowReported = false;
  #cancelPause: (() => void) | undefined;
  /** Number of the latest probe. Results of earlier probes are ignored. */
  #round = 0;
  readonly #closed = new AbortController();

  constructor(options: HealthWatchOptions) {
    this.#options = options;
    this.#state = { state: 'starting', notReadySince: options.clock.now() };
    this.#pause();
  }

  get state(): HealthState['state'] {
    return this.#state.state;
  }

  close(): void {
    this.#cancelPause?.();
    this.#closed.abort();
  }

  /** Stops the probes while the process is frozen. The state stays as it is. */
  suspend(): void {
    this.#round++;
    this.#cancelPause?.();
  }

  /** Probes the thawed process at once, and then at intervals. */
  resume(): void {
    void this.#check();
  }

  #pause(): void {
    const { clock } = this.#options;
    this.#cancelPause = clock.after(probePause(this.#state, clock.now()), () => void this.#check());
  }

  async #check(): Promise<void> {
    const { clock, onChange, onSlow, mayExpire, onExpired } = this.#options;
    const round = ++this.#round;
    const { health, text } = await this.#probeAny();
    if (this.#closed.signal.aborted || round !== this.#round) return;
    const before = this.#state.state;
    const now = clock.now();
    const after =
      afterProbe(this.#state, health, now) ?? (mayExpire() ? undefined : { ...this.#state, notReadySince: now });
    if (!after) {
      this.close();
      onExpired(text);
      return;
    }
    this.#state = after;
    this.#pause();
    if (after.state !== before) {
      this.#slowReported = false;
      onChange(after.state, text);
    } else if (!this.#slowReported && startsSlowly(after, clock.now())) {
      this.#slowReported = true;
      onSlow(text);
    }
  }

  async #probeAny(): Promise<Finding> {
    const { addresses, path } = this.#options;
    let finding: Finding = { health: 'unreachable', text: 'there is no port to probe' };
    for (const address of addresses) {
      finding = await this.#probe(address, path);
      if (finding.health !== 'unreachable') break;
    }
    return finding;
  }

  #probe({ host, port }: Address, path: string): Promise<Finding> {
    const where = `GET ${path} on port ${port}`;
    return new Promise((resolve) => {
      const late = new AbortController();
      const signal = AbortSignal.any([late.signal, this.#closed.signal]);
      const cancel = this.#options.clock.after(PROBE_MS, () => late.abort());
      const done = (health: Health, words: string): void => {
        cancel();
        resolve({ health, text: `${where} ${words}` });
      };
      const request = get({ host, port, path, agent: false, signal }, (response) => {
        const { statusCode = 0 } = response;
        // Only the status counts. The body is not read, because it may have no end.
        response.destroy();
        done(healthOf(statusCode), `returned ${statusCode}`);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (late.signal.aborted) done('unhealthy', `timed out after ${PROBE_MS / 1000} s`);
        else done('unreachable', `failed: ${error.message}`);
      });
    });
  }
}
