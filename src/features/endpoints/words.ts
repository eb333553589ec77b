import { PROCESS_IMAGE_PREFIX } from '../../contract/manifest.ts';
import type { Condition } from './endpointSnapshot.ts';

/* Texts that rows, tooltips, and documents share. */

export const conditionWords: Readonly<Record<Condition, string>> = {
  unhealthy: 'unhealthy',
  throttled: 'throttled',
  running: 'running',
  initializing: 'initializing',
  idle: 'idle',
  paused: 'paused',
  noWorkers: 'no workers',
  unknown: 'workers unknown',
};

/** Shortens a process image, which is a directory on this machine, to its last part. */
export function imageName(image: string): string {
  if (!image.startsWith(PROCESS_IMAGE_PREFIX)) return image;
  return `${PROCESS_IMAGE_PREFIX}…/${lastPart(image)}`;
}

/** Returns an image for a row, without its registry and folders, such as `worker:1.2`. */
export function shortImage(image: string): string {
  return image.startsWith(PROCESS_IMAGE_PREFIX) ? `${lastPart(image)}/` : lastPart(image.split('@sha256:', 1)[0] ?? '');
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
}

/** Formats a duration, such as `59 s`, `12 min`, `3 h 5 min`, or `2 d 4 h`. */
export function duration(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
