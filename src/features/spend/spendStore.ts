import type { ApiError, ErrorKind } from '../../client/apiError.ts';
import type { Clock } from '../../client/clock.ts';
import { ConnectedPoller, type Connected, type ConnectedPlatform } from '../../account/connectedPoller.ts';
import { Emitter } from '../../kit/emitter.ts';
import type { Log } from '../../kit/log.ts';
import { retryDelayMs } from '../../account/liveValues/retryDelay.ts';
import { readAccountSpend, type AccountSpend } from '../../account/prices/spend.ts';

export interface SpendState {
  /** Latest spend of the current connection. It is kept when a later read fails. */
  readonly spend: AccountSpend | undefined;
  /** Time at which the spend was read, in ms since the epoch. */
  readonly readAt: number | undefined;
  /** Reason why the last read failed. */
  readonly error: ApiError | undefined;
}

/** Interval between two reads, in ms. */
const INTERVAL_MS = 300_000;

/** Errors that a repeated request does not resolve. Polling stops until the connection or the settings change. */
const FINAL: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'notFound', 'validation'];

const NOTHING: SpendState = { spend: undefined, readAt: undefined, error: undefined };

export interface SpendSources {
  readonly connections: Connected;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'debug'>;
}

/**
 * Polls the spend of the current connection's account every five minutes while the status bar or a budget needs it. A window that regains
 * the focus reads again only when a read is due.
 */
export class SpendStore {
  readonly #sources: SpendSources;
  readonly #poller: ConnectedPoller;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #state = NOTHING;
  #failures = 0;
  /** Time from which the next read is due, in ms since the epoch. Undefined: reads have stopped. */
  #dueAt: number | undefined = 0;

  constructor(sources: SpendSources) {
    this.#sources = sources;
    this.#poller = new ConnectedPoller({
      ...sources,
      poll: (platform) => this.#poll(platform),
      interval: () => this.#pauseMs(),
      onConnection: () => {
        this.#rearm();
        this.#set(NOTHING);
      },
    });
  }

  get state(): SpendState {
    return this.#state;
  }

  /** Sets whether the status bar or a budget needs the spend. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  /** Reads the spend now if it is needed, also after an error that stopped the reads. */
  refresh(): void {
    this.#rearm();
    this.#poller.wake();
  }

  dispose(): void {
    this.#poller.dispose();
    this.#changed.dispose();
  }

  #rearm(): void {
    this.#failures = 0;
    this.#dueAt = 0;
  }

  async #poll({ client, signal }: ConnectedPlatform): Promise<void> {
    const { clock } = this.#sources;
    if (this.#pauseMs() !== 0) return;
    try {
      // A background read must not delay other calls. The next round repeats it.
      const spend = await readAccountSpend(client, () => clock.now(), { signal, retries: 0, waits: 0 });
      if (signal.aborted) return;
      this.#failures = 0;
      this.#dueAt = clock.now() + INTERVAL_MS;
      this.#set({ spend, readAt: clock.now(), error: undefined });
    } catch (error) {
      if (!signal.aborted) this.#fail(error as ApiError);
    }
  }

  #fail(error: ApiError): void {
    const { clock, log } = this.#sources;
    const isFinal = FINAL.includes(error.kind);
    this.#dueAt = isFinal ? undefined : clock.now() + retryDelayMs(error, this.#failures++);
    if (isFinal) log.info(`The spend is not read any more: ${error.message}`);
    else log.debug(`Could not read the spend: ${error.message}`);
    this.#set({ ...this.#state, error });
  }

  /** Returns the time until the next read, in ms. 0: a read is due. Undefined: reads have stopped. */
  #pauseMs(): number | undefined {
    if (this.#dueAt === undefined) return undefined;
    const pause = this.#dueAt - this.#sources.clock.now();
    // A clock that was set back must not delay the next read.
    return pause > LONGEST_PAUSE_MS ? 0 : Math.max(0, pause);
  }

  #set(state: SpendState): void {
    this.#state = state;
    this.#changed.fire();
  }
}

/** Longest plausible Retry-After, in ms. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;
