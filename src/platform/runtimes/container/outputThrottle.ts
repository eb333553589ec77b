import { type Clock, pause } from '../../time/clock.ts';
import { framesIn } from './containerLog.ts';
import type { Engine } from '../../../machine/engine/engine.ts';

/** Maximum number of bytes that a container prints before the log has delivered them. The engine buffers about a megabyte more. */
const WINDOW = 262_144;
/** Time in ms after which a log that delivers nothing, although the container has printed, counts as stalled. It doubles with each stall. */
const STALL_MS = { first: 1_000, max: 60_000 };
/** Time in ms after which a connection that failed is tried again. An engine refuses it for a paused container. */
const RETRY_MS = 5_000;

interface Options {
  readonly engine: Engine;
  readonly containerId: string;
  readonly clock: Clock;
  /** Called if the log has stalled. Docker 20.10 does not always tell a reader about the newest lines. The log must be read again. */
  readonly onStall: () => void;
}

/**
 * Delays the output of a container until its log is delivered. Engines replace the files of a log, whether or not they have been read. An
 * attached connection, however, delays the container until the connection is read. This one is read no faster than the log, so that no
 * file is replaced before it is read. Its bytes are only counted.
 */
export class OutputThrottle {
  readonly #options: Options;
  /** Number of bytes that the container has printed and the log has not delivered. */
  #ahead = 0;
  /** Number of bytes that the log has delivered since the last stall. */
  #delivered = 0;
  #patienceMs = STALL_MS.first;
  #cancelWatch: (() => void) | undefined;
  #wake: () => void = () => undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Counts bytes that the log has delivered. */
  delivered(bytes: number): void {
    // The log can begin with bytes from before the connection. Later ones must not wait for as many more.
    this.#ahead = Math.max(this.#ahead - bytes, -WINDOW);
    this.#delivered += bytes;
    if (this.#delivered >= WINDOW) this.#patienceMs = STALL_MS.first;
    if (this.#ahead <= WINDOW) this.#wake();
  }

  /** Delays the output until the signal is aborted. Does nothing while the engine refuses the connection. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#ahead = 0;
      await this.#follow(signal).catch(() => undefined);
      this.#cancelWatch?.();
      this.#cancelWatch = undefined;
      await pause(this.#options.clock, RETRY_MS, signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { api, prefix } = this.#options.engine;
    const path = `${prefix}/containers/${this.#options.containerId}/attach`;
    const query = { stream: true, stdout: true, stderr: true };
    const response = await api.stream({ method: 'POST', path, query, signal, timeoutMs: RETRY_MS });
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      for await (const { content } of framesIn(response)) {
        this.#ahead += content.length;
        this.#watch();
        while (this.#ahead > WINDOW && !signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', wake);
      response.destroy();
    }
  }

  /** Watches for a stall while the log has bytes to deliver. */
  #watch(): void {
    if (this.#cancelWatch || this.#ahead <= 0) return;
    const before = this.#delivered;
    this.#cancelWatch = this.#options.clock.after(this.#patienceMs, () => {
      this.#cancelWatch = undefined;
      if (this.#delivered === before) this.#stall();
      else this.#watch();
    });
  }

  #stall(): void {
    this.#patienceMs = Math.min(this.#patienceMs * 2, STALL_MS.max);
    this.#ahead = 0;
    this.#delivered = 0;
    this.#wake();
    this.#options.onStall();
  }
}
