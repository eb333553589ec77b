import pMap from 'p-map';
import type { ObjectFacts, S3Files } from '../../../client/s3/s3Files.ts';
import { S3_MAX_PUT_BYTES } from '../../../contract/s3/s3Names.ts';
import { partBytesOf } from './uploadFile.ts';

/** Size of a part in bytes. The service copies it, so it bounds only the time of a request. */
const PART_BYTES = 256 * 1_048_576;
const CONCURRENCY = 3;

interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Size in bytes above which a file is copied in parts, and size of a part, for tests. */
  readonly most?: number;
  readonly partBytes?: number;
}

/** Copies a file inside the volume. The service copies at most 5 GiB in one request. */
export async function copyFile(
  files: S3Files,
  { key: from, size, etag }: Pick<ObjectFacts, 'size' | 'etag'> & { readonly key: string },
  to: string,
  { signal, most = S3_MAX_PUT_BYTES, partBytes = PART_BYTES }: CopyOptions = {},
): Promise<void> {
  if (size <= most) return files.copy(from, to, undefined, { signal });
  const length = partBytesOf(size, partBytes);
  const uploadId = await files.createUpload(to, length, { signal });
  try {
    const numbers = Array.from({ length: Math.ceil(size / length) }, (_, index) => index + 1);
    const copied = await pMap(
      numbers,
      (number) => {
        const [first, last] = [(number - 1) * length, Math.min(number * length, size) - 1];
        return files.copyPart(from, { key: to, uploadId, number, first, last, ifMatch: etag }, { signal });
      },
      { concurrency: CONCURRENCY },
    );
    await files.completeUpload(to, uploadId, copied, { signal });
  } catch (error) {
    await files.abortUpload(to, uploadId).catch(() => undefined);
    throw error;
  }
}
