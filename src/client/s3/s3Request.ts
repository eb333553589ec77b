import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { RETRY_AFTER_HEADER } from '../../contract/rateLimit.ts';
import { S3_HEADERS, S3_REGION } from '../../contract/s3/s3Names.ts';
import { S3_EMPTY_SHA256, S3_SERVICE, s3DateTime, s3Encoded } from '../../contract/s3/s3Signing.ts';
import { readBytes, type Body } from '../answer.ts';
import { ApiError, errorOfFailure, parseRetryAfter } from '../apiError.ts';
import type { RequestContext } from '../context.ts';
import { RateLimits } from '../rateLimits.ts';
import { refuseRedirect } from '../request.ts';
import { DEFAULT_RETRIES, DEFAULT_WAITS, withRetries } from '../retry.ts';
import { limitTime } from '../timeLimit.ts';
import { s3Address, type Bucket, type S3Access } from './s3Connection.ts';
import { s3ErrorOf } from './s3Error.ts';

/** Context of requests to the files of one volume. */
export type S3Context = Pick<RequestContext, 'fetch' | 'clock' | 'random' | 'onWait'> & {
  readonly access: S3Access;
  readonly bucket: Bucket;
};

export interface S3Request {
  /** Name of the operation in errors. */
  readonly name: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Default: the bucket itself. */
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: Uint8Array<ArrayBuffer> | string | undefined;
  /** Maximum size of the response, in bytes. */
  readonly limit?: number | undefined;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface S3Options {
  readonly signal?: AbortSignal | undefined;
  readonly retries?: number | undefined;
}

/** Time limit of an attempt in ms, for a transfer of one part over a slow connection. */
const TIMEOUT_MS = 300_000;
const DEFAULT_LIMIT_BYTES = 64 * 1_048_576;

/**
 * Sends a signed request, and repeats it after temporary failures. All requests can be repeated: a part or an object that is written twice
 * is the same, and an upload that is created twice is deleted by the platform.
 *
 * @throws ApiError, and `S3Error` for a response with an error
 */
export async function s3Request(context: S3Context, request: S3Request, options: S3Options = {}): Promise<S3Answer> {
  const { signal, retries = DEFAULT_RETRIES } = options;
  const sha256 = request.body === undefined ? S3_EMPTY_SHA256 : createHash('sha256').update(request.body).digest('hex');
  return withRetries(
    context,
    {
      ...{ operation: request.name, limits: new RateLimits(), repeatable: true, repeatsTimeouts: true },
      ...{ retries, waits: DEFAULT_WAITS, signal },
    },
    async () => send(context, request, sha256, signal),
  );
}

async function send(
  context: S3Context,
  request: S3Request,
  sha256: string,
  signal: AbortSignal | undefined,
): Promise<S3Answer> {
  const { name, method, body } = request;
  // A response to HEAD announces the size of the object, and has no body.
  const mostBytes = method === 'HEAD' ? Infinity : (request.limit ?? DEFAULT_LIMIT_BYTES);
  const url = s3UrlOf(context, request);
  const limit = limitTime(context.clock, { name, row: { method, path: '/' }, signal, timeout: TIMEOUT_MS });
  try {
    const headers = await signedHeaders(context, request, url, sha256);
    const response = await context.fetch(url, {
      ...{ method, headers, redirect: 'manual', signal: limit.signal },
      ...(body !== undefined && { body }),
    });
    if (response.status !== 304) refuseRedirect(name, response);
    const { bytes, fault } = await readBytes(response, limit.signal, response.ok ? mostBytes : DEFAULT_LIMIT_BYTES);
    if (!response.ok) {
      const retryAfterMs = parseRetryAfter(response.headers.get(RETRY_AFTER_HEADER), context.clock.now());
      throw s3ErrorOf(name, { status: response.status, text: new TextDecoder().decode(bytes), retryAfterMs });
    }
    if (fault) throw errorOfFault(name, fault);
    return { status: response.status, headers: response.headers, bytes };
  } catch (failure) {
    throw errorOfFailure(name, limit.signal.aborted ? limit.signal.reason : failure, url.href);
  } finally {
    limit.end();
  }
}

function errorOfFault(operation: string, fault: NonNullable<Body['fault']>): ApiError {
  return fault === 'cut'
    ? new ApiError('network', 'the connection closed before the end of the response', { operation })
    : new ApiError('server', 'the response exceeds the size limit', { operation, code: 'tooLarge' });
}

/** @throws ApiError of kind `validation` for a key that a URL would change */
function s3UrlOf({ access, bucket }: S3Context, { name, key = '', query = {} }: S3Request): URL {
  const path = [bucket.id, ...(key === '' ? [] : [key])].join('/');
  // A URL resolves the segments `.` and `..`, which would address another object.
  if (path.split('/').some((segment) => segment === '.' || segment === '..'))
    throw new ApiError('validation', 'a key cannot contain the segments “.” and “..”', { operation: name });
  const url = new URL(`${s3Address(access.s3Url, bucket)}/${s3Encoded(path, { keepSlash: true })}`);
  url.search = Object.entries(query)
    .flatMap(([field, value]) => (value === undefined ? [] : [`${s3Encoded(field)}=${s3Encoded(String(value))}`]))
    .join('&');
  return url;
}

async function signedHeaders(
  { access, bucket, clock }: S3Context,
  { method, headers = {} }: S3Request,
  url: URL,
  sha256: string,
): Promise<Headers> {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const signer = new AwsV4Signer({
    ...{ method, url: url.href, headers: { ...Object.fromEntries(given), [S3_HEADERS.contentSha256]: sha256 } },
    ...{ accessKeyId: access.s3AccessKeyId, secretAccessKey: access.s3SecretAccessKey },
    ...{ service: S3_SERVICE, region: bucket.dataCenter || S3_REGION, datetime: s3DateTime(clock.now()) },
  });
  return (await signer.sign()).headers;
}
