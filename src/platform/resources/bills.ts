import type { BillingQuery } from '../../contract/billing.ts';
import type { Sums } from '../domain/billingReport.ts';
import { resolveWindow, type BillingWindow } from '../domain/buckets.ts';
import type { UsageKind } from '../domain/metering.ts';
import type { UsageQuery, UsageStore } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';

/** Usage of an account in the window of a query. */
export interface Bill {
  readonly window: BillingWindow;
  /** Reads sums from the store on demand. */
  readonly sums: Sums;
}

/** Creates the bills of all accounts. */
export class Bills {
  readonly #usage: Pick<UsageStore, 'sums'>;
  readonly #clock: Clock;

  constructor(usage: Pick<UsageStore, 'sums'>, clock: Clock) {
    this.#usage = usage;
    this.#clock = clock;
  }

  /** Returns the bill of an account. @param of grouping of resources, as in `UsageQuery` @throws Refusal if the window is invalid */
  of(accountId: string, query: BillingQuery, of: UsageQuery['of'], kinds: readonly UsageKind[]): Bill {
    const now = this.#clock.now();
    const window = resolveWindow(query, now);
    // All buckets except hours start and end on day boundaries.
    const grain = window.bucketSize === 'hour' ? 'hour' : 'day';
    return { window, sums: (from, to) => this.#usage.sums({ accountId, grain, from, to, of, kinds }, now) };
  }
}
