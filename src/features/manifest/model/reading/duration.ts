import * as l10n from '@vscode/l10n';
import type { Unit } from '../../../../contract/fieldFacts.ts';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a number of milliseconds or seconds, such as `5 min` or `1 h 30 min`. Undefined if that is not shorter to read. */
export function durationText(value: number, unit: Unit): string | undefined {
  if (unit === 'GB' || !Number.isFinite(value) || value <= 0) return undefined;
  const seconds = unit === 'ms' ? value / 1_000 : value;
  if (seconds < (unit === 'ms' ? 1 : 60)) return undefined;
  let rest = Math.round(seconds);
  const parts = UNITS.flatMap(([name, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  const isExact = Number.isInteger(seconds);
  return `${isExact ? '' : l10n.t('about ')}${parts.slice(0, 2).join(' ')}`;
}
