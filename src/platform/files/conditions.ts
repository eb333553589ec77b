import type { IncomingHttpHeaders } from 'node:http';
import { S3_HEADERS } from '../../contract/s3/s3Names.ts';
import { S3Failure } from './s3Failure.ts';
import type { StoredObject } from './volumeFiles.ts';

/* Conditions of requests (RFC 9110, section 13). Times have whole seconds. */

export interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
}

export function conditionsOf(headers: IncomingHttpHeaders): Conditions {
  return {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
  };
}

/** Returns the conditions for the source of a copy. */
export function sourceConditionsOf(headers: IncomingHttpHeaders): Conditions {
  const value = (name: string): string | undefined => headers[name]?.toString();
  return {
    ifMatch: value(S3_HEADERS.copySourceIfMatch),
    ifNoneMatch: value(S3_HEADERS.copySourceIfNoneMatch),
    ifModifiedSince: value(S3_HEADERS.copySourceIfModifiedSince),
    ifUnmodifiedSince: value(S3_HEADERS.copySourceIfUnmodifiedSince),
  };
}

/** @throws S3Failure NotModified, PreconditionFailed */
export function checkRead(
  object: StoredObject,
  conditions: Conditions,
  unmodified: 'NotModified' | 'PreconditionFailed',
): void {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, object)) throw new S3Failure('PreconditionFailed');
  } else if (isAfter(object, ifUnmodifiedSince) === true) throw new S3Failure('PreconditionFailed');
  const isUnchanged =
    ifNoneMatch === undefined ? isAfter(object, ifModifiedSince) === false : matches(ifNoneMatch, object);
  if (!isUnchanged) return;
  const headers = { ETag: `"${object.etag}"`, 'Last-Modified': new Date(object.modifiedAt).toUTCString() };
  throw new S3Failure(unmodified, undefined, headers);
}

/** Checks the conditions of a write or a deletion. @throws S3Failure PreconditionFailed, NoSuchKey */
export function checkWrite(current: StoredObject | undefined, { ifMatch, ifNoneMatch }: Conditions): void {
  if (ifMatch !== undefined) {
    if (!current) throw new S3Failure('NoSuchKey');
    if (!matches(ifMatch, current)) throw new S3Failure('PreconditionFailed');
  }
  if (current && ifNoneMatch !== undefined && matches(ifNoneMatch, current)) throw new S3Failure('PreconditionFailed');
}

/** Whether an object has one of the ETags in a header. Clients may omit the quotation marks. */
export function matches(header: string, { etag }: Pick<StoredObject, 'etag'>): boolean {
  return header.split(',').some((one) => {
    const wanted = one.trim();
    return wanted === '*' || wanted.replace(/^W\//, '').replace(/^"(.*)"$/, '$1') === etag;
  });
}

/** Whether an object changed after a time; undefined without a valid time, which RFC 9110 ignores. */
function isAfter({ modifiedAt }: StoredObject, time: string | undefined): boolean | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : Math.floor(modifiedAt / 1_000) > Math.floor(ms / 1_000);
}

/** Bytes of an object, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the requested range; undefined for the whole object, and for several ranges, which are ignored. @throws S3Failure InvalidRange */
export function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size || (first === '' && last === '0')) {
    throw new S3Failure('InvalidRange', undefined, { 'Content-Range': `bytes */${size}` });
  }
  return { start, end };
}
