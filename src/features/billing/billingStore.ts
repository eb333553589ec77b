import * as vscode from 'vscode';
import type { ApiError } from '../../client/apiError.ts';
import type { Clock } from '../../client/clock.ts';
import type { BillingResponse } from '../../contract/billing.ts';
import { Poller } from '../../vscode/poller.ts';
import type { BillingRange } from '../../webviews/billing/messages.ts';
import type { ConnectionStore } from '../connections/connectionStore.ts';
import { BILLING_RANGES, DEFAULT_BILLING_RANGE } from './billingRanges.ts';

export interface BillingReport {
  readonly response: BillingResponse;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface BillingState {
  readonly range: BillingRange;
  readonly busy: boolean;
  /** The last answer for this range and connection; it outlives a failure to get a newer one. */
  readonly report: BillingReport | undefined;
  readonly error: ApiError | undefined;
}

const INTERVAL_MS = 15_000;

/**
 * The spend of the current connection in the chosen range. It is read at once when somebody looks, and again every 15 seconds
 * while the window has the focus.
 */
export class BillingStore implements vscode.Disposable {
  readonly #connections: ConnectionStore;
  readonly #clock: Clock;
  readonly #poller: Poller;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #state: BillingState = { range: DEFAULT_BILLING_RANGE, busy: false, report: undefined, error: undefined };
  #visible = false;
  #focused = true;

  constructor(connections: ConnectionStore, clock: Clock) {
    this.#connections = connections;
    this.#clock = clock;
    this.#poller = new Poller({
      clock,
      poll: (signal) => this.#poll(signal),
      interval: () => (this.#focused ? INTERVAL_MS : undefined),
    });
    this.#subscription = connections.onDidChange(() => this.#restart());
  }

  get state(): BillingState {
    return this.#state;
  }

  /** Says whether somebody could see the spend. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#poller.setOn(visible && this.#connections.client !== undefined);
  }

  /** Says whether the window has the focus: without it nothing is read again. */
  setFocused(focused: boolean): void {
    if (focused && !this.#focused) this.#poller.wake();
    this.#focused = focused;
  }

  setRange(range: BillingRange): void {
    if (range === this.#state.range) return;
    this.#state = { ...this.#state, range };
    this.#restart();
  }

  /** Reads the spend now. */
  refresh(): void {
    this.#poller.wake();
  }

  dispose(): void {
    this.#poller.setOn(false);
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** What was read is of another range or connection. */
  #restart(): void {
    this.#poller.setOn(false);
    this.#set({ busy: false, report: undefined, error: undefined });
    this.setVisible(this.#visible);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { client } = this.#connections;
    if (!client) return;
    const { bucketSize, lastN } = BILLING_RANGES[this.#state.range];
    this.#set({ busy: true });
    try {
      const response = await client.listBilling({ query: { bucketSize, lastN } }, { signal });
      if (signal.aborted) return;
      this.#set({ busy: false, report: { response, updatedAt: this.#clock.now() }, error: undefined });
    } catch (error) {
      if (signal.aborted) return;
      this.#set({ busy: false, error: error as ApiError });
    }
  }

  #set(change: Partial<BillingState>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed.fire();
  }
}
