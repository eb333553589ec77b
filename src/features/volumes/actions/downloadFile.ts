import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../../../client/apiError.ts';
import { hasS3Code } from '../../../client/s3/s3Error.ts';
import type { ObjectFacts, S3Files } from '../../../client/s3/s3Files.ts';
import { hexOfMd5, partsOfETag, TransferError } from './transferError.ts';
import type { TransferOptions } from './uploadFile.ts';

/** Size of a request in bytes. */
const PART_BYTES = 8 * 1_048_576;
/** Requests at the same time. Their parts are written in order, so that the length of the partial file tells where to continue. */
const CONCURRENCY = 4;

export interface DownloadOptions extends TransferOptions {
  /** Size of a request in bytes, for tests. */
  readonly partBytes?: number;
}

/**
 * Downloads an object to a file, which is replaced once the download is complete and its checksum is verified. A canceled or failed download
 * keeps a partial file beside it, and the next one continues it if the object still has the same ETag.
 *
 * @throws ApiError; TransferError if the object changes meanwhile; errors of the file system
 */
export async function downloadFile(
  files: S3Files,
  key: string,
  file: string,
  { signal, onBytes, partBytes = PART_BYTES }: DownloadOptions,
): Promise<void> {
  const facts = await files.head(key, { signal });
  await mkdir(path.dirname(file), { recursive: true });
  const partial = partialOf(file, facts);
  const handle = await open(partial, 'a');
  try {
    let done = Math.min((await handle.stat()).size, facts.size);
    onBytes?.(done);
    const pending: Promise<Uint8Array<ArrayBuffer>>[] = [];
    let asked = done;
    // A failed part ends the requests of the others.
    const own = new AbortController();
    const either = AbortSignal.any([signal, own.signal]);
    try {
      while (done < facts.size) {
        while (pending.length < CONCURRENCY && asked < facts.size) {
          const [first, last] = [asked, Math.min(asked + partBytes, facts.size) - 1];
          const range = { first, last, ifMatch: facts.etag, limit: partBytes };
          const part = files.get(key, range, { signal: either }).then(({ bytes }) => exact(bytes, last - first + 1));
          // Its failure is reported when its turn comes.
          part.catch(() => undefined);
          pending.push(part);
          asked = last + 1;
        }
        const bytes = (await pending.shift()) ?? new Uint8Array();
        await handle.appendFile(bytes);
        done += bytes.length;
        onBytes?.(bytes.length);
      }
    } finally {
      own.abort();
    }
  } catch (error) {
    throw hasS3Code(error, 'PreconditionFailed') ? new TransferError('changed', key) : error;
  } finally {
    await handle.close();
  }
  await verify(partial, key, facts, signal);
  await rename(partial, file);
}

/** Returns the partial file of a download. Its name depends on the ETag, so that another version starts again. */
function partialOf(file: string, { etag }: Pick<ObjectFacts, 'etag'>): string {
  const version = createHash('sha256').update(etag).digest('hex').slice(0, 8);
  return path.join(path.dirname(file), `.${path.basename(file)}.${version}.part`);
}

/** @throws ApiError of kind `network` for fewer bytes than the service announced */
function exact(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (bytes.length === length) return bytes;
  throw new ApiError('network', 'the response has another length than its range', { operation: 'getObject' });
}

/** Compares the file with the checksum that the service has. Deletes a file that differs, because no later attempt could complete it. */
async function verify(partial: string, key: string, facts: ObjectFacts, signal: AbortSignal): Promise<void> {
  const { size } = await stat(partial);
  if (size === facts.size && (await hasChecksum(partial, facts, signal))) return;
  await rm(partial, { force: true });
  throw new TransferError('checksum', key);
}

/** Returns true if the service has no checksum, such as for an object that another program uploaded in parts of unknown size. */
async function hasChecksum(
  file: string,
  { size, etag, sha256, partBytes = 0 }: ObjectFacts,
  signal: AbortSignal,
): Promise<boolean> {
  const digestOf = async (algorithm: string, range?: { readonly start: number; readonly end: number }) => {
    const digest = createHash(algorithm);
    for await (const chunk of createReadStream(file, { ...range, signal })) digest.update(chunk as Buffer);
    return digest.digest();
  };
  if (sha256 !== undefined) return (await digestOf('sha256')).toString('base64') === sha256;
  const md5 = hexOfMd5(etag);
  if (md5 !== undefined) return (await digestOf('md5')).toString('hex') === md5;
  const parts = partsOfETag(etag);
  if (!parts || Math.ceil(size / partBytes) !== parts.count) return true;
  const whole = createHash('md5');
  for (let start = 0; start < size; start += partBytes)
    whole.update(await digestOf('md5', { start, end: start + partBytes - 1 }));
  return whole.digest('hex') === parts.md5;
}
