import type { BillingResponse } from '../../contract/billing.ts';
import type { EndpointBillingReport } from '../../contract/billingReports.ts';
import { bucketsOf, type BillingWindow, type Bucket } from './buckets.ts';
import { USAGE_KINDS, type Charge, type UsageKind } from './metering.ts';
import { usd, type NanoUsd } from './money.ts';
import { dateTime } from '../../contract/dateTime.ts';

/*
 * Usage totals for the buckets of a window. Amounts are added as integers and then converted to dollars, so totals equal the sums of the
 * records exactly, up to a million dollars. A window may have hundreds of thousands of buckets. The report creates records in small
 * batches while they are read, so they are never all in memory.
 */

/** Returns the charges in [from, to). Both are bucket boundaries of the window. */
export type Sums = (from: number, to: number) => Iterable<Charge>;

/** A response whose records come in batches. */
export interface Report<Answer extends { readonly records: readonly unknown[]; readonly metadata: unknown }> {
  /** Batches of records, in order. Can be iterated only once. */
  readonly batches: Iterable<Answer['records']>;
  /** Metadata with the totals of all records. Valid only after all batches have been read. */
  readonly metadata: () => Answer['metadata'];
}

/** Nano-dollars by kind. */
type Spend = Map<UsageKind, NanoUsd>;

function totalAmount(spend: Spend): number {
  let sum = 0n;
  for (const nanoUsd of spend.values()) sum += nanoUsd;
  return usd(sum);
}

function add(spend: Spend, { kind, nanoUsd }: Charge): void {
  spend.set(kind, (spend.get(kind) ?? 0n) + nanoUsd);
}

type Times = Readonly<Record<'startTime' | 'endTime', string>>;

function times({ start, end }: Bucket): Times {
  return { startTime: dateTime(start), endTime: dateTime(end) };
}

/** Spend of one resource, or of all resources, in one bucket. */
interface Line {
  readonly bucket: Bucket;
  readonly resourceId: string;
  readonly spend: Spend;
}

/** Converts lines to records, and adds up their totals. */
function reportOf<Row>(
  window: BillingWindow,
  sums: Sums,
  { toLines, toRecord }: { toLines: (part: Part) => Line[]; toRecord: (line: Line) => Row },
) {
  const all: Spend = new Map();
  const resources = new Set<string>();
  let recordCount = 0;
  function* batches(): Generator<Row[]> {
    for (const part of partsOf(window, sums)) {
      const lines = toLines(part);
      for (const { resourceId, spend } of lines) {
        recordCount++;
        resources.add(resourceId);
        for (const [kind, nanoUsd] of spend) add(all, { kind, nanoUsd, resourceId, at: 0 });
      }
      yield lines.map(toRecord);
    }
  }
  return { batches: batches(), all, resources, count: () => recordCount };
}

/** Reports the spend of the whole account. Every bucket of the window has a record, even without spend. */
export function billingReport(sums: Sums, window: BillingWindow): Report<BillingResponse> {
  const { batches, all, count } = reportOf(window, sums, {
    toLines: ({ buckets, charges }) => {
      const lines = buckets.map((bucket) => ({ bucket, resourceId: '', spend: new Map() as Spend }));
      for (const charge of charges) {
        const line = lines[indexAt(buckets, charge.at)];
        if (line) add(line.spend, charge);
      }
      return lines;
    },
    toRecord: ({ bucket, spend }) => ({ ...times(bucket), ...allAmounts(spend) }),
  });
  return {
    batches,
    metadata: () => ({
      query: { ...times(window), bucketSize: window.bucketSize },
      recordCount: count(),
      totals: allAmounts(all),
    }),
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
    for (const [name, kind] of names) amounts[name] = usd(spend.get(kind) ?? 0n);
    return amounts as Amounts<Amount>;
  };
}

/** Reports the spend on public endpoints, which have no IDs. Every bucket with spend has a record. */
export function publicEndpointReport(sums: Sums, window: BillingWindow): Report<EndpointBillingReport> {
  const { batches, all, count } = reportOf(window, sums, {
    toLines: linesWithSpend,
    toRecord: ({ bucket, spend }) => ({ ...times(bucket), totalAmount: totalAmount(spend) }),
  });
  return {
    batches,
    metadata: () => ({
      query: { ...times(window), bucketSize: window.bucketSize },
      recordCount: count(),
      totals: { totalAmount: totalAmount(all) },
    }),
  };
}

/** Form of a report on one type of resource: its amounts with their kinds of usage, and the names of its ID and count members. */
export interface ReportForm<Amount extends string, Id extends string, Count extends string> {
  readonly amounts: Readonly<Record<Amount, UsageKind>>;
  readonly id: Id;
  readonly count: Count;
}

// A type alias, because an interface is not assignable where the contract allows further members.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type ResourceReport<Amount extends string, Id extends string, Count extends string> = {
  records: (Times & Record<Id, string> & Amounts<Amount>)[];
  metadata: {
    query: Times & Pick<BillingWindow, 'bucketSize'> & Record<Id, string | null>;
    recordCount: number;
    totals: Amounts<Amount>;
  } & Record<Count, number>;
};

/**
 * Reports the spend of each resource. Every bucket and resource with spend has a record, ordered by time, then by resource.
 *
 * @param filter the ID of the only resource in the report; undefined for all resources
 */
export function resourceReport<Amount extends string, Id extends string, Count extends string>(
  form: ReportForm<Amount, Id, Count>,
  sums: Sums,
  window: BillingWindow,
  filter: string | undefined,
): Report<ResourceReport<Amount, Id, Count>> {
  const amounts = amountsOf(form.amounts);
  const named = <Name extends string, Value>(name: Name, value: Value) => ({ [name]: value }) as Record<Name, Value>;
  const { batches, all, resources, count } = reportOf(window, sums, {
    toLines: linesWithSpend,
    toRecord: ({ bucket, resourceId, spend }) => ({
      ...times(bucket),
      ...named(form.id, resourceId),
      ...amounts(spend),
    }),
  });
  return {
    batches,
    metadata: () => ({
      query: { ...times(window), bucketSize: window.bucketSize, ...named(form.id, filter ?? null) },
      recordCount: count(),
      ...named(form.count, resources.size),
      totals: amounts(all),
    }),
  };
}

function linesWithSpend({ buckets, charges }: Part): Line[] {
  const lines = new Map<string, Line>();
  for (const charge of charges) {
    const { resourceId } = charge;
    const index = indexAt(buckets, charge.at);
    const bucket = buckets[index];
    if (!bucket) continue;
    const key = `${index} ${resourceId}`;
    let line = lines.get(key);
    if (!line) lines.set(key, (line = { bucket, resourceId, spend: new Map() }));
    add(line.spend, charge);
  }
  return [...lines.values()].sort(
    (one, other) => one.bucket.start - other.bucket.start || (one.resourceId < other.resourceId ? -1 : 1),
  );
}

/** Consecutive buckets with their charges. */
interface Part {
  readonly buckets: readonly Bucket[];
  readonly charges: Iterable<Charge>;
}

/** Approximate number of buckets and sums in memory at a time. */
const MAX_PART_BUCKETS = 2_000;
const MAX_PART_SUMS = 5_000;
const INITIAL_PART_BUCKETS = 500;

/** Splits the window into parts. The more charges the buckets have, the fewer buckets are in a part. */
function* partsOf(window: BillingWindow, sums: Sums): Generator<Part> {
  let size = INITIAL_PART_BUCKETS;
  let read = 0;
  function* counted(charges: Iterable<Charge>): Generator<Charge> {
    for (const charge of charges) {
      read++;
      yield charge;
    }
  }
  let buckets: Bucket[] = [];
  const part = (): Part => {
    const [first, last] = [buckets[0], buckets.at(-1)];
    return { buckets, charges: counted(sums(first?.start ?? 0, last?.end ?? 0)) };
  };
  for (const bucket of bucketsOf(window)) {
    buckets.push(bucket);
    if (buckets.length < size) continue;
    yield part();
    size = read > MAX_PART_SUMS ? Math.max(1, size >> 1) : Math.min(MAX_PART_BUCKETS, size * 2);
    [buckets, read] = [[], 0];
  }
  if (buckets.length > 0) yield part();
}

/** Returns the index of the bucket that contains a moment. */
function indexAt(buckets: readonly Bucket[], moment: number): number {
  let [low, high] = [0, buckets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((buckets[middle]?.end ?? Infinity) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
