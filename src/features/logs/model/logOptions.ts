import { MAX_TAIL, type LogSource } from '../../../contract/workerLogs.ts';
import type { TimestampMode } from './logClock.ts';
import { LOG_LEVELS, type LogLevel } from './logLevel.ts';
import { parseMoment } from './moments.ts';

export const SOURCE_CHOICES = ['both', 'container', 'system'] as const;
export type SourceChoice = (typeof SOURCE_CHOICES)[number];

/** How the panel shows logs. */
export interface LogViewOptions {
  readonly source: SourceChoice;
  readonly timestamps: TimestampMode;
  /** Lines below this level are hidden. A line without a level counts as `info`. */
  readonly minimumLevel: LogLevel;
}

/**
 * Lines with which a new log begins: a number of past lines, or the lines since a time in ms since the epoch. With a source, only lines of
 * this source count.
 */
export type Backfill = { readonly tail: number; readonly source?: LogSource } | { readonly since: number };

export const DEFAULT_BACKFILL = 1_000;

/**
 * Parses a backfill: a number of lines from 0 to 5000, or a moment such as `10 min ago`.
 *
 * @param now ms since the epoch
 * @returns undefined for anything else
 */
export function parseBackfill(value: unknown, now: number): Backfill | undefined {
  const text = String(value).trim();
  if (/^\d{1,6}$/.test(text)) return Number(text) <= MAX_TAIL ? { tail: Number(text) } : undefined;
  const since = parseMoment(text, now);
  return since === undefined ? undefined : { since };
}

/** Returns whether a line with this level is shown. */
export function isLevelShown(level: LogLevel | undefined, minimum: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level ?? 'info') >= LOG_LEVELS.indexOf(minimum);
}
