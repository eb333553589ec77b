import { createHash } from 'node:crypto';
import { S3CopyResult } from '../../contract/s3/s3Documents.ts';
import { S3_DEFAULT_TYPE, S3_DIRECTORY_TYPE, S3_HEADERS, S3_MAX_PUT_BYTES } from '../../contract/s3/s3Names.ts';
import type { Answer } from '../http/answer.ts';
import {
  checkRead,
  checkWrite,
  conditionsOf,
  matches,
  rangeOf,
  sourceConditionsOf,
  type ByteRange,
} from './conditions.ts';
import { parseKey, type ObjectKey } from './objectKey.ts';
import { lengthOf, receive, type ReceivedBody } from './requestBody.ts';
import { S3Failure } from './s3Failure.ts';
import { header, keptHeaders, keyOf, quoted, xmlAnswer, type S3Request } from './s3Request.ts';
import { targetOf } from './signedRequest.ts';
import { writeAll } from './uploads.ts';
import type { OpenVolume } from './openVolumes.ts';
import type { NewFile, OpenObject, StoredObject } from './volumeFiles.ts';
import { dateTime } from '../../contract/dateTime.ts';

/* Operations on one object. */

/** Size of the parts in which an object is read, in bytes. */
const READ_BYTES = 262_144;

/** Query parameters of GET that replace headers of the answer. */
export const RESPONSE_HEADERS = {
  'response-content-type': 'content-type',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-cache-control': 'cache-control',
  'response-expires': 'expires',
} as const;

export async function getObject(request: S3Request): Promise<Answer> {
  const key = keyOf(request);
  if (key.isDirectory) return headObject(request);
  const found = await request.volume.files.open(key);
  if (!found) throw new S3Failure('NoSuchKey');
  const { handle, object } = found;
  try {
    const range = checkedRange(request, object);
    const { size } = object;
    const [start, end] = range ? [range.start, range.end] : [0, size - 1];
    const headers = { ...objectHeaders(request, object), ...rangeHeaders(range, size) };
    if (end < start || request.incoming.method === 'HEAD') {
      await handle.close();
      return { status: range ? 206 : 200, headers };
    }
    // A file that grows in the meantime is sent up to the announced length.
    const body = handle.createReadStream({ start, end, highWaterMark: READ_BYTES });
    return { status: range ? 206 : 200, headers, body };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function headObject(request: S3Request): Promise<Answer> {
  const object = await request.volume.files.find(keyOf(request));
  if (!object) throw new S3Failure('NoSuchKey');
  const range = checkedRange(request, object);
  return {
    status: range ? 206 : 200,
    headers: { ...objectHeaders(request, object), ...rangeHeaders(range, object.size) },
  };
}

/** @throws S3Failure NotModified, PreconditionFailed, InvalidRange */
function checkedRange(request: S3Request, object: StoredObject): ByteRange | undefined {
  checkRead(object, conditionsOf(request.incoming.headers), 'NotModified');
  const ifRange = header(request, 'if-range');
  const isFor = ifRange === undefined || ifRange === lastModified(object) || matches(ifRange, object);
  return isFor ? rangeOf(header(request, 'range'), object.size) : undefined;
}

const lastModified = ({ modifiedAt }: StoredObject): string => new Date(modifiedAt).toUTCString();

/** Text that a header can contain. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function objectHeaders({ query }: S3Request, object: StoredObject): Record<string, string> {
  const { key, etag, headers } = object;
  const replaced: Record<string, string> = {};
  for (const [parameter, name] of Object.entries(RESPONSE_HEADERS)) {
    const value = query.get(parameter);
    if (value === undefined) continue;
    if (!HEADER_VALUE.test(value)) throw new S3Failure('InvalidArgument', `${parameter} is not valid.`);
    replaced[name] = value;
  }
  return {
    'content-type': key.endsWith('/') ? S3_DIRECTORY_TYPE : S3_DEFAULT_TYPE,
    ...headers,
    ...replaced,
    ETag: quoted(etag),
    'Last-Modified': lastModified(object),
    'Accept-Ranges': 'bytes',
    // A page among the objects must not act as a page of the platform.
    'Content-Security-Policy': 'sandbox',
    'X-Content-Type-Options': 'nosniff',
  };
}

function rangeHeaders(range: ByteRange | undefined, size: number): Record<string, string> {
  if (!range) return { 'Content-Length': String(size) };
  const { start, end } = range;
  return { 'Content-Length': String(end - start + 1), 'Content-Range': `bytes ${start}-${end}/${size}` };
}

/** Receives contents into a new file, and stores it. The space is reserved before the contents arrive. */
export async function receiveFile<Result>(
  { incoming, verified, volume }: Pick<S3Request, 'incoming' | 'verified' | 'volume'>,
  store: (file: NewFile, body: ReceivedBody) => Promise<Result>,
): Promise<Result> {
  const length = lengthOf(incoming.headers, verified.payload);
  if (length > S3_MAX_PUT_BYTES) throw new S3Failure('EntityTooLarge');
  return inNewFile(volume, length, async (file) => {
    const body = await receive(incoming, verified, length, (bytes) => writeAll(file.handle, bytes));
    return store(file, body);
  });
}

/** Creates a new file for some bytes, which are counted once the work has stored it. */
export async function inNewFile<Result>(
  { space, capacity, files }: OpenVolume,
  bytes: number,
  work: (file: NewFile) => Promise<Result>,
): Promise<Result> {
  const release = await space.reserve(bytes, capacity);
  let isStored = false;
  try {
    const file = await files.create();
    try {
      const result = await work(file);
      isStored = true;
      return result;
    } finally {
      await file.dispose();
    }
  } finally {
    release(isStored);
  }
}

export async function putObject(request: S3Request): Promise<Answer> {
  const { incoming, verified, volume } = request;
  const key = keyOf(request);
  const headers = keptHeaders(request);
  const conditions = conditionsOf(incoming.headers);
  if (key.isDirectory) {
    if (lengthOf(incoming.headers, verified.payload) > 0) {
      throw new S3Failure('InvalidArgument', 'A key that ends with a slash names a directory, which has no contents.');
    }
    await receive(incoming, verified, 0, () => Promise.resolve());
    checkWrite(await volume.files.find(key), conditions);
    return { status: 200, headers: { ETag: quoted((await volume.files.putDirectory(key)).etag) } };
  }
  // Refuses the contents before they are sent, if the client waits for permission.
  checkWrite(await volume.files.find(key), conditions);
  return receiveFile(request, async (file, { md5, checksums }) => {
    const check = (current: StoredObject | undefined): void => checkWrite(current, conditions);
    const { etag } = await volume.files.put(key, file, { etag: md5, headers }, check);
    return { status: 200, headers: { ETag: quoted(etag), ...checksums } };
  });
}

export async function deleteObject(request: S3Request): Promise<Answer> {
  const { volume, incoming } = request;
  const { ifMatch } = conditionsOf(incoming.headers);
  const check = (current: StoredObject | undefined): void => {
    if (ifMatch !== undefined) checkWrite(current, { ...conditionsOf({}), ifMatch });
  };
  volume.space.release(await volume.files.remove(keyOf(request), check));
  return { status: 204 };
}

interface CopySource {
  readonly volume: OpenVolume;
  readonly key: ObjectKey;
}

/** Returns the source of a copy. @throws S3Failure */
export function copySourceOf(request: S3Request): CopySource {
  const { path, parameters } = targetOf(header(request, S3_HEADERS.copySource) ?? '');
  if (parameters.length > 0) throw new S3Failure('NotImplemented', 'Objects have no versions.');
  const whole = path.startsWith('/') ? path.slice(1) : path;
  const end = whole.indexOf('/');
  if (end === -1) throw new S3Failure('InvalidArgument', `${S3_HEADERS.copySource} must be /{volumeId}/{key}.`);
  return { volume: request.volumeOf(whole.slice(0, end)), key: parseKey(whole.slice(end + 1)) };
}

/** Opens the source of a copy, and checks its conditions. @throws S3Failure */
export async function openSource(request: S3Request, { volume, key }: CopySource): Promise<OpenObject> {
  const found = await volume.files.open(key);
  if (!found) throw new S3Failure('NoSuchKey');
  try {
    checkRead(found.object, sourceConditionsOf(request.incoming.headers), 'PreconditionFailed');
    return found;
  } catch (error) {
    await found.handle.close();
    throw error;
  }
}

export async function copyObject(request: S3Request): Promise<Answer> {
  const { volume, incoming } = request;
  const key = keyOf(request);
  const source = copySourceOf(request);
  const directive = header(request, S3_HEADERS.metadataDirective) ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw new S3Failure('InvalidArgument', `${S3_HEADERS.metadataDirective} must be COPY or REPLACE.`);
  }
  const replaced = directive === 'REPLACE' ? keptHeaders(request) : undefined;
  if (key.isDirectory) {
    if (!(await source.volume.files.find(source.key))) throw new S3Failure('NoSuchKey');
    if (!source.key.isDirectory) throw new S3Failure('InvalidArgument', 'A file cannot be copied to a directory.');
    return copied(await volume.files.putDirectory(key));
  }
  if (source.volume.id === volume.id && source.key.key === key.key) {
    if (!replaced) throw new S3Failure('InvalidRequest', 'A copy of an object to itself must replace its metadata.');
    const sourceConditions = sourceConditionsOf(incoming.headers);
    const object = await volume.files.replaceHeaders(key, replaced, (current) => {
      if (current) checkRead(current, sourceConditions, 'PreconditionFailed');
      checkWrite(current, conditionsOf(incoming.headers));
    });
    if (!object) throw new S3Failure('NoSuchKey');
    return copied(object);
  }
  const { handle, object: from } = await openSource(request, source);
  try {
    if (from.size > S3_MAX_PUT_BYTES) throw new S3Failure('EntityTooLarge');
    return await inNewFile(volume, from.size, async (file) => {
      const md5 = await copyBytes(handle, file, { start: 0, end: from.size - 1 });
      const facts = { etag: md5, headers: replaced ?? from.headers };
      const check = (current: StoredObject | undefined): void => checkWrite(current, conditionsOf(incoming.headers));
      return copied(await volume.files.put(key, file, facts, check));
    });
  } finally {
    await handle.close();
  }
}

const copied = (object: StoredObject): Answer =>
  xmlAnswer(S3CopyResult, { LastModified: dateTime(object.modifiedAt), ETag: quoted(object.etag) });

/** Copies bytes of an open file. @returns their MD5 digest. @throws S3Failure OperationAborted if the file has become shorter */
export async function copyBytes(
  source: OpenObject['handle'],
  { handle }: NewFile,
  { start, end }: ByteRange,
): Promise<string> {
  const digest = createHash('md5');
  const buffer = Buffer.allocUnsafe(READ_BYTES * 4);
  for (let position = start; position <= end;) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, end - position + 1), position);
    if (bytesRead === 0) throw new S3Failure('OperationAborted');
    position += bytesRead;
    digest.update(buffer.subarray(0, bytesRead));
    await writeAll(handle, buffer.subarray(0, bytesRead));
  }
  return digest.digest('hex');
}
