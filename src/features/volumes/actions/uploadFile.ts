import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import pMap from 'p-map';
import type { S3Files, UploadedPart } from '../../../client/s3/s3Files.ts';
import { hasS3Code } from '../../../client/s3/s3Error.ts';
import { S3_MAX_PARTS } from '../../../contract/s3/s3Names.ts';
import { hexOfMd5, partsOfETag, TransferError } from './transferError.ts';

const MIB = 1_048_576;
/** Size of a part in bytes. It depends only on the file, so that a later attempt finds the same parts. */
const PART_BYTES = 16 * MIB;
/** Parts that are sent at the same time. Together with their size, they bound the memory of a transfer. */
const CONCURRENCY = 3;

export interface TransferOptions {
  readonly signal: AbortSignal;
  /** Called with the bytes that were transferred since the last call, or were there already. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export interface UploadOptions extends TransferOptions {
  /** Size of a part in bytes, for tests. */
  readonly partBytes?: number;
}

/** Returns the size of the parts of a file, in bytes. An upload has at most 10,000 parts. */
export function partBytesOf(size: number, least = PART_BYTES): number {
  return Math.max(least, Math.ceil(size / S3_MAX_PARTS / MIB) * MIB);
}

/**
 * Uploads a file, and verifies the checksum of each part. A file with several parts continues the newest unfinished upload of its key: parts
 * with the same bytes are not sent again. A canceled or failed upload keeps its parts.
 *
 * @throws ApiError; TransferError if the file changes meanwhile; errors of the file system
 */
export async function uploadFile(
  files: S3Files,
  file: string,
  key: string,
  { signal, onBytes, partBytes }: UploadOptions,
): Promise<void> {
  const handle = await open(file, 'r');
  try {
    const before = await handle.stat();
    const unchanged = async (): Promise<void> => {
      const after = await handle.stat();
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw new TransferError('changed', file);
    };
    const { size } = before;
    const length = partBytesOf(size, partBytes);
    if (size <= length) {
      const bytes = await readPart(handle, file, 0, size);
      await unchanged();
      const { etag } = await files.put(key, bytes, undefined, { signal });
      verifyETag(etag, md5Of(bytes), file);
      onBytes?.(size);
      return;
    }
    await uploadParts({ files, handle, file, key, size, length, signal, onBytes, unchanged });
  } finally {
    await handle.close();
  }
}

interface PartsOf {
  readonly files: S3Files;
  readonly handle: FileHandle;
  readonly file: string;
  readonly key: string;
  readonly size: number;
  readonly length: number;
  readonly signal: AbortSignal;
  readonly onBytes: TransferOptions['onBytes'];
  readonly unchanged: () => Promise<void>;
}

async function uploadParts({ files, handle, file, key, size, length, signal, onBytes, unchanged }: PartsOf) {
  const { uploadId, known } = await resumed(files, key, length, signal);
  const numbers = Array.from({ length: Math.ceil(size / length) }, (_, index) => index + 1);
  let failure: unknown;
  const send = async (number: number) => {
    const start = (number - 1) * length;
    const bytes = await readPart(handle, file, start, Math.min(length, size - start));
    const md5 = md5Of(bytes);
    const uploaded = known.get(number);
    const part =
      uploaded && hexOfMd5(uploaded.etag) === md5.toString('hex')
        ? uploaded
        : await files.putPart(key, uploadId, number, bytes, { signal });
    verifyETag(part.etag, md5, file);
    onBytes?.(bytes.length);
    return { part, md5 };
  };
  const sent = await pMap(
    numbers,
    // After a failure, parts that are being sent arrive, and no other part is sent.
    async (number) =>
      failure === undefined
        ? send(number).catch((error: unknown) => {
            failure ??= error;
            return undefined;
          })
        : undefined,
    { concurrency: CONCURRENCY },
  );
  if (failure !== undefined) throw failure as Error;
  const parts = sent.filter((one) => one !== undefined);
  await unchanged().catch(async (error: unknown) => {
    // Its parts are those of two versions of the file.
    await files.abortUpload(key, uploadId);
    throw error;
  });
  const etag = await files.completeUpload(
    key,
    uploadId,
    parts.map(({ part }) => part),
    { signal },
  );
  const whole = createHash('md5')
    .update(Buffer.concat(parts.map(({ md5 }) => md5)))
    .digest('hex');
  const reported = partsOfETag(etag);
  if (reported && (reported.md5 !== whole || reported.count !== parts.length))
    throw new TransferError('checksum', file);
}

/** Returns the newest unfinished upload of the key with its parts, or a new upload. */
async function resumed(
  files: S3Files,
  key: string,
  length: number,
  signal: AbortSignal,
): Promise<{ readonly uploadId: string; readonly known: ReadonlyMap<number, UploadedPart> }> {
  try {
    const uploadId = await files.findUpload(key, { signal });
    if (uploadId !== undefined) {
      const parts = await files.listParts(key, uploadId, { signal });
      return { uploadId, known: new Map(parts.map((part) => [part.number, part])) };
    }
  } catch (error) {
    // Services need not support the list, and the upload can have ended meanwhile.
    const canContinue = hasS3Code(error, 'NotImplemented', 'NoSuchUpload', 'MethodNotAllowed', 'AccessDenied');
    if (!canContinue) throw error;
  }
  return { uploadId: await files.createUpload(key, length, { signal }), known: new Map() };
}

/** Reads exactly that many bytes. @throws TransferError if the file has become shorter */
async function readPart(
  handle: FileHandle,
  file: string,
  start: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, start + done);
    if (bytesRead === 0) throw new TransferError('changed', file);
    done += bytesRead;
  }
  return bytes;
}

function md5Of(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}

/** Compares an ETag with the MD5 digest, if it is one. */
function verifyETag(etag: string, md5: Buffer, file: string): void {
  const reported = hexOfMd5(etag);
  if (reported !== undefined && reported !== md5.toString('hex')) throw new TransferError('checksum', file);
}
