import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { S3_HEADERS, S3_QUERY } from '../../contract/s3/s3Names.ts';
import {
  S3_ALGORITHM,
  S3_MAX_EXPIRES_S,
  S3_MAX_SKEW_MS,
  S3_PAYLOADS,
  S3_SCOPE_END,
  S3_SERVICE,
  s3Encoded,
} from '../../contract/s3/s3Signing.ts';
import { S3Failure } from './s3Failure.ts';

/* Verification of Signature Version 4, in the Authorization header or in the query of a presigned address. */

/** Signatures of the chunks of a body continue the signature of the request. */
export interface ChunkSigner {
  readonly seed: string;
  /** @param algorithm first line of the signed text. @param lines last lines of the signed text */
  readonly sign: (algorithm: string, previous: string, lines: readonly string[]) => string;
}

export interface VerifiedRequest {
  readonly accessKeyId: string;
  /** Value of `x-amz-content-sha256`. */
  readonly payload: string;
  readonly isPresigned: boolean;
  readonly chunks: ChunkSigner;
}

interface Signature {
  readonly accessKeyId: string;
  /** `{date}/{region}/s3/aws4_request`. */
  readonly scope: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly dateTime: string;
  /** Lifetime of a presigned address in seconds. */
  readonly expires?: number;
}

type Parameters = readonly (readonly [name: string, value: string])[];

/** Whether a request is for the S3 interface: it has a signature. */
export function isSigned({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return (
    headers.authorization?.startsWith(`${S3_ALGORITHM} `) === true ||
    (url.includes(`${S3_QUERY.signature}=`) && url.includes('?'))
  );
}

/** Returns the decoded path and the decoded parameters of the query in their order. @throws S3Failure */
export function targetOf(url: string): { readonly path: string; readonly parameters: Parameters } {
  const end = url.indexOf('?');
  const path = decoded(end === -1 ? url : url.slice(0, end));
  const query = end === -1 ? '' : url.slice(end + 1);
  const parameters = query
    .split('&')
    .filter((part) => part !== '')
    .map((part): readonly [string, string] => {
      const at = part.indexOf('=');
      const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      return [decoded(name.replaceAll('+', ' ')), decoded(value.replaceAll('+', ' '))];
    });
  return { path, parameters };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Failure('InvalidArgument', 'The address is not percent-encoded UTF-8.');
  }
}

/**
 * Verifies the signature of a request.
 *
 * @param now time of the platform, in ms since the epoch
 * @param secretOf returns the secret of an access key, or undefined if there is none
 * @throws S3Failure
 */
export function verifySignature(
  incoming: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>,
  now: number,
  secretOf: (accessKeyId: string) => string | undefined,
): VerifiedRequest {
  const { path, parameters } = targetOf(incoming.url ?? '');
  const { authorization } = incoming.headers;
  const isPresigned = parameters.some(([name]) => name === S3_QUERY.signature);
  if (isPresigned && authorization !== undefined) {
    throw new S3Failure('InvalidArgument', 'Only one way to sign a request is allowed.');
  }
  const parsed = isPresigned ? inQuery(parameters) : inHeader(authorization ?? '', incoming);
  const secret = secretOf(parsed.accessKeyId);
  if (secret === undefined) throw new S3Failure('InvalidAccessKeyId');
  checkTime(parsed, now);
  checkSignedHeaders(parsed, incoming);
  const payload = payloadOf(incoming, parsed, isPresigned);
  const key = signingKey(secret, parsed.scope);
  const sign = (text: Buffer | string): string => createHmac('sha256', key).update(text).digest('hex');
  const canonical = canonicalRequest(incoming, { path, parameters, payload, signedHeaders: parsed.signedHeaders });
  const { dateTime, scope, signature } = parsed;
  const expected = sign([S3_ALGORITHM, dateTime, scope, hash('sha256', canonical)].join('\n'));
  if (!areEqual(expected, signature)) throw new S3Failure('SignatureDoesNotMatch');
  return {
    accessKeyId: parsed.accessKeyId,
    payload,
    isPresigned,
    chunks: {
      seed: signature,
      sign: (algorithm, previous, lines) => sign([algorithm, dateTime, scope, previous, ...lines].join('\n')),
    },
  };
}

/** Compares in constant time. */
export function areEqual(expected: string, found: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(found)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const AUTHORIZATION = new RegExp(
  `^${S3_ALGORITHM} +Credential=([^,\\s]+) *,? *SignedHeaders=([^,\\s]+) *,? *Signature=([0-9a-f]{64})$`,
);
const DATE_TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

function inHeader(authorization: string, { headers }: Pick<IncomingMessage, 'headers'>): Signature {
  const [, credential, signedHeaders, signature] = AUTHORIZATION.exec(authorization.trim()) ?? [];
  if (credential === undefined || signedHeaders === undefined || signature === undefined) {
    throw new S3Failure('AuthorizationHeaderMalformed');
  }
  const own = headers[S3_HEADERS.date];
  const dateTime = typeof own === 'string' ? own : dateTimeOf(headers.date);
  if (!DATE_TIME.test(dateTime))
    throw new S3Failure('AccessDenied', 'The request has no valid x-amz-date or Date header.');
  return parsedSignature({ credential, signedHeaders, signature, dateTime }, 'AuthorizationHeaderMalformed');
}

/** Converts the Date header of HTTP. */
function dateTimeOf(date: string | undefined): string {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

function inQuery(parameters: Parameters): Signature {
  const malformed = (detail: string) => new S3Failure('AuthorizationQueryParametersError', detail);
  const value = (name: string): string => {
    const [found, second] = parameters.filter(([one]) => one === name);
    if (!found || second) throw malformed(`The query must have ${name} once.`);
    return found[1];
  };
  if (value(S3_QUERY.algorithm) !== S3_ALGORITHM) throw malformed(`${S3_QUERY.algorithm} must be ${S3_ALGORITHM}.`);
  const expires = value(S3_QUERY.expires);
  if (!/^\d{1,9}$/.test(expires) || Number(expires) < 1 || Number(expires) > S3_MAX_EXPIRES_S) {
    throw malformed(`${S3_QUERY.expires} must be 1 to ${S3_MAX_EXPIRES_S} seconds.`);
  }
  const dateTime = value(S3_QUERY.date);
  if (!DATE_TIME.test(dateTime)) throw malformed(`${S3_QUERY.date} must have the form 20260131T235959Z.`);
  const parts = {
    credential: value(S3_QUERY.credential),
    signedHeaders: value(S3_QUERY.signedHeaders),
    signature: value(S3_QUERY.signature),
    dateTime,
  };
  return { ...parsedSignature(parts, 'AuthorizationQueryParametersError'), expires: Number(expires) };
}

function parsedSignature(
  parts: Readonly<Record<'credential' | 'signedHeaders' | 'signature' | 'dateTime', string>>,
  code: 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError',
): Signature {
  const { credential, signature, dateTime } = parts;
  const [accessKeyId = '', date = '', region = '', service, end, ...rest] = credential.split('/');
  if (accessKeyId === '' || region === '' || service !== S3_SERVICE || end !== S3_SCOPE_END || rest.length > 0) {
    throw new S3Failure(code, 'The credential must be {key}/{date}/{region}/s3/aws4_request.');
  }
  if (date !== dateTime.slice(0, 8))
    throw new S3Failure(code, 'The date of the credential is not that of the request.');
  const signedHeaders = parts.signedHeaders.split(';');
  if (
    signedHeaders.some(
      (name, index) => name === '' || name !== name.toLowerCase() || signedHeaders.indexOf(name) !== index,
    )
  ) {
    throw new S3Failure(code, 'The signed headers must be different lowercase names.');
  }
  return { accessKeyId, scope: [date, region, service, end].join('/'), signedHeaders, signature, dateTime };
}

/** @throws S3Failure RequestTimeTooSkewed, AccessDenied */
function checkTime({ dateTime, expires }: Signature, now: number): void {
  const time = Date.parse(dateTime.replace(DATE_TIME, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(time)) throw new S3Failure('AccessDenied', 'The time of the request is not valid.');
  if (expires === undefined) {
    if (Math.abs(now - time) > S3_MAX_SKEW_MS) throw new S3Failure('RequestTimeTooSkewed');
    return;
  }
  if (time - now > S3_MAX_SKEW_MS) throw new S3Failure('AccessDenied', 'The presigned address is not valid yet.');
  if (now > time + expires * 1_000) throw new S3Failure('AccessDenied', 'The presigned address has expired.');
}

/** Names of headers that may change the meaning of a request, and must be signed if they are present. */
const isProtected = (name: string): boolean => name === 'host' || name.startsWith('x-amz-');

/** @throws S3Failure AccessDenied */
function checkSignedHeaders({ signedHeaders }: Signature, { headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!signedHeaders.includes('host')) throw new S3Failure('AccessDenied', 'The host header must be signed.');
  const unsigned = Object.keys(headers).filter((name) => isProtected(name) && !signedHeaders.includes(name));
  if (unsigned.length > 0) {
    throw new S3Failure('AccessDenied', `There are headers that are not signed: ${unsigned.join(', ')}.`);
  }
  const missing = signedHeaders.filter((name) => headers[name] === undefined);
  if (missing.length > 0)
    throw new S3Failure('SignatureDoesNotMatch', `There is no signed header ${missing.join(', ')}.`);
}

const PAYLOADS: readonly string[] = Object.values(S3_PAYLOADS);

/** @throws S3Failure InvalidRequest, InvalidArgument */
function payloadOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { signedHeaders }: Signature,
  isPresigned: boolean,
): string {
  const payload = headers[S3_HEADERS.contentSha256];
  if (typeof payload === 'string' && (!isPresigned || signedHeaders.includes(S3_HEADERS.contentSha256))) {
    if (PAYLOADS.includes(payload) || /^[0-9a-f]{64}$/.test(payload)) return payload;
    throw new S3Failure('InvalidArgument', `${S3_HEADERS.contentSha256} must be a digest, ${PAYLOADS.join(', ')}.`);
  }
  if (isPresigned) return S3_PAYLOADS.unsigned;
  throw new S3Failure('InvalidRequest', `The request has no ${S3_HEADERS.contentSha256} header.`);
}

function signingKey(secret: string, scope: string): Buffer {
  const parts = scope.split('/');
  return parts.reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
}

interface CanonicalParts {
  readonly path: string;
  readonly parameters: Parameters;
  readonly payload: string;
  readonly signedHeaders: readonly string[];
}

/** Returns the text that a signature covers. Header values are bytes, which Node.js decodes as Latin-1. */
function canonicalRequest(
  { method = '', rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>,
  { path, parameters, payload, signedHeaders }: CanonicalParts,
): Buffer {
  const query = parameters
    .filter(([name]) => name !== S3_QUERY.signature)
    .map(([name, value]): [string, string] => [s3Encoded(name), s3Encoded(value)])
    .sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const names = [...signedHeaders].sort(compare);
  const headers = names.map((name) => `${name}:${valuesOf(rawHeaders, name)}\n`).join('');
  const text = [method, s3Encoded(path, { keepSlash: true }), query, headers, names.join(';'), payload].join('\n');
  return Buffer.from(text, 'latin1');
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function valuesOf(rawHeaders: readonly string[], name: string): string {
  return rawHeaders
    .filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
    .map((value) => value.trim().replace(/ +/g, ' '))
    .join(',');
}
