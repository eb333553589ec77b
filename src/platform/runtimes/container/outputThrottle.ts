import type { Clock } from '../../time/clock.ts';
import { pause } from '../backoff.ts';
import { framesIn } from './containerLog.ts';
import type { Engine } from './engine.ts';

/** Maximum number of bytes that a container prints before the log has delivered them. The engine buffers about a megabyte more. */
const WINDOW = 262_144;
/** Time in ms after which a log that delivers nothing no longer delays the container. */
const STALL_MS = 1_000;
/** Time in ms after which a connection that failed is tried again. An engine refuses it for a paused container. */
const RETRY_MS = 5_000;

interface Options {
  readonly engine: Engine;
  readonly containerId: string;
  readonly clock: Clock;
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
  /** Whether the log has delivered bytes since the container began to wait. */
  #hasProgress = false;
  #wake: () => void = () => undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Counts bytes that the log has delivered. */
  delivered(bytes: number): void {
    // The log can begin with bytes from before the connection. Later ones must not wait for as many more.
    this.#ahead = Math.max(this.#ahead - bytes, -WINDOW);
    this.#hasProgress = true;
    if (this.#ahead <= WINDOW) this.#wake();
  }

  /** Delays the output until the signal is aborted. Does nothing while the engine refuses the connection. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#ahead = 0;
      await this.#follow(signal).catch(() => undefined);
      await pause(this.#options.clock, RETRY_MS, signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { api, prefix } = this.#options.engine;
    const path = `${prefix}/containers/${this.#options.containerId}/attach`;
    const query = { stream: true, stdout: true, stderr: true };
    const response = await api.stream({ method: 'POST', path, query, signal });
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      for await (const { content } of framesIn(response)) {
        this.#ahead += content.length;
        while (this.#ahead > WINDOW && !signal.aborted) await this.#progress();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      response.destroy();
    }
  }

  /** Resolves once the log is within the window. If it delivers nothing for a while, assumes that nothing is left. */
  async #progress(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    this.#hasProgress = false;
    const cancel = this.#options.clock.after(STALL_MS, () => {
      if (!this.#hasProgress) this.#ahead = 0;
      resolve();
    });
    await promise;
    cancel();
  }
}
