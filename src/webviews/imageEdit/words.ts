import type { ImageEditPhase, ImageEditPicture, ImageEditResult } from './messages.ts';
import type { Zoom } from './viewport.ts';

/* Texts of the page. Durations are in ms. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a short duration: `320 ms`, `1.4 s`, or `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
}

/** Formats the time since a moment in whole seconds, so that the text changes once a second. */
export function elapsedText(ms: number): string {
  return ms < MINUTE ? `${Math.max(0, Math.floor(ms / SECOND))} s` : durationText(ms);
}

/** Describes how long an address remains valid: `Expires in 6 d 23 h`. */
export function expiryText(expiresAt: number, now: number): string {
  const left = expiresAt - now;
  if (left <= 0) return 'Expired';
  if (left >= DAY) return `Expires in ${Math.floor(left / DAY)} d ${Math.floor((left % DAY) / HOUR)} h`;
  if (left >= HOUR) return `Expires in ${Math.floor(left / HOUR)} h ${Math.floor((left % HOUR) / MINUTE)} min`;
  return `Expires in ${durationText(Math.max(SECOND, Math.floor(left / SECOND) * SECOND)).replace('.0', '')}`;
}

/** Formats an amount in USD: `$0.02` or `$0.020972`. */
export function dollars(usd: number): string {
  const options = { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 6 } as const;
  return new Intl.NumberFormat('en-US', options).format(usd);
}

/** Formats the size of a file with 1,024 bytes per KB. Rounds up, like the editor. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const [value, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'KB'] : [bytes / 1_048_576, 'MB'];
  return `${value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value)} ${unit}`;
}

export function pictureText({ width, height, bytes }: ImageEditPicture): string {
  return `${width} × ${height}, ${sizeText(bytes)}`;
}

export const PHASES: Readonly<Record<ImageEditPhase, string>> = {
  starting: 'Sending the image',
  waiting: 'Waiting for the rate limit',
  queued: 'Waiting for a worker',
  running: 'Editing',
  loading: 'Loading the result',
  canceling: 'Canceling',
};

export function zoomText(zoom: Zoom): string {
  return zoom === 'fit' ? 'Fit' : `${zoom * 100} %`;
}

/** Describes the position of the divider for screen readers. */
export function dividerText(divider: number): string {
  return `Before: ${divider} %, after: ${100 - divider} %`;
}

/** Announces a finished edit. */
export function finishedText({ executionTime, after }: ImageEditResult): string {
  const size = after ? `, ${after.width} by ${after.height} pixels` : '';
  return `The image is edited${executionTime === undefined ? '' : ` in ${durationText(executionTime)}`}${size}.`;
}
