import { get } from 'node:http';
import type { Address } from '../runtimes/runtime.ts';
import type { Clock } from '../time/clock.ts';
import { afterProbe, healthOf, probePause, startsSlowly, type Health, type HealthState } from '../domain/health.ts';

export interface HealthWatchOptions {
  /** Asked in this order until one accepts the connection. */
  readonly addresses: readonly Address[];
  readonly path: string;
  readonly clock: Clock;
  /** Told of every change of the state, and in words what the probe found. */
  readonly onChange: (state: HealthState['state'], finding: string) => void;
  /** It takes long to start, and this is what is found meanwhile. Told once each time. */
  readonly onSlow: (finding: string) => void;
  /** The worker has not been ready for too long. Called once, and the watch is over. */
  readonly onExpired: (finding: string) => void;
}

/** How long an answer to a probe may take, in ms. */
const PROBE_MS = 5_000;

interface Finding {
  readonly health: Health;
  readonly words: string;
}

/** Asks the health path of one worker's process again and again, until it is closed. */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  #state: HealthState;
  #toldSlow = false;
  #cancelPause: (() => void) | undefined;
  /** Counts the questions, so that an answer to an old one is known for that. */
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

  /** The process does not run for a while: nothing is asked of it, and what was known stays known. */
  suspend(): void {
    this.#round++;
    this.#cancelPause?.();
  }

  /** It runs again. */
  resume(): void {
    void this.#look();
  }

  #pause(): void {
    const { clock } = this.#options;
    this.#cancelPause = clock.after(probePause(this.#state, clock.now()), () => void this.#look());
  }

  async #look(): Promise<void> {
    const { clock, onChange, onSlow, onExpired } = this.#options;
    const round = ++this.#round;
    const { health, words } = await this.#ask();
    if (this.#closed.signal.aborted || round !== this.#round) return;
    const before = this.#state.state;
    const after = afterProbe(this.#state, health, clock.now());
    if (!after) {
      this.close();
      onExpired(words);
      return;
    }
    this.#state = after;
    this.#pause();
    if (after.state !== before) {
      this.#toldSlow = false;
      onChange(after.state, words);
    } else if (!this.#toldSlow && startsSlowly(after, clock.now())) {
      this.#toldSlow = true;
      onSlow(words);
    }
  }

  async #ask(): Promise<Finding> {
    const { addresses, path } = this.#options;
    let finding: Finding = { health: 'unreachable', words: 'no port to ask' };
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
        resolve({ health, words: `${where} ${words}` });
      };
      const request = get({ host, port, path, agent: false, signal }, (response) => {
        const { statusCode = 0 } = response;
        // The status is all that counts; a body without end must not be read.
        response.destroy();
        done(healthOf(statusCode), `answered ${statusCode}`);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (late.signal.aborted) done('unhealthy', `was not answered within ${PROBE_MS / 1000} s`);
        else done('unreachable', `failed: ${error.message}`);
      });
    });
  }
}
