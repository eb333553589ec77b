import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  S3_KEPT_HEADERS,
  S3_MAX_KEYS,
  S3_MAX_METADATA_BYTES,
  S3_METADATA_PREFIX,
  S3_QUERY,
} from '../../contract/s3/s3Names.ts';
import { s3Encoded } from '../../contract/s3/s3Signing.ts';
import {
  readXml,
  writeXml,
  XmlProblem,
  type XmlDocument,
  type XmlShape,
  type XmlValue,
} from '../../contract/s3/xml.ts';
import type { Answer } from '../http/answer.ts';
import type { Clock } from '../time/clock.ts';
import { parseKey, type ObjectKey } from './objectKey.ts';
import { receiveText } from './requestBody.ts';
import { S3Failure } from './s3Failure.ts';
import type { VerifiedRequest } from './signedRequest.ts';
import type { OpenVolume } from './openVolumes.ts';

/** A verified request of the S3 interface, with the volume that it names. */
export interface S3Request {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly verified: VerifiedRequest;
  /** Decoded parameters of the query. */
  readonly query: ReadonlyMap<string, string>;
  readonly volume: OpenVolume;
  /** Part of the path after the volume. */
  readonly key: string;
  /** Returns a volume of the caller. @throws S3Failure NoSuchBucket */
  readonly volumeOf: (id: string) => OpenVolume;
  /** The actual time. */
  readonly clock: Clock;
}

export const quoted = (etag: string): string => `"${etag}"`;
export function header({ incoming }: Pick<S3Request, 'incoming'>, name: string): string | undefined {
  const value = incoming.headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

export const keyOf = ({ key }: Pick<S3Request, 'key'>): ObjectKey => parseKey(key);

const XML_HEADERS = { 'Content-Type': 'application/xml' };

export function xmlAnswer<Shape extends XmlShape>(document: XmlDocument<Shape>, value: XmlValue<Shape>): Answer {
  return { status: 200, headers: XML_HEADERS, body: writeXml(document, value) };
}

/** @throws S3Failure MalformedXML, and those of the body */
export async function readXmlBody<Shape extends XmlShape>(
  { incoming, verified }: S3Request,
  document: XmlDocument<Shape>,
): Promise<XmlValue<Shape>> {
  const text = await receiveText(incoming, verified);
  try {
    return readXml(document, text);
  } catch (error) {
    if (error instanceof XmlProblem) throw new S3Failure('MalformedXML', `The XML cannot be read: ${error.message}.`);
    throw error;
  }
}

/** Returns an integer parameter. @throws S3Failure InvalidArgument */
export function integer({ query }: S3Request, name: string, max: number, otherwise = max): number {
  const text = query.get(name);
  if (text === undefined || text === '') return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new S3Failure('InvalidArgument', `${name} must be an integer.`);
  return Math.min(Number(text), max);
}

export const maxKeys = (request: S3Request, name: string): number => integer(request, name, S3_MAX_KEYS);

/** Returns a function that encodes the keys of a listing as requested. @throws S3Failure InvalidArgument */
export function keyEncoding({ query }: S3Request): (key: string) => string {
  const encoding = query.get(S3_QUERY.encodingType);
  if (encoding === undefined) return (key) => key;
  if (encoding !== 'url') throw new S3Failure('InvalidArgument', `${S3_QUERY.encodingType} must be url.`);
  return (key) => s3Encoded(key, { keepSlash: true });
}

/** Returns the headers of a request that are kept with its object. @throws S3Failure MetadataTooLarge */
export function keptHeaders({ incoming: { headers } }: Pick<S3Request, 'incoming'>): Record<string, string> {
  const kept: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const isMetadata = name.startsWith(S3_METADATA_PREFIX);
    if (!isMetadata && !(S3_KEPT_HEADERS as readonly string[]).includes(name)) continue;
    const text = name === 'content-encoding' ? withoutChunks(String(value)) : String(value);
    if (isMetadata) bytes += name.length - S3_METADATA_PREFIX.length + text.length;
    if (text !== '' || isMetadata) kept[name] = text;
  }
  if (bytes > S3_MAX_METADATA_BYTES) throw new S3Failure('MetadataTooLarge');
  return kept;
}

/** Removes the coding of the transfer from the codings of the object. */
function withoutChunks(codings: string): string {
  return codings
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one.toLowerCase() !== 'aws-chunked')
    .join(',');
}

/** Headers that ask for something that the platform does not do. Ignoring them would be a false promise. */
const UNSUPPORTED = [
  /^x-amz-server-side-encryption/,
  /^x-amz-object-lock-/,
  /^x-amz-tagging$/,
  /^x-amz-grant-/,
  /^x-amz-website-redirect-location$/,
  /^x-amz-write-offset-bytes$/,
  /^x-amz-rename-source/,
];
const PRIVATE_ACLS: readonly (string | undefined)[] = [
  undefined,
  'private',
  'bucket-owner-full-control',
  'bucket-owner-read',
];

/** @throws S3Failure NotImplemented */
export function checkHeaders(request: Pick<S3Request, 'incoming'>): void {
  const name = Object.keys(request.incoming.headers).find((one) => UNSUPPORTED.some((pattern) => pattern.test(one)));
  if (name !== undefined) throw new S3Failure('NotImplemented', `The platform does not support ${name}.`);
  if (!PRIVATE_ACLS.includes(header(request, 'x-amz-acl'))) {
    throw new S3Failure('NotImplemented', 'Objects are always private.');
  }
}
