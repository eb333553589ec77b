import { millisecondsOf } from '../../contract/dateTime.ts';
import type { Seed } from '../../contract/control/control.ts';
import { createJob, RETENTION_MS, type JobRecord } from './job.ts';
import { nanoUsd, type NanoUsd } from './money.ts';
import { HOUR_MS, startOf, type Charge, type UsageKind } from './metering.ts';

/* Converts seed data to jobs and charges. Times are milliseconds since the epoch. */

const UNITS = { s: 1_000, m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS } as const;

/** Parses a date-time, or an offset from now such as `-2h`. */
export function moment(text: string, now: number): number {
  const [, amount, unit] = /^-(\d+)([smhd])$/.exec(text) ?? [];
  return unit === undefined ? millisecondsOf(text) : now - Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** Creates a job as if it had been submitted at the given time. The retention time of an ended job starts now. */
export function createSeededJob(
  { status, at, delayTime = 0, executionTime = 0, output, error, webhook, policy }: Seed['jobs'][number],
  { id, endpointId, now }: { id: string; endpointId: string; now: number },
): JobRecord {
  const submittedAt = at === undefined ? now : moment(at, now);
  // The webhook of an ended job counts as delivered.
  const request = status === 'IN_QUEUE' ? { webhook, policy } : { policy };
  const queued = createJob(request, { id, endpointId, now: submittedAt });
  const readable = Math.max(queued.expiresAt, now + RETENTION_MS);
  if (status === 'IN_QUEUE') return { ...queued, expiresAt: readable };
  const ended = submittedAt + delayTime + executionTime;
  const started = status === 'CANCELLED' ? {} : { startedAt: submittedAt + delayTime };
  return { ...queued, ...started, status, finishedAt: ended, expiresAt: readable, output, error };
}

/** Returns the number of clock hours in which a time span lies, at least 1. It is the number of charges for the span. */
export const hoursBegun = (from: number, to = from): number =>
  Math.max(1, Math.ceil((to - startOf(HOUR_MS, from)) / HOUR_MS));

/** Divides an amount evenly among the clock hours of a time span. The charges add up exactly to the amount. */
export function usageCharges({
  kind,
  resourceId,
  usd,
  from,
  to = from,
}: {
  kind: UsageKind;
  resourceId: string;
  usd: number;
  from: number;
  to?: number | undefined;
}): Charge[] {
  const whole = nanoUsd(usd);
  const hours = hoursBegun(from, to);
  const upTo = (hour: number): NanoUsd => (whole * BigInt(hour)) / BigInt(hours);
  return Array.from({ length: hours }, (_, hour) => ({
    ...{ kind, resourceId, nanoUsd: upTo(hour + 1) - upTo(hour) },
    at: hour === 0 ? from : startOf(HOUR_MS, from) + hour * HOUR_MS,
  }));
}
