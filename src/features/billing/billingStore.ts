import type { ApiError } from '../../client/apiError.ts';
import type { Clock } from '../../client/clock.ts';
import type { BillingResponse } from '../../contract/billing.ts';
import { ConnectedPoller, type Connected, type ConnectedPlatform } from '../../vscode/connectedPoller.ts';
import { Emitter } from '../../vscode/emitter.ts';
import type { BillingRange } from '../../webviews/billing/messages.ts';
import { BILLING_RANGES, DEFAULT_BILLING_RANGE } from './billingRanges.ts';

export interface BillingReport {
  readonly response: BillingResponse;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface BillingState {
  readonly range: BillingRange;
  readonly busy: boolean;
  /** Latest response for this range and connection. It is kept when a later request fails. */
  readonly report: BillingReport | undefined;
  readonly error: ApiError | undefined;
}

const INTERVAL_MS = 15_000;

const INITIAL_STATE = { busy: false, report: undefined, error: undefined } as const;

/** Holds the spend of the current connection in the selected range. Polls while the view is visible. */
export class BillingStore {
  readonly #clock: Clock;
  readonly #poller: ConnectedPoller;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #state: BillingState = { range: DEFAULT_BILLING_RANGE, ...INITIAL_STATE };
  /** The current round. Only its result is shown. */
  #round: ConnectedPlatform | undefined;

  constructor(connections: Connected, clock: Clock) {
    this.#clock = clock;
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: (platform) => this.#poll(platform),
      interval: () => INTERVAL_MS,
      onConnection: () => this.#forget(),
    });
  }

  get state(): BillingState {
    return this.#state;
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  setRange(range: BillingRange): void {
    if (range === this.#state.range) return;
    this.#state = { ...this.#state, range };
    this.#forget();
    this.#poller.restart();
  }

  /** Reads the spend now. */
  refresh(): void {
    this.#poller.wake();
  }

  dispose(): void {
    this.#poller.dispose();
    this.#changed.dispose();
  }

  /** Discards the spend of the previous range or connection. */
  #forget(): void {
    this.#round = undefined;
    this.#set(INITIAL_STATE);
  }

  async #poll(round: ConnectedPlatform): Promise<void> {
    this.#round = round;
    this.#set({ busy: true });
    const result = await this.#read(round);
    // A change of the range or connection has started another round.
    if (this.#round !== round) return;
    this.#set({ busy: false, ...(round.signal.aborted ? {} : result) });
  }

  async #read({ client, signal }: ConnectedPlatform): Promise<Partial<BillingState>> {
    const { bucketSize, lastN } = BILLING_RANGES[this.#state.range];
    try {
      const response = await client.listBilling({ query: { bucketSize, lastN } }, { signal });
      return { report: { response, updatedAt: this.#clock.now() }, error: undefined };
    } catch (error) {
      return { error: error as ApiError };
    }
  }

  #set(change: Partial<BillingState>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed.fire();
  }
}
