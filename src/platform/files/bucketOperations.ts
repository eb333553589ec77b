import {
  S3Buckets,
  S3Delete,
  S3Deleted,
  S3Location,
  S3Objects,
  S3ObjectsV1,
  S3Versioning,
} from '../../contract/s3/s3Documents.ts';
import { S3_HEADERS, S3_MAX_KEYS, S3_QUERY, S3_REGION } from '../../contract/s3/s3Names.ts';
import type { Answer } from '../http/answer.ts';
import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import { matches } from './conditions.ts';
import { listObjects, type Listing } from './listing.ts';
import { parseKey } from './objectKey.ts';
import { S3Failure, failureOf } from './s3Failure.ts';
import { header, keyEncoding, maxKeys, quoted, readXmlBody, xmlAnswer, type S3Request } from './s3Request.ts';
import { dateTime } from '../../contract/dateTime.ts';

/* Operations on volumes and on several objects. */

export function listBuckets(accountId: string, volumes: readonly NetworkVolumeRecord[]): Answer {
  const Bucket = volumes.map(({ id, createdAt }) => ({ Name: id, CreationDate: dateTime(createdAt) }));
  return xmlAnswer(S3Buckets, { Owner: { ID: accountId }, Buckets: { Bucket } });
}

export function headBucket(): Answer {
  return { status: 200, headers: { [S3_HEADERS.bucketRegion]: S3_REGION } };
}

export const getVersioning = (): Answer => xmlAnswer(S3Versioning, {});

export const getLocation = (): Answer => xmlAnswer(S3Location, {});

/** Volumes are created with the API of the platform, where they have a size and a price. */
export function createBucket(): never {
  throw new S3Failure('BucketAlreadyOwnedByYou');
}

export async function listObjectsV2(request: S3Request): Promise<Answer> {
  const { query } = request;
  const token = query.get(S3_QUERY.continuationToken);
  const startAfter = query.get(S3_QUERY.startAfter);
  const encode = keyEncoding(request);
  const limit = maxKeys(request, S3_QUERY.maxKeys);
  const listing = await listed(request, limit, token === undefined ? (startAfter ?? '') : afterToken(token));
  return xmlAnswer(S3Objects, {
    ...described(request, listing, limit),
    KeyCount: listing.objects.length + listing.prefixes.length,
    StartAfter: startAfter === undefined ? undefined : encode(startAfter),
    ContinuationToken: token,
    NextContinuationToken: listing.next === undefined ? undefined : Buffer.from(listing.next).toString('base64url'),
  });
}

export async function listObjectsV1(request: S3Request): Promise<Answer> {
  const { query } = request;
  const marker = query.get(S3_QUERY.marker) ?? '';
  const encode = keyEncoding(request);
  const limit = maxKeys(request, S3_QUERY.maxKeys);
  const listing = await listed(request, limit, marker);
  const hasNext = listing.next !== undefined && (query.get(S3_QUERY.delimiter) ?? '') !== '';
  return xmlAnswer(S3ObjectsV1, {
    ...described(request, listing, limit),
    Marker: encode(marker),
    NextMarker: hasNext ? encode(listing.next) : undefined,
  });
}

/** @throws S3Failure InvalidArgument */
function afterToken(token: string): string {
  const after = Buffer.from(token, 'base64url').toString('utf8');
  if (Buffer.from(after).toString('base64url') === token) return after;
  throw new S3Failure('InvalidArgument', 'The continuation token is not valid.');
}

function listed({ query, volume }: S3Request, limit: number, after: string): Promise<Listing> {
  const prefix = query.get(S3_QUERY.prefix) ?? '';
  const delimiter = query.get(S3_QUERY.delimiter) ?? '';
  return listObjects(volume.files, { prefix, delimiter, after, limit });
}

function described(request: S3Request, { objects, prefixes, next }: Listing, limit: number) {
  const { query, volume } = request;
  const encode = keyEncoding(request);
  const delimiter = query.get(S3_QUERY.delimiter);
  return {
    Name: volume.id,
    Prefix: encode(query.get(S3_QUERY.prefix) ?? ''),
    ...(delimiter === undefined || delimiter === '' ? {} : { Delimiter: encode(delimiter) }),
    MaxKeys: limit,
    EncodingType: query.get(S3_QUERY.encodingType),
    IsTruncated: next !== undefined,
    Contents: objects.map(({ key, size, modifiedAt, etag }) => ({
      Key: encode(key),
      LastModified: dateTime(modifiedAt),
      ETag: quoted(etag),
      Size: size,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: prefixes.map((prefix) => ({ Prefix: encode(prefix) })),
  };
}

/** Number of objects that are removed at the same time. */
const TOGETHER = 16;

/** Removes up to 1,000 objects. An object that cannot be removed does not stop the removal of others. */
export async function deleteObjects(request: S3Request): Promise<Answer> {
  const { incoming, verified, volume } = request;
  const isChecked = Object.keys(incoming.headers).some((name) => name.startsWith('x-amz-checksum-'));
  if (!isChecked && header(request, 'content-md5') === undefined && !/^[0-9a-f]{64}$/.test(verified.payload)) {
    if (header(request, S3_HEADERS.trailer) === undefined) {
      throw new S3Failure('InvalidRequest', 'The request needs a digest of its body.');
    }
  }
  const { Object: keys, Quiet: quiet = false } = await readXmlBody(request, S3Delete);
  if (keys.length === 0 || keys.length > S3_MAX_KEYS) throw new S3Failure('MalformedXML');
  const Deleted: { Key: string }[] = [];
  const failed: { Key: string; Code: string; Message: string }[] = [];
  const remove = async ({ Key, ETag, VersionId }: (typeof keys)[number]): Promise<void> => {
    try {
      if (VersionId !== undefined && VersionId !== 'null') throw new S3Failure('NotImplemented');
      const bytes = await volume.files.remove(parseKey(Key), (current) => {
        if (ETag !== undefined && current && !matches(ETag, current)) throw new S3Failure('PreconditionFailed');
      });
      volume.space.release(bytes);
      Deleted.push({ Key });
    } catch (error) {
      const { code, message } = failureOf(error);
      failed.push({ Key, Code: code, Message: message });
    }
  };
  // Directories follow their files, because only empty ones can be removed.
  const directories = keys
    .filter(({ Key }) => Key.endsWith('/'))
    .sort((one, other) => other.Key.length - one.Key.length);
  const files = keys.filter(({ Key }) => !Key.endsWith('/'));
  for (let start = 0; start < files.length; start += TOGETHER) {
    await Promise.all(files.slice(start, start + TOGETHER).map(remove));
  }
  for (const directory of directories) await remove(directory);
  return xmlAnswer(S3Deleted, { Deleted: quiet ? [] : Deleted, Error: failed });
}
