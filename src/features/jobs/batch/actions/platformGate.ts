import { ApiError, isTemporary, type ErrorKind } from '../../../../client/apiError.ts';
import type { Client } from '../../../../client/client.ts';
import type { Clock } from '../../../../client/clock.ts';
import { sleepOrWake, Wake } from '../../actions/wake.ts';

/** Platform of a batch, which can stop, start again, and change its addresses. */
export interface BatchPlatform {
  /** Returns the client of the batch's connection, or undefined while it cannot be called. */
  client(): Client | undefined;
  /** Calls the listener when the client can have changed. */
  onDidChange(listener: () => unknown): { dispose(): unknown };
}

/** Why no call is made: the connection cannot be called, or a call failed in this way. */
export interface Obstacle {
  readonly kind: ErrorKind | 'disconnected';
  /** Explanation of the platform, or empty. */
  readonly message: string;
}

export interface GateOptions {
  readonly platform: BatchPlatform;
  readonly endpointId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}

const FIRST_PROBE_MS = 500;
const LAST_PROBE_MS = 15_000;
const PROBE_TIMEOUT_MS = 10_000;
const DEFAULT_WAIT_MS = 1_000;

/** Stops all calls of a batch while its platform cannot be called, and lets them continue when it answers again. */
export class PlatformGate {
  readonly #options: GateOptions;
  readonly #wake = new Wake();
  readonly #subscription: { dispose(): unknown };
  #opening: Promise<void> | undefined;
  #obstacle: Obstacle | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#subscription = options.platform.onDidChange(() => this.#wake.fire());
  }

  /** Why no call is made now. */
  get obstacle(): Obstacle | undefined {
    return this.#obstacle;
  }

  /** Resolves with the client once the platform can be called. Rejects with the reason of the signal. */
  async ready(): Promise<Client> {
    const { platform, clock, signal } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#opening) {
        await this.#opening;
        continue;
      }
      const client = platform.client();
      if (!client) {
        this.#close({ kind: 'disconnected', message: '' });
        continue;
      }
      const waitMs = client.context.invocationLimits.waitMs(clock.now());
      if (waitMs <= 0) return client;
      this.#close({ kind: 'rateLimited', message: '' }, waitMs);
    }
  }

  /** Stops all calls after a failed one. */
  failed({ kind, message, retryAfterMs }: ApiError): void {
    this.#close({ kind, message }, retryAfterMs);
  }

  /** Tries again now. */
  retry(): void {
    this.#wake.fire();
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #close(obstacle: Obstacle, waitMs?: number): void {
    if (this.#opening) return;
    this.#obstacle = obstacle;
    this.#opening = this.#open(obstacle, waitMs).finally(() => {
      [this.#opening, this.#obstacle] = [undefined, undefined];
      this.#options.onChange();
    });
    // Callers of `ready` receive the error.
    this.#opening.catch(() => undefined);
    this.#options.onChange();
  }

  async #open({ kind }: Obstacle, waitMs: number | undefined): Promise<void> {
    const { clock, signal } = this.#options;
    if (kind === 'rateLimited') return clock.sleep(Math.max(waitMs ?? 0, DEFAULT_WAIT_MS), signal);
    for (let probeMs = Math.max(waitMs ?? 0, FIRST_PROBE_MS); ; probeMs = Math.min(probeMs * 2, LAST_PROBE_MS)) {
      // Other failures end when the user changes the connection or resumes.
      const passes = kind === 'disconnected' || isTemporary({ kind });
      await sleepOrWake(clock, passes ? probeMs : Infinity, this.#wake, signal);
      if (await this.#answers()) return;
    }
  }

  async #answers(): Promise<boolean> {
    const { platform, endpointId, signal } = this.#options;
    try {
      const options = { retries: 0, waits: 0, timeout: PROBE_TIMEOUT_MS, signal };
      return (await platform.client()?.getEndpointHealth({ endpointId }, options)) !== undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind !== 'canceled') this.#obstacle = { kind: error.kind, message: error.message };
      this.#options.onChange();
      return false;
    }
  }
}
