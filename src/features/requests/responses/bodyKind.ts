import type { HttpHeader } from '../model/httpFile.ts';

/** How a body is shown. */
export type BodyKind = 'empty' | 'json' | 'events' | 'text' | 'image' | 'binary';

export interface BodyType {
  readonly kind: BodyKind;
  /** Media type without parameters, in lowercase. Empty if the response has none. */
  readonly mediaType: string;
  /** Character encoding that the response names. */
  readonly charset: string | undefined;
  /** Usual suffix of a file with this content, without the dot. */
  readonly suffix: string;
}

/** Images that the editor can show. SVG is shown as text. */
const IMAGES: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/bmp': 'bmp',
  'image/avif': 'avif',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
};

const SUFFIXES: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'text/csv': 'csv',
  'text/css': 'css',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'image/svg+xml': 'svg',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/x-yaml': 'yaml',
  'application/yaml': 'yaml',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

const TEXTS =
  /^(?:text\/.+|application\/(?:.+\+xml|xml|javascript|x-ndjson|jsonl|yaml|x-yaml|graphql|x-www-form-urlencoded|toml)|image\/svg\+xml)$/;

/** Number of bytes that are examined if the response has no content type. */
const SNIFFED_BYTES = 4_096;

/** Returns how to show a body, from its headers, or from its first bytes if it has no content type. */
export function bodyTypeOf(headers: readonly HttpHeader[], body: Uint8Array): BodyType {
  const header = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  const [first = '', ...parameters] = header.split(';');
  const mediaType = first.trim().toLowerCase();
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(parameter)?.[1])
    .find((value) => value !== undefined);
  const kind = body.length === 0 ? 'empty' : kindOf(mediaType, body);
  return { kind, mediaType, charset, suffix: suffixOf(mediaType, kind) };
}

function kindOf(mediaType: string, body: Uint8Array): BodyKind {
  if (mediaType === '') return isText(body) ? (startsJson(body) ? 'json' : 'text') : 'binary';
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return 'json';
  if (mediaType === 'text/event-stream') return 'events';
  if (Object.hasOwn(IMAGES, mediaType)) return 'image';
  return TEXTS.test(mediaType) ? 'text' : 'binary';
}

function suffixOf(mediaType: string, kind: BodyKind): string {
  const known = { ...IMAGES, ...SUFFIXES };
  if (Object.hasOwn(known, mediaType)) return known[mediaType] ?? 'bin';
  return kind === 'json' ? 'json' : kind === 'text' || kind === 'events' ? 'txt' : 'bin';
}

function isText(body: Uint8Array): boolean {
  const start = body.subarray(0, SNIFFED_BYTES);
  if (start.includes(0)) return false;
  try {
    // The last character can be incomplete.
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function startsJson(body: Uint8Array): boolean {
  return /^\s*[[{]/.test(new TextDecoder().decode(body.subarray(0, 64)));
}

/**
 * Decodes the text of a body. An unknown character encoding counts as UTF-8.
 *
 * @param isPartial whether more bytes can follow, so that the last character can be incomplete
 */
export function decodeBody(body: Uint8Array, charset: string | undefined, isPartial: boolean): string {
  const options = { stream: isPartial };
  try {
    return new TextDecoder(charset).decode(body, options);
  } catch {
    return new TextDecoder().decode(body, options);
  }
}
