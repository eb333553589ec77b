import * as l10n from '@vscode/l10n';

/* Quantities as people read them. */

/** Formats a duration, such as `59 s`, `12 min`, `3 h 5 min`, or `2 d 4 h`. */
export function duration(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 60) return l10n.t`${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return l10n.t`${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? l10n.t`${hours} h ${minutes % 60} min` : l10n.t`${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats a duration in ms, such as `3 s` or `2 min 5 s`. */
export function shortDuration(ms: number): string {
  const whole = Math.floor(ms / 1000);
  return whole < 60 ? l10n.t`${whole} s` : l10n.t`${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Formats a duration in ms, with tenths of a second below ten seconds and milliseconds below one second: `1.2 s`, `300 ms`. */
export function preciseDuration(ms: number): string {
  if (ms < 1_000) return l10n.t`${Math.round(ms)} ms`;
  return ms < 10_000 ? l10n.t`${(ms / 1000).toFixed(1)} s` : shortDuration(ms);
}

const UNITS = ['KB', 'MB', 'GB'] as const;

/**
 * Formats an amount of data, such as `12 B`, `1.2 KB`, or `30 MB`. Like the editor, counts 1,024 bytes as 1 KB. Rounds up, so that a size
 * over a limit never reads as the limit.
 */
export function dataSize(bytes: number): string {
  return sizeIn(bytes, 1024);
}

/** Formats an amount of data in a volume. Like the sizes of volumes, counts 1,000 bytes as 1 KB. Rounds up. */
export function volumeDataSize(bytes: number): string {
  return sizeIn(bytes, 1000);
}

function sizeIn(bytes: number, kilobyte: number): string {
  if (bytes < kilobyte) return `${bytes} B`;
  let value = bytes / kilobyte;
  let unit = 0;
  while (rounded(value, unit) >= kilobyte && unit < UNITS.length - 1) {
    value /= kilobyte;
    unit++;
  }
  return `${rounded(value, unit)} ${UNITS[unit] ?? ''}`;
}

/** Rounds up to three significant digits at most. Kilobytes have a decimal only below 10. */
function rounded(value: number, unit: number): number {
  const steps = value < (unit === 0 ? 10 : 100) ? 10 : 1;
  return Math.ceil(value * steps) / steps;
}
