import type { BillingQuery } from '../../contract/billing.ts';
import type { Sums } from '../domain/billingReport.ts';
import { resolveWindow, type BillingWindow } from '../domain/buckets.ts';
import type { UsageKind } from '../domain/metering.ts';
import type { UsageQuery, UsageStore } from '../store/usageStore.ts';
import type { Clock } from '../time/clock.ts';

/** Usage of an account in the window of a query. */
export interface Bill {
  readonly window: BillingWindow;
  /** Read from the store as the report asks for them. */
  readonly sums: Sums;
}

/** The bills of all accounts. */
export class Bills {
  readonly #usage: Pick<UsageStore, 'sums'>;
  readonly #clock: Clock;

  constructor(usage: Pick<UsageStore, 'sums'>, clock: Clock) {
    this.#usage = usage;
    this.#clock = clock;
  }

  /** @param of how resources are added up, as in `UsageQuery`. @throws Refusal for a window that is refused */
  of(accountId: string, query: BillingQuery, of: UsageQuery['of'], kinds: readonly UsageKind[]): Bill {
    const now = this.#clock.now();
    const window = resolveWindow(query, now);
    // All buckets but hours begin and end with a day.
    const grain = window.bucketSize === 'hour' ? 'hour' : 'day';
    return { window, sums: (from, to) => this.#usage.sums({ accountId, grain, from, to, of, kinds }, now) };
  }
}
