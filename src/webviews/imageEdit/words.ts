import * as l10n from '@vscode/l10n';
import { language } from '../language/language.ts';
import type { ImageEditPhase, ImageEditPicture, ImageEditResult } from './messages.ts';
import type { Zoom } from './viewport.ts';

/* Texts of the page. Durations are in ms. */

export const IMAGE = l10n.t({ message: 'Image', comment: 'A picture' });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Formats a short duration: `320 ms`, `1.4 s`, or `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return l10n.t`${Math.round(ms)} ms`;
  if (ms < MINUTE) return l10n.t`${tenths.format(ms / SECOND)} s`;
  return l10n.t`${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
}

/** Formats the time since a moment in whole seconds, so that the text changes once a second. */
export function elapsedText(ms: number): string {
  return ms < MINUTE ? l10n.t`${Math.max(0, Math.floor(ms / SECOND))} s` : durationText(ms);
}

/** Describes how long an address remains valid: `Expires in 6 d 23 h`. */
export function expiryText(expiresAt: number, now: number): string {
  const left = expiresAt - now;
  if (left <= 0) return l10n.t('Expired');
  if (left >= DAY) return l10n.t`Expires in ${Math.floor(left / DAY)} d ${Math.floor((left % DAY) / HOUR)} h`;
  if (left >= HOUR) return l10n.t`Expires in ${Math.floor(left / HOUR)} h ${Math.floor((left % HOUR) / MINUTE)} min`;
  return l10n.t`Expires in ${elapsedText(Math.max(SECOND, left))}`;
}

/** Formats an amount in USD: `$0.02` or `$0.020972`. */
export function dollars(usd: number): string {
  const options: Intl.NumberFormatOptions = {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  };
  return new Intl.NumberFormat(language, options).format(usd);
}

/** Describes the cost of an edit. The local platform bills nothing. */
export function costText(usd: number, isLocal: boolean): string {
  return isLocal ? l10n.t`${dollars(usd)}, not billed` : dollars(usd);
}

const decimal = new Intl.NumberFormat(language, { useGrouping: false });

/** Formats the size of a file with 1,024 bytes per KB. Rounds up, like the editor. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return l10n.t`${bytes} B`;
  if (bytes < 1_048_576) return l10n.t`${roundedUp(bytes / 1_024)} KB`;
  return l10n.t`${roundedUp(bytes / 1_048_576)} MB`;
}

function roundedUp(value: number): string {
  return decimal.format(value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value));
}

export function pictureText({ width, height, bytes }: ImageEditPicture): string {
  return l10n.t`${width} × ${height}, ${sizeText(bytes)}`;
}

export const PHASES: Readonly<Record<ImageEditPhase, string>> = {
  starting: l10n.t('Sending the image…'),
  waiting: l10n.t('Waiting for the rate limit…'),
  queued: l10n.t('Waiting for a worker…'),
  running: l10n.t('Editing…'),
  loading: l10n.t('Loading the result…'),
  canceling: l10n.t('Canceling…'),
};

export function zoomText(zoom: Zoom): string {
  return zoom === 'fit' ? l10n.t('Fit') : l10n.t`${zoom * 100} %`;
}

/** Describes the position of the divider for screen readers. */
export function dividerText(divider: number): string {
  return l10n.t`Before: ${divider} %, after: ${100 - divider} %`;
}

/** Announces a finished edit. */
export function finishedText({ executionTime, after }: ImageEditResult): string {
  const duration = executionTime === undefined ? undefined : durationText(executionTime);
  if (!after) return duration === undefined ? l10n.t('Edited.') : l10n.t`Edited in ${duration}.`;
  const { width, height } = after;
  return duration === undefined
    ? l10n.t`Edited, ${width} by ${height} pixels.`
    : l10n.t`Edited in ${duration}, ${width} by ${height} pixels.`;
}

/** Counts the characters of a field. */
export function lengthText(length: number, longest: number): string {
  const [used, allowed] = [length.toLocaleString(language), longest.toLocaleString(language)];
  return length > longest
    ? l10n.t`${used} of ${allowed} characters: too long`
    : l10n.t`${used} of ${allowed} characters`;
}

/** Formats a moment in the time zone of the reader. */
export function momentText(moment: Date): string {
  return moment.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
}
