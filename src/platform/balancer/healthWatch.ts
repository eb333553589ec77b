import { get } from 'node:http';
import type { Address } from '../runtimes/runtime.ts';
import type { Clock } from '../time/clock.ts';

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

/* The health state of a load-balanced worker (docs/local-platform.md, Load-balanced endpoints). */

/** Result of a probe. `unreachable` means that no process accepts connections. */
export type Health = 'ready' | 'starting' | 'unhealthy' | 'unreachable';

/** @param status HTTP status of the response: 200 is ready, 204 is starting, and any other status removes the worker from rotation */
export function healthOf(status: number): Health {
  if (status === 200) return 'ready';
  return status === 204 ? 'starting' : 'unhealthy';
}

/** Time in ms after which a worker that is not ready is replaced: eight minutes, as in the hosted service. */
const MAX_NOT_READY_MS = 480_000;

export interface HealthState {
  /** State after the last probe, `starting` before the first. Only a ready worker gets requests. */
  readonly state: 'starting' | 'ready' | 'sick';
  /** Time at which the worker was last ready, or its start, ms since the epoch. */
  readonly notReadySince: number;
}

/** Returns the state after a probe, or undefined if the worker must be replaced, because it was not ready for `MAX_NOT_READY_MS`. */
export function afterProbe(before: HealthState, health: Health, now: number): HealthState | undefined {
  if (health === 'ready') return { state: 'ready', notReadySince: now };
  const notReadySince = before.state === 'ready' ? now : before.notReadySince;
  if (now - notReadySince >= MAX_NOT_READY_MS) return undefined;
  // A worker that loads a model before it listens is unreachable, but not sick.
  const isStarting = health === 'starting' || (health === 'unreachable' && before.state === 'starting');
  return { state: isStarting ? 'starting' : 'sick', notReadySince };
}

const FAST_PAUSE_MS = 100;
const SLOW_PAUSE_MS = 1_000;
/** Time in ms after which a starting worker is probed less often. */
const FAST_PROBES_MS = 10_000;

/** Returns true if the worker has been starting for longer than usual. */
function startsSlowly({ state, notReadySince }: HealthState, now: number): boolean {
  return state === 'starting' && now - notReadySince >= FAST_PROBES_MS;
}

/** Returns the pause before the next probe in ms. It is short during the usual time of a cold start. */
export function probePause(health: HealthState, now: number): number {
  return health.state === 'starting' && !startsSlowly(health, now) ? FAST_PAUSE_MS : SLOW_PAUSE_MS;
}
