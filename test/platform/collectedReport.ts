import type { Report, Sums } from '../../src/platform/domain/billingReport.ts';
import type { Charge } from '../../src/platform/domain/metering.ts';

/** Wraps charges as the sums that a report reads. */
export function sumsOf(charges: readonly Charge[]): Sums {
  return (from, to) => charges.filter(({ at }) => at >= from && at < to);
}

/** Collects a report into its response. */
export function collectReport<Answer extends { records: readonly unknown[]; metadata: unknown }>({
  batches,
  metadata,
}: Report<Answer>): Answer {
  const records = [...batches].flat();
  return { records, metadata: metadata() } as unknown as Answer;
}
