import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../../contract/job.ts';
import { dataSize } from '../../../text/quantities.ts';
import { sizeProblemOf } from './jobInput.ts';

/* Files as data URLs in a job file. */

const OTHER = 'application/octet-stream';
const MIME_TYPES: Readonly<Record<string, string>> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ svg: 'image/svg+xml', bmp: 'image/bmp', tif: 'image/tiff', tiff: 'image/tiff', ico: 'image/x-icon' },
  ...{ avif: 'image/avif', heic: 'image/heic', heif: 'image/heif', jxl: 'image/jxl' },
  ...{ mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', flac: 'audio/flac', m4a: 'audio/mp4', aac: 'audio/aac' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', mov: 'video/quicktime', mkv: 'video/x-matroska', avi: 'video/x-msvideo' },
  ...{ pdf: 'application/pdf', zip: 'application/zip', gz: 'application/gzip', json: 'application/json' },
  ...{ txt: 'text/plain', md: 'text/markdown', csv: 'text/csv', html: 'text/html', xml: 'application/xml' },
};

/** Returns the MIME type that the extension of a file name stands for. */
export function mimeTypeOf(fileName: string): string {
  const extension = path.posix.extname(fileName).slice(1).toLowerCase();
  return Object.hasOwn(MIME_TYPES, extension) ? (MIME_TYPES[extension] ?? OTHER) : OTHER;
}

export function dataUrl(mimeType: string, content: Uint8Array): string {
  return `data:${mimeType};base64,${Buffer.from(content).toString('base64')}`;
}

/** Returns the length of the data URL of a file with this size, in bytes. */
export function dataUrlLength(mimeType: string, size: number): number {
  return `data:${mimeType};base64,`.length + 4 * Math.ceil(size / 3);
}

/** Whether a request with a data URL fits in the limits of the platform, and the label of the action that inserts it. */
export type Fit = { readonly fits: true; readonly label: string } | { readonly fits: false; readonly limit: number };

/** @param length length of the data URLs, in bytes @param rest size of the rest of the request, in bytes */
export function fitOf(length: number, rest: number): Fit {
  const total = length + rest;
  if (sizeProblemOf(total, 'runSync')) return { fits: false, limit: MAX_RUN_SYNC_BYTES };
  const words = dataSize(length);
  const limit = sizeProblemOf(total, 'run')
    ? l10n.t`${words} of ${dataSize(MAX_RUN_SYNC_BYTES)}, only for Run and Wait`
    : l10n.t`${words} of ${dataSize(MAX_RUN_BYTES)}`;
  return { fits: true, label: l10n.t`Insert as Data URL (${limit})` };
}
