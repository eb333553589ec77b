import type { IncomingMessage } from 'node:http';
import { MAX_IMAGE_BYTES } from '../../contract/imageModel.ts';
import { PRIVATE_ADDRESS, type NameLookup, publicRequest } from '../http/publicRequest.ts';
import { EditError } from './picture.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const HEADERS = { Accept: 'image/png, image/jpeg', 'Accept-Encoding': 'identity' };

export interface FetchPolicy {
  /** Default: the lookup of the system. */
  readonly lookup?: NameLookup | undefined;
  /** Origins (`http://host:port`) that are allowed even if their addresses are private. */
  readonly trustedOrigins?: readonly string[] | undefined;
}

/**
 * Fetches the image at an `http:`, `https:`, or `data:` URL. Only public addresses are allowed. Each redirect repeats the check.
 *
 * @throws EditError if the image cannot be fetched; the signal's reason if it is aborted
 */
export async function fetchImage(address: string, policy: FetchPolicy, signal: AbortSignal): Promise<Uint8Array> {
  let url = parsed(address);
  if (url.protocol === 'data:') return dataOf(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await request(url, policy, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return read(response, url, signal);
    response.destroy();
    if (!REDIRECTS.includes(statusCode) || headers.location === undefined) {
      throw refusal(`${url.host} responds with status ${statusCode}`);
    }
    url = parsed(headers.location, url);
    if (url.protocol === 'data:') throw refusal('the server redirects to a data: URL');
  }
  throw refusal(`more than ${MAX_REDIRECTS} redirects`);
}

const refusal = (reason: string, cause?: unknown): EditError =>
  new EditError(`the image cannot be fetched: ${reason}`, { cause });
const tooLarge = (): EditError => new EditError(`the image is too large: more than ${MAX_IMAGE_BYTES} bytes`);

function parsed(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (!url) throw new EditError('the image is not a URL');
  const { protocol, username, password } = url;
  if (!['http:', 'https:', 'data:'].includes(protocol)) {
    throw refusal(`${protocol} URLs are not supported; use http:, https:, or data:`);
  }
  if (username !== '' || password !== '') throw refusal('its URL contains a user name or password');
  return url;
}

async function dataOf(url: URL): Promise<Uint8Array> {
  const response = await fetch(url).catch(() => undefined);
  if (!response) throw new EditError('the image is a malformed data: URL');
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw tooLarge();
  return bytes;
}

async function request(url: URL, policy: FetchPolicy, signal: AbortSignal): Promise<IncomingMessage> {
  const isTrusted = policy.trustedOrigins?.includes(url.origin);
  try {
    return await publicRequest(url, { method: 'GET', headers: HEADERS, signal, lookup: policy.lookup, isTrusted });
  } catch (error) {
    const { code, address = '' } = error as { code?: unknown; address?: string };
    if (code !== PRIVATE_ADDRESS) throw unreachable(url, error, signal);
    const remedy = 'use a public URL, an image of this platform, or a data: URL';
    throw refusal(`${url.host} has the private address ${address}; ${remedy}`);
  }
}

async function read(response: IncomingMessage, url: URL, signal: AbortSignal): Promise<Uint8Array> {
  const { 'content-length': length = '0', 'content-encoding': encoding = 'identity' } = response.headers;
  try {
    if (encoding !== 'identity') throw refusal(`${url.host} sends a compressed response (${encoding})`);
    if (Number(length) > MAX_IMAGE_BYTES) throw tooLarge();
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_IMAGE_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  } catch (error) {
    response.destroy();
    throw error instanceof EditError ? error : unreachable(url, error, signal);
  }
}

/** Returns the error for a failed connection, or the signal's reason if it is aborted. */
function unreachable(url: URL, cause: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return signal.reason as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return refusal(`${url.host} cannot be reached (${code ?? message})`, cause);
}
