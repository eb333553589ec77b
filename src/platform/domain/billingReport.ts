import type { BillingResponse } from '../../contract/billing.ts';
import type { EndpointBillingReport } from '../../contract/billingReports.ts';
import { bucketsOf, type BillingWindow, type Bucket } from './buckets.ts';
import { USAGE_KINDS, type Charge, type UsageKind } from './metering.ts';
import { Refusal } from './refusal.ts';

/*
 * Sums of usage, told by the buckets of a window (interface document, Endpoints 1; facts, section 10). Amounts are added as integers of
 * nano-dollars and only then written as dollars: totals are exactly the sums of the records, digit by digit (up to a million dollars,
 * where a JSON number can no longer tell nano-dollars apart).
 */

/** Nano-dollars by kind. */
type Spend = Map<UsageKind, number>;

const usd = (nanoUsd: number): number => nanoUsd / 1e9;

function totalAmount(spend: Spend): number {
  let sum = 0;
  for (const nanoUsd of spend.values()) sum += nanoUsd;
  return usd(sum);
}

function add(spend: Spend, { kind, nanoUsd }: Charge): void {
  spend.set(kind, (spend.get(kind) ?? 0) + nanoUsd);
}

type Times = Readonly<Record<'startTime' | 'endTime', string>>;

function times({ start, end }: Bucket): Times {
  return { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() };
}

/** The spend of the whole account. Every bucket of the window has a record, also one without spend. */
export function billingReport(usage: Iterable<Charge>, window: BillingWindow): BillingResponse {
  const buckets = bucketsOf(window).map((bucket) => ({ bucket, spend: new Map() as Spend }));
  const all: Spend = new Map();
  for (const charge of usage) {
    const found = buckets[indexAt(buckets, charge.at)];
    if (!found) continue;
    add(found.spend, charge);
    add(all, charge);
  }
  return {
    records: buckets.map(({ bucket, spend }) => ({ ...times(bucket), ...allAmounts(spend) })),
    metadata: {
      query: { ...times(window), bucketSize: window.bucketSize },
      recordCount: buckets.length,
      totals: allAmounts(all),
    },
  };
}

const ALL_AMOUNTS = Object.fromEntries(USAGE_KINDS.map((kind) => [`${kind}Amount`, kind])) as Record<
  `${UsageKind}Amount`,
  UsageKind
>;

const allAmounts = amountsOf(ALL_AMOUNTS);

type Amounts<Amount extends string> = { totalAmount: number } & Record<Amount, number>;

/** Writes spend as amounts under these names. */
function amountsOf<Amount extends string>(kinds: Readonly<Record<Amount, UsageKind>>) {
  const names = Object.entries<UsageKind>(kinds);
  return (spend: Spend): Amounts<Amount> => {
    const amounts: Record<string, number> = { totalAmount: totalAmount(spend) };
    for (const [name, kind] of names) amounts[name] = usd(spend.get(kind) ?? 0);
    return amounts as Amounts<Amount>;
  };
}

/** The spend on public endpoints, which have no ids: a record for each bucket with spend. */
export function publicEndpointReport(usage: Iterable<Charge>, window: BillingWindow): EndpointBillingReport {
  const all: Spend = new Map();
  const lines = linesOf(usage, window, all);
  return {
    records: lines.map(({ bucket, spend }) => ({ ...times(bucket), totalAmount: totalAmount(spend) })),
    metadata: {
      query: { ...times(window), bucketSize: window.bucketSize },
      recordCount: lines.length,
      totals: { totalAmount: totalAmount(all) },
    },
  };
}

/** What a report on one sort of resource tells: its amounts with the kinds of usage they are of, and how it names single resources. */
export interface ReportForm<Amount extends string, Id extends string, Count extends string> {
  readonly amounts: Readonly<Record<Amount, UsageKind>>;
  readonly id: Id;
  readonly count: Count;
}

// A type, as an interface could not stand where the contract allows further members.
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions
export type ResourceReport<Amount extends string, Id extends string, Count extends string> = {
  records: (Times & Record<Id, string> & Amounts<Amount>)[];
  metadata: {
    query: Times & Pick<BillingWindow, 'bucketSize'> & Record<Id, string | null>;
    recordCount: number;
    totals: Amounts<Amount>;
  } & Record<Count, number>;
};

/** Records one answer may hold: a year of days of some 270 resources, or of hours of some 11. */
export const MAX_RECORDS = 100_000;

/**
 * The spend of each resource: a record for each bucket and resource with spend, by time, then by resource.
 *
 * @param filter the one resource that was asked for
 * @throws Refusal 400 for more than MAX_RECORDS
 */
export function resourceReport<Amount extends string, Id extends string, Count extends string>(
  form: ReportForm<Amount, Id, Count>,
  usage: Iterable<Charge>,
  window: BillingWindow,
  filter: string | undefined,
): ResourceReport<Amount, Id, Count> {
  const all: Spend = new Map();
  const lines = linesOf(usage, window, all);
  const amounts = amountsOf(form.amounts);
  const named = <Name extends string, Value>(name: Name, value: Value) => ({ [name]: value }) as Record<Name, Value>;
  return {
    records: lines.map(({ bucket, resourceId, spend }) => ({
      ...times(bucket),
      ...named(form.id, resourceId),
      ...amounts(spend),
    })),
    metadata: {
      query: { ...times(window), bucketSize: window.bucketSize, ...named(form.id, filter ?? null) },
      recordCount: lines.length,
      ...named(form.count, new Set(lines.map(({ resourceId }) => resourceId)).size),
      totals: amounts(all),
    },
  };
}

interface Line {
  readonly bucket: Bucket;
  readonly resourceId: string;
  readonly spend: Spend;
}

function linesOf(usage: Iterable<Charge>, window: BillingWindow, all: Spend): Line[] {
  const buckets = bucketsOf(window).map((bucket) => ({ bucket, lines: new Map<string, Line>() }));
  let count = 0;
  for (const charge of usage) {
    const { resourceId } = charge;
    const found = buckets[indexAt(buckets, charge.at)];
    if (!found) continue;
    let line = found.lines.get(resourceId);
    if (!line) {
      if (++count > MAX_RECORDS) throw tooManyRecords();
      line = { bucket: found.bucket, resourceId, spend: new Map() };
      found.lines.set(resourceId, line);
    }
    add(line.spend, charge);
    add(all, charge);
  }
  const byId = (one: Line, other: Line): number => (one.resourceId < other.resourceId ? -1 : 1);
  return buckets.flatMap(({ lines }) => [...lines.values()].sort(byId));
}

function tooManyRecords(): Refusal {
  return new Refusal(
    400,
    `the answer holds more than ${MAX_RECORDS} records; ask for a shorter window, larger buckets or a single resource`,
  );
}

/** Index of the bucket that a moment lies in. */
function indexAt(buckets: readonly { readonly bucket: Bucket }[], moment: number): number {
  let [low, high] = [0, buckets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((buckets[middle]?.bucket.end ?? Infinity) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
