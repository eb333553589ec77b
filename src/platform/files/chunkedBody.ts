import { createHash, hash } from 'node:crypto';
import { S3_HEADERS } from '../../contract/s3/s3Names.ts';
import { S3_CHUNK_ALGORITHM, S3_EMPTY_SHA256, S3_PAYLOADS, S3_TRAILER_ALGORITHM } from '../../contract/s3/s3Signing.ts';
import { S3Failure } from './s3Failure.ts';
import { areEqual, type ChunkSigner } from './signedRequest.ts';

/*
 * Bodies with the content coding `aws-chunked`: chunks with a size and, if they are signed, a signature, and then headers, such as a
 * checksum, which SDKs know only at the end.
 */

/** Maximum length of the line before a chunk, and of the headers at the end, in bytes. */
const MAX_LINE_BYTES = 1_024;
const MAX_TRAILER_BYTES = 8_192;

export const isChunked = (payload: string): boolean => payload.startsWith('STREAMING-');

/** Reads lines and bytes of a stream of buffers. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns a line without its end. @throws S3Failure */
  async line(maxBytes: number): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end > maxBytes || (end === -1 && this.#rest.length > maxBytes)) {
        throw new S3Failure('InvalidRequest', 'A line of the chunked body is too long.');
      }
      if (end !== -1) {
        const line = this.#rest.toString('latin1', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line.endsWith('\r') ? line.slice(0, -1) : line;
      }
      await this.#more();
    }
  }

  /** Yields exactly that many bytes. @throws S3Failure */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) await this.#more();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** Returns whether nothing follows. */
  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && (await this.#source.next()).done === true;
  }

  async #more(): Promise<void> {
    const next = await this.#source.next();
    if (next.done === true) throw new S3Failure('IncompleteBody');
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}

/** Headers at the end of a body. They are complete once the body has been read. */
export type Trailers = Map<string, string>;

/**
 * Yields the contents of a body, and then fills in its trailers. The contents count only once the end is reached, because a signature follows
 * from the whole chunk.
 *
 * @param payload value of `x-amz-content-sha256`
 * @throws S3Failure
 */
export async function* chunkedContents(
  source: AsyncIterable<Buffer>,
  payload: string,
  signer: ChunkSigner,
  trailers: Trailers,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  const isSigned = payload !== S3_PAYLOADS.unsignedChunksTrailer;
  const hasTrailer = payload !== S3_PAYLOADS.signedChunks;
  let previous = signer.seed;
  for (;;) {
    const head = await reader.line(MAX_LINE_BYTES);
    const [, digits, signature] = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(head) ?? [];
    if (digits === undefined || (isSigned && signature === undefined)) {
      throw new S3Failure('InvalidRequest', 'A chunk of the body has no valid head.');
    }
    const size = Number.parseInt(digits, 16);
    const digest = isSigned ? createHash('sha256') : undefined;
    for await (const part of reader.bytes(size)) {
      digest?.update(part);
      yield part;
    }
    if (digest) {
      const expected = signer.sign(S3_CHUNK_ALGORITHM, previous, [S3_EMPTY_SHA256, digest.digest('hex')]);
      if (!areEqual(expected, signature ?? '')) throw new S3Failure('SignatureDoesNotMatch');
      previous = expected;
    }
    if (size === 0) break;
    if ((await reader.line(MAX_LINE_BYTES)) !== '') throw new S3Failure('InvalidRequest', 'A chunk is too long.');
  }
  if (hasTrailer)
    await readTrailers(
      reader,
      trailers,
      isSigned ? (lines) => signer.sign(S3_TRAILER_ALGORITHM, previous, lines) : undefined,
    );
  else if ((await reader.line(MAX_LINE_BYTES)) !== '') throw new S3Failure('InvalidRequest', 'The body has no end.');
  if (!(await reader.isAtEnd())) throw new S3Failure('InvalidRequest', 'The body continues after its end.');
}

async function readTrailers(
  reader: ByteReader,
  trailers: Trailers,
  sign: ((lines: readonly string[]) => string) | undefined,
): Promise<void> {
  let signature: string | undefined;
  let signed = '';
  for (let left = MAX_TRAILER_BYTES; ;) {
    const line = await reader.line(left);
    left -= line.length + 1;
    // The example of the documentation separates the signature by an empty line.
    if (line === '' && (!sign || signature !== undefined)) break;
    if (line === '') continue;
    const at = line.indexOf(':');
    if (at < 1) throw new S3Failure('InvalidRequest', 'A header at the end of the body is not valid.');
    const [name, value] = [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    if (name === S3_HEADERS.trailerSignature) signature = value;
    else {
      signed += `${name}:${value}\n`;
      trailers.set(name, value);
    }
  }
  if (sign && !areEqual(sign([hash('sha256', signed)]), signature ?? '')) throw new S3Failure('SignatureDoesNotMatch');
}
