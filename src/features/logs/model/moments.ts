import * as l10n from '@vscode/l10n';
import { duration } from '../../../text/quantities.ts';
import { LogClock } from './logClock.ts';

/* Times as people type them. */

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNIT = '(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)';
const AMOUNT = `(\\d{1,6}(?:\\.\\d{1,3})?)\\s*${UNIT}`;
const AGO = new RegExp(`^${AMOUNT}(?:\\s*,?\\s*${AMOUNT})?(?:\\s*,?\\s*${AMOUNT})?(?:\\s+ago)?$`, 'i');
const TIME = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?m\.?)?`;
const DATE = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const TIME_ONLY = new RegExp(`^${TIME}$`, 'i');
const DATE_AND_TIME = new RegExp(String.raw`^${DATE}(?:(?:\s+|T)${TIME}\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$`, 'i');

/** Groups of a match. */
type Parts = readonly (string | undefined)[];

/**
 * Parses a moment: `now`, `10 min ago`, `1h 30m`, `14:05`, `2:05 pm`, `14:05:30.5`, `2026-11-22`, `2026-11-22 14:05`, or RFC 3339. A time
 * without a date is the last such time before `now`.
 *
 * @param now ms since the epoch
 * @param timeZone of times without an offset. Default: that of the machine.
 * @returns ms since the epoch, or undefined for other text and for dates that do not exist or are before 1970
 */
export function parseMoment(text: string, now: number, timeZone?: string): number | undefined {
  const trimmed = text.trim();
  if (/^now$/i.test(trimmed)) return now;
  const ago = AGO.exec(trimmed);
  if (ago) return notBefore1970(now - amount(ago.slice(1)));
  const time = TIME_ONLY.exec(trimmed);
  if (time) return lastTimeOfDay(timeOfDay(time.slice(1)), now, timeZone);
  const full = DATE_AND_TIME.exec(trimmed);
  if (!full) return undefined;
  const day = dayOf(full.slice(1, 4));
  const at = full[4] === undefined ? 0 : timeOfDay(full.slice(4, 9));
  if (day === undefined || at === undefined) return undefined;
  const offset = full[9];
  return notBefore1970(offset === undefined ? inZone(day + at, timeZone) : day + at - offsetOf(offset));
}

/** Describes a moment: `today at 14:05:30.500 (10 min ago)`, or `2026-11-22 at 14:05:30`. */
export function describeMoment(at: number, now: number, timeZone?: string): string {
  const clock = new LogClock(timeZone);
  const moment = clock.read(at);
  if (!moment) return l10n.t('an invalid time');
  const { day, time } = moment;
  const isToday = day === clock.read(now)?.day;
  const ago = at < now ? l10n.t` (${duration((now - at) / 1000)} ago)` : '';
  return l10n.t`${isToday ? l10n.t('today') : day} at ${time.replace(/\.000$/, '')}${ago}`;
}

function amount(parts: Parts): number {
  let sum = 0;
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const unit = parts[index + 1]?.charAt(0).toLowerCase() ?? '';
    sum += Number(parts[index] ?? 0) * (UNITS_MS[unit] ?? 0);
  }
  return sum;
}

/** @param parts hours, minutes, seconds, fraction, and `a` or `p` */
function timeOfDay([hours, minutes, seconds = '0', fraction = '0', half]: Parts): number | undefined {
  const hour = Number(hours);
  const minute = Number(minutes);
  const second = Number(seconds);
  if (minute > 59 || second > 59) return undefined;
  if (half === undefined ? hour > 23 : hour < 1 || hour > 12) return undefined;
  const shifted = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return ((shifted * 60 + minute) * 60 + second) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** Returns the beginning of a day in UTC, or undefined for a day that does not exist. @param parts year, month, and day */
function dayOf(parts: Parts): number | undefined {
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  const at = Date.UTC(year, month - 1, day);
  const date = new Date(at);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? at : undefined;
}

function lastTimeOfDay(time: number | undefined, now: number, timeZone: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const today = Math.floor(wallClock(now, timeZone) / DAY_MS) * DAY_MS;
  const at = inZone(today + time, timeZone);
  return at <= now ? at : inZone(today - DAY_MS + time, timeZone);
}

const DAY_MS = 86_400_000;

/** Returns the moment at which the clocks of a zone show a time. @param wall that time, as if it were UTC */
function inZone(wall: number, timeZone: string | undefined): number {
  const offset = (at: number): number => wallClock(at, timeZone) - at;
  // The first result can be on the other side of a change of the clocks.
  return wall - offset(wall - offset(wall));
}

/** Returns the time that the clocks of a zone show, as if it were UTC. */
function wallClock(at: number, timeZone: string | undefined): number {
  const time = new LogClock(timeZone).read(at);
  return time ? Date.parse(`${time.day}T${time.time}Z`) : NaN;
}

/** Returns an offset such as `+01:00` in ms. */
function offsetOf(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -size : size;
}

function notBefore1970(at: number): number | undefined {
  return at >= 0 ? at : undefined;
}

/** Times of the first and the last line of a log, in ms since the epoch. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses a time in a log. A time without a date is the last such time before the end of the log, and not before now, because the log can
 * have ended days ago.
 */
export function timeIn(text: string, span: TimeSpan, now: number, timeZone?: string): number | undefined {
  const at = parseMoment(text, now, timeZone);
  if (at === undefined || at <= span.to) return at;
  // A time such as "10 min ago" depends on the exact time of the request.
  const isRelative = parseMoment(text, now + 1, timeZone) !== at;
  return isRelative ? at : parseMoment(text, span.to, timeZone);
}
