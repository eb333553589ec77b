import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PassThrough, pipeline } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  S3_CHECKSUM_PREFIX,
  S3_CHECKSUMS,
  S3_HEADERS,
  S3_MAX_XML_BYTES,
  type S3Checksum,
} from '../../contract/s3/s3Names.ts';
import { chunkedContents, isChunked, type Trailers } from './chunkedBody.ts';
import { S3Failure } from './s3Failure.ts';
import { areEqual, type VerifiedRequest } from './signedRequest.ts';

export interface ReceivedBody {
  /** In bytes. */
  readonly size: number;
  /** MD5 digest in hexadecimal digits. */
  readonly md5: string;
  /** Verified checksums, by the names of their headers. */
  readonly checksums: Readonly<Record<string, string>>;
}

type Incoming = Pick<IncomingMessage, 'headers'> & NodeJS.ReadableStream;

/** Size of the buffer between the connection and the disk, in bytes. */
const BUFFER_BYTES = 1_048_576;

/** Returns the announced size of the contents, in bytes. @throws S3Failure MissingContentLength, InvalidArgument */
export function lengthOf(headers: IncomingHttpHeaders, payload: string): number {
  const text = isChunked(payload)
    ? headers[S3_HEADERS.decodedLength]
    : (headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? '0' : undefined));
  if (text === undefined) throw new S3Failure('MissingContentLength');
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) throw new S3Failure('InvalidArgument');
  return Number(text);
}

/**
 * Passes the contents of a body to a function, and verifies their length, digests, and signatures. Nothing may use the contents before this
 * resolves.
 *
 * @throws S3Failure; the error of `write`
 */
export async function receive(
  incoming: Incoming,
  { payload, chunks }: VerifiedRequest,
  length: number,
  write: (bytes: Buffer) => Promise<unknown>,
): Promise<ReceivedBody> {
  const { headers } = incoming;
  const expected = expectedChecksums(headers);
  const checksums = new Map<string, Digest>(
    [...expected.keys()].map((name) => [name, digestOf(name.slice(S3_CHECKSUM_PREFIX.length) as S3Checksum)]),
  );
  const contentMd5 = md5Header(headers);
  const md5 = createHash('md5');
  const sha256 = /^[0-9a-f]{64}$/.test(payload) ? createHash('sha256') : undefined;
  const trailers: Trailers = new Map();
  // Flowing streams are watched for stalled callers.
  const source = pipeline(incoming, new PassThrough({ highWaterMark: BUFFER_BYTES }), () => undefined);
  const contents = isChunked(payload)
    ? chunkedContents(source, payload, chunks, trailers)
    : (source as AsyncIterable<Buffer>);
  let size = 0;
  try {
    for await (const part of contents) {
      size += part.length;
      if (size > length) throw new S3Failure('IncompleteBody', 'The body is longer than its announced length.');
      const written = write(part);
      md5.update(part);
      sha256?.update(part);
      for (const digest of checksums.values()) digest.update(part);
      await written;
    }
  } catch (error) {
    throw isDisconnect(error) ? new S3Failure('IncompleteBody') : error;
  } finally {
    // The server discards the rest of the body after its response.
    if (!source.readableEnded) incoming.unpipe(source).resume();
  }
  if (size < length) throw new S3Failure('IncompleteBody');
  if (sha256 && !areEqual(payload, sha256.digest('hex'))) throw new S3Failure('XAmzContentSHA256Mismatch');
  const digest = md5.digest();
  if (contentMd5 !== undefined && !areEqual(contentMd5, digest.toString('base64'))) throw new S3Failure('BadDigest');
  return { size, md5: digest.toString('hex'), checksums: verified(checksums, expected, trailers) };
}

function verified(
  checksums: ReadonlyMap<string, Digest>,
  expected: ReadonlyMap<string, string | undefined>,
  trailers: Trailers,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, checksum] of checksums) {
    const value = expected.get(name) ?? trailers.get(name);
    if (value === undefined) throw new S3Failure('InvalidRequest', `The body does not end with ${name}.`);
    const actual = checksum.end();
    if (!areEqual(actual, value)) throw new S3Failure('BadDigest');
    found[name] = actual;
  }
  return found;
}

/** Header names that begin like those of checksums. */
const OTHERS: readonly string[] = [S3_HEADERS.checksumMode, S3_HEADERS.checksumType, `${S3_CHECKSUM_PREFIX}algorithm`];
const KNOWN: readonly string[] = S3_CHECKSUMS.map((name) => S3_CHECKSUM_PREFIX + name);

/** Returns the checksums to verify by the names of their headers; undefined for those at the end. @throws S3Failure NotImplemented */
function expectedChecksums(headers: IncomingHttpHeaders): Map<string, string | undefined> {
  const expected = new Map<string, string | undefined>();
  const trailing = String(headers[S3_HEADERS.trailer] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  for (const name of [...Object.keys(headers), ...trailing]) {
    if (!name.startsWith(S3_CHECKSUM_PREFIX) || OTHERS.includes(name)) continue;
    if (!KNOWN.includes(name)) {
      throw new S3Failure('NotImplemented', `The platform verifies only ${S3_CHECKSUMS.join(', ')} checksums.`);
    }
    const value = headers[name];
    expected.set(name, typeof value === 'string' ? value : undefined);
  }
  return expected;
}

/** @throws S3Failure InvalidDigest */
function md5Header({ 'content-md5': value }: IncomingHttpHeaders): string | undefined {
  if (typeof value === 'string' && !/^[A-Za-z0-9+/]{22}==$/.test(value)) throw new S3Failure('InvalidDigest');
  return value as string | undefined;
}

function isDisconnect(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'].includes(code);
}

/** Reads an XML body of at most 1 MiB. @throws S3Failure */
export async function receiveText(incoming: Incoming, request: VerifiedRequest): Promise<string> {
  const parts: Buffer[] = [];
  const length = lengthOf(incoming.headers, request.payload);
  if (length > S3_MAX_XML_BYTES) throw new S3Failure('MalformedXML', 'The XML is larger than 1 MiB.');
  await receive(incoming, request, length, (part) => Promise.resolve(parts.push(part)));
  return Buffer.concat(parts).toString('utf8');
}

/** Computes a checksum of bytes that arrive in parts. */
interface Digest {
  update(bytes: Buffer): void;
  /** Returns the checksum in base64, as headers contain it. */
  end(): string;
}

function digestOf(algorithm: S3Checksum | 'md5'): Digest {
  if (algorithm === 'crc32') return crcDigest((bytes, value) => crc32(bytes, value));
  if (algorithm === 'crc32c') return crcDigest(crc32c);
  const digest = createHash(algorithm);
  return { update: (bytes) => void digest.update(bytes), end: () => digest.digest('base64') };
}

function crcDigest(next: (bytes: Buffer, value: number) => number): Digest {
  let value = 0;
  return {
    update: (bytes) => {
      value = next(bytes, value);
    },
    end: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes.toString('base64');
    },
  };
}

/** Reversed polynomial of CRC-32C (Castagnoli). */
const CASTAGNOLI = 0x82f63b78;
let table: Int32Array | undefined;

function crc32c(bytes: Buffer, value: number): number {
  table ??= Int32Array.from({ length: 256 }, (_, index) => {
    let entry = index;
    for (let bit = 0; bit < 8; bit++) entry = (entry & 1) === 1 ? (entry >>> 1) ^ CASTAGNOLI : entry >>> 1;
    return entry;
  });
  let crc = ~value;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}
