import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { MAX_IMAGE_BYTES } from '../../contract/imageEdit.ts';
import { addressesOf, pinnedTo, privateAddressIn, type NameLookup } from '../http/publicHost.ts';
import { EditError } from './pixels/picture.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

export interface FetchPolicy {
  /** Default: the lookup of the system. */
  readonly lookup?: NameLookup | undefined;
  /** Origins (`http://host:port`) that are allowed even if their addresses are private. */
  readonly trustedOrigins?: readonly string[] | undefined;
}

/**
 * Fetches the image at an `http:`, `https:`, or `data:` URL. Only public addresses are allowed. Every address of a host is checked, and the
 * connection uses the checked addresses. Each redirect repeats the check.
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
      throw new EditError(`the image cannot be fetched: ${url.host} responds with status ${statusCode}`);
    }
    url = parsed(headers.location, url);
    if (url.protocol === 'data:')
      throw new EditError('the image cannot be fetched: the server redirects to a data: URL');
  }
  throw new EditError(`the image cannot be fetched: more than ${MAX_REDIRECTS} redirects`);
}

function parsed(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
  if (!url) throw new EditError('the image is not a URL');
  if (!['http:', 'https:', 'data:'].includes(url.protocol)) {
    throw new EditError(
      `the image cannot be fetched: ${url.protocol} URLs are not supported; use http:, https:, or data:`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new EditError('the image cannot be fetched: its URL contains a user name or password');
  }
  return url;
}

async function dataOf(url: URL): Promise<Uint8Array> {
  const response = await fetch(url).catch(() => undefined);
  if (!response) throw new EditError('the image is a malformed data: URL');
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw tooLarge();
  return bytes;
}

async function request(url: URL, policy: FetchPolicy, signal: AbortSignal): Promise<http.IncomingMessage> {
  const addresses = await checkedAddresses(url, policy);
  const lookup = pinnedTo(addresses);
  const { get } = url.protocol === 'https:' ? https : http;
  const headers = { Accept: 'image/png, image/jpeg, image/gif', 'Accept-Encoding': 'identity' };
  return new Promise((resolve, reject) => {
    get(url, { lookup, headers, signal, agent: false }, resolve).once('error', (cause: NodeJS.ErrnoException) => {
      reject(signal.aborted ? (signal.reason as Error) : unreachable(url, cause));
    });
  });
}

const unreachable = (url: URL, cause: NodeJS.ErrnoException): EditError =>
  new EditError(`the image cannot be fetched: ${url.host} cannot be reached (${cause.code ?? cause.message})`, {
    cause,
  });

/** @throws EditError if the lookup fails or one of the addresses is not allowed */
async function checkedAddresses(url: URL, policy: FetchPolicy): Promise<LookupAddress[]> {
  const { lookup, trustedOrigins = [] } = policy;
  const addresses = await addressesOf(url, lookup).catch((cause: unknown) => {
    throw unreachable(url, cause as NodeJS.ErrnoException);
  });
  const forbidden = privateAddressIn(addresses);
  if (forbidden !== undefined && !trustedOrigins.includes(url.origin)) {
    throw new EditError(
      `the image cannot be fetched: ${url.host} has the private address ${forbidden}; ` +
        'use a public URL, an image of this platform, or a data: URL',
    );
  }
  return addresses;
}

async function read(response: http.IncomingMessage, url: URL, signal: AbortSignal): Promise<Uint8Array> {
  const { 'content-length': length = '0', 'content-encoding': encoding = 'identity' } = response.headers;
  try {
    if (encoding !== 'identity') {
      throw new EditError(`the image cannot be fetched: ${url.host} sends a compressed response (${encoding})`);
    }
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
    signal.throwIfAborted();
    throw error instanceof EditError ? error : unreachable(url, error as NodeJS.ErrnoException);
  }
}

const tooLarge = (): EditError => new EditError(`the image is too large: more than ${MAX_IMAGE_BYTES} bytes`);
