import type { Charge, Usage, UsageKind } from '../domain/metering.ts';

/** Sums of usage in [from, to), which are whole hours, or whole days for the grain day. */
export interface UsageQuery {
  /** Whose bill it is on. Left out: that of the owner of the platform. */
  readonly accountId?: string | undefined;
  readonly grain: 'hour' | 'day';
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly UsageKind[];
  /** All resources together, as the resource '' of the answer; each by itself; or only one. */
  readonly of: 'account' | 'eachResource' | { readonly resourceId: string };
}

/**
 * What has been used. Called within the transaction of the change it comes from, so that nothing is charged that did not happen, and
 * nothing happens uncharged.
 */
export interface UsageStore {
  /** From now on it costs, also while the platform is not running, until `endUsage`. */
  start(usage: Usage): void;
  /** Ends whatever this source has going. */
  end(sourceId: string, endedAt: number): void;
  /** Something that is paid once. */
  record(charge: Charge): void;
  /**
   * Sums up what was used in the hours that are over: for its speed only, as `usageSums` tells the same before and after.
   */
  settle(now: number): void;
  /**
   * What was used up to now, summed by grain: `at` is the start of its hour or day, or, of what still accrues, of its hour.
   * A sum may come in several parts. To be read at once, before anything is written.
   */
  sums(query: UsageQuery, now: number): Iterable<Charge>;
}
