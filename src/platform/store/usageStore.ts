import type { Charge, Usage, UsageKind } from '../domain/metering.ts';

/** Selects sums of usage in [from, to). The bounds are whole hours, or whole days for the grain `day`. */
export interface UsageQuery {
  /** Account that pays. Omitted for the owner of the platform. */
  readonly accountId?: string | undefined;
  readonly grain: 'hour' | 'day';
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly UsageKind[];
  /** Selects the sum of all resources, under the resource ID ''; the sum of each resource; or the sum of one resource. */
  readonly of: 'account' | 'eachResource' | { readonly resourceId: string };
}

/**
 * Usage and charges. Call these methods in the transaction of the change that causes them, so that the charges match the changes
 * exactly.
 */
export interface UsageStore {
  /** Starts a cost that accrues until `end`, even while the platform is not running. */
  start(usage: Usage): void;
  /** Ends all usage of a source. */
  end(sourceId: string, endedAt: number): void;
  /** Records a single charge. */
  record(charge: Charge): void;
  /**
   * Adds some usage of past hours to the stored sums, within a few milliseconds. This only makes `sums` faster and does not change its
   * result. Returns true if there was such usage, so that more may be left.
   */
  settle(now: number): boolean;
  /**
   * Yields the usage up to now, summed by grain. `at` is the start of the hour or day. For usage that still accrues, it is the start of
   * the hour. A sum may have several parts. Finish the iteration before the next write.
   */
  sums(query: UsageQuery, now: number): Iterable<Charge>;
}
