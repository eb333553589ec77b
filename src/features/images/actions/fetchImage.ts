import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import * as l10n from '@vscode/l10n';
import { imageDimensionsFromData } from 'image-dimensions';
import { readBytes } from '../../../client/answer.ts';
import { ApiError } from '../../../client/apiError.ts';
import { callAfter, type Clock } from '../../../client/clock.ts';
import type { Connection } from '../../../client/connection.ts';
import type { Fetch } from '../../../client/context.ts';
import { kindOf } from '../../../machine/images/kind.ts';
import { isPublicAddress } from '../../../machine/images/publicAddress.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { EditedImage } from '../model/imageEdit.ts';

/** Maximum size of a fetched image, in bytes. */
export const MAX_FETCHED_BYTES = 32 * 1_048_576;
/** Maximum size of a fetched picture, in pixels. The page needs four bytes of memory for each. */
const MAX_FETCHED_PIXELS = 64_000_000;
/** Maximum duration of a fetch with its redirects, in ms. */
export const FETCH_TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Statuses of an address that has expired. Storage services respond with 403 to an expired signature. */
const EXPIRED: readonly number[] = [403, 404, 410];

/**
 * Reason why an image cannot be fetched.
 *
 * - `address`: it is no address of a web server.
 * - `insecure`: it does not use HTTPS.
 * - `private`: it leads to this machine or a private network.
 * - `redirects`: it redirects too often.
 * - `expired`: the server has no image there, or no longer allows access.
 * - `status`: the server responds with another error.
 * - `unreachable`: the server cannot be reached, or the connection breaks.
 * - `timeout`: the server takes too long.
 * - `tooLarge`: the file has too many bytes, or the picture too many pixels.
 * - `notAnImage`: the file is not a PNG, JPEG, GIF, or WebP image.
 */
export type FetchImageCode =
  | 'address'
  | 'insecure'
  | 'private'
  | 'redirects'
  | 'expired'
  | 'status'
  | 'unreachable'
  | 'timeout'
  | 'tooLarge'
  | 'notAnImage';

/** An image that cannot be fetched. The message is a complete sentence. */
export class FetchImageError extends UserError {
  readonly code: FetchImageCode;
  /** HTTP status of the response, if there was one with an error. */
  readonly status: number | undefined;

  constructor(code: FetchImageCode, message: ShownText, status?: number) {
    super(message);
    this.name = 'FetchImageError';
    this.code = code;
    this.status = status;
  }
}

export interface FetchImageOptions {
  /** In VS Code, the global `fetch`. */
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The platform, whose own addresses may use HTTP and be private. */
  readonly connection?: Pick<Connection, 'baseUrl' | 'queueUrl'> | undefined;
  /** Resolves a host name to all of its addresses. */
  readonly lookup?: ((name: string) => Promise<LookupAddress[]>) | undefined;
}

/**
 * Fetches an image without credentials, with limits on bytes, pixels, redirects, and time. Addresses other than those of the platform
 * must use HTTPS and be public.
 *
 * @throws FetchImageError if the image cannot be fetched
 * @throws ApiError of kind `canceled` after the signal was aborted
 */
export async function fetchEditedImage(options: FetchImageOptions, address: string): Promise<EditedImage> {
  const { clock, signal } = options;
  const limit = new AbortController();
  const endTime = callAfter(clock, FETCH_TIMEOUT_MS, () => {
    limit.abort(
      new FetchImageError('timeout', shown`The server did not send the image within ${FETCH_TIMEOUT_MS / 1000} s.`),
    );
  });
  const onAbort = () => limit.abort(new ApiError('canceled', 'canceled', { operation: 'fetchEditedImage' }));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return imageOf(await bytesAt(options, address, limit.signal));
  } catch (error) {
    throw limit.signal.aborted ? (limit.signal.reason as Error) : error;
  } finally {
    endTime();
    signal.removeEventListener('abort', onAbort);
  }
}

async function bytesAt(options: FetchImageOptions, address: string, signal: AbortSignal): Promise<Uint8Array> {
  let url = parsed(address);
  const own = ownOrigins(options.connection);
  checkPlace(url, own.includes(url.origin));
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await request(options.fetch, url, signal);
    if (response.type === 'opaqueredirect') {
      throw new FetchImageError('redirects', shown`${url.host} redirects to an address that the editor cannot check.`);
    }
    const location = response.headers.get('Location');
    if (!REDIRECTS.includes(response.status) || location === null) return read(response, url, signal);
    void response.body?.cancel();
    const target = parsed(location, url);
    const staysOnPlatform = own.includes(url.origin) && own.includes(target.origin);
    checkPlace(target, staysOnPlatform);
    if (!staysOnPlatform) await checkAddresses(target, options.lookup);
    url = target;
  }
  throw new FetchImageError('redirects', shown`The address redirects more than ${MAX_REDIRECTS} times.`);
}

function ownOrigins(connection: FetchImageOptions['connection']): readonly string[] {
  const addresses = connection ? [connection.baseUrl, connection.queueUrl] : [];
  return addresses.flatMap((each) => URL.parse(each)?.origin ?? []);
}

function parsed(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new FetchImageError('address', shown`“${address}” is not an address of a web server.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchImageError('address', shown`The address contains a user name or password.`);
  }
  return url;
}

/** @param isOwn whether the URL belongs to the platform, which may use HTTP and be on this machine */
function checkPlace(url: URL, isOwn: boolean): void {
  if (isOwn) return;
  if (url.protocol !== 'https:') {
    throw new FetchImageError('insecure', shown`The editor fetches images from ${url.host} only over HTTPS.`);
  }
  const name = hostOf(url);
  if (/(^|\.)(localhost|local|internal)$/i.test(name) || (isIP(name) !== 0 && !isPublicAddress(name))) {
    throw isPrivate(url);
  }
}

/** Checks the addresses of a host that a server, and not the user or the platform, chose. */
async function checkAddresses(url: URL, lookup = allAddresses): Promise<void> {
  if (isIP(hostOf(url)) !== 0) return;
  // Behind a proxy, names can be unknown to this machine.
  const addresses = await lookup(hostOf(url)).catch(() => []);
  if (addresses.some(({ address }) => !isPublicAddress(address))) throw isPrivate(url);
}

const allAddresses = (name: string): Promise<LookupAddress[]> => systemLookup(name, { all: true });
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
const isPrivate = (url: URL): FetchImageError =>
  new FetchImageError('private', shown`The address leads to ${url.host}, which is on a private network.`);

async function request(fetch: Fetch, url: URL, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { Accept: 'image/png, image/jpeg, image/gif, image/webp' };
    return await fetch(url, { headers, redirect: 'manual', credentials: 'omit', signal });
  } catch {
    throw unreachable(url);
  }
}

const unreachable = (url: URL): FetchImageError =>
  new FetchImageError('unreachable', shown`The connection to ${url.host} failed.`);

async function read(response: Response, url: URL, signal: AbortSignal): Promise<Uint8Array> {
  const { status } = response;
  if (!response.ok) {
    void response.body?.cancel();
    throw EXPIRED.includes(status)
      ? new FetchImageError('expired', shown`${url.host} has no image at this address. It may have expired.`, status)
      : new FetchImageError('status', shown`${url.host} responded with status ${status}.`, status);
  }
  const { bytes, fault } = await readBytes(response, signal, MAX_FETCHED_BYTES);
  if (fault === 'tooLarge') {
    throw new FetchImageError('tooLarge', shown`The image has more than ${dataSize(MAX_FETCHED_BYTES)}.`);
  }
  if (fault === 'cut') throw unreachable(url);
  return bytes;
}

const MEDIA_TYPES: Readonly<Record<string, EditedImage['mediaType']>> = {
  PNG: 'image/png',
  JPEG: 'image/jpeg',
  GIF: 'image/gif',
  WebP: 'image/webp',
};

/** Returns an image by the content of its file. Servers can send any content type. */
export function imageOf(bytes: Uint8Array): EditedImage {
  const kind = kindOf(bytes);
  const mediaType = MEDIA_TYPES[kind ?? ''];
  const size = mediaType === undefined ? undefined : sizeOf(bytes);
  if (mediaType === undefined || !size || size.width * size.height === 0) {
    const found = kind === undefined || mediaType !== undefined ? '' : l10n.t`: it is ${kind}`;
    throw new FetchImageError('notAnImage', shown`The file is not a PNG, JPEG, GIF, or WebP image${found}.`);
  }
  const { width, height } = size;
  if (width * height > MAX_FETCHED_PIXELS) {
    const limit = MAX_FETCHED_PIXELS / 1e6;
    throw new FetchImageError(
      'tooLarge',
      shown`The image has ${width} × ${height} pixels, more than ${limit} megapixels.`,
    );
  }
  return { bytes, mediaType, width, height };
}

function sizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  try {
    return imageDimensionsFromData(bytes);
  } catch {
    return undefined;
  }
}
