import {
  S3CompletedUpload,
  S3CompleteUpload,
  S3CopyPartResult,
  S3CopyResult,
  S3Objects,
  S3Parts,
  S3Upload,
  S3Uploads,
  type S3Object,
} from '../../contract/s3/s3Documents.ts';
import { S3_HEADERS, S3_MAX_KEYS, S3_PART_BYTES_HEADER, S3_QUERY } from '../../contract/s3/s3Names.ts';
import { s3Encoded } from '../../contract/s3/s3Signing.ts';
import {
  readXml,
  writeXml,
  XmlProblem,
  type XmlDocument,
  type XmlShape,
  type XmlValue,
} from '../../contract/s3/xml.ts';
import { ApiError } from '../apiError.ts';
import { s3Request, type S3Context, type S3Options } from './s3Request.ts';

export interface ObjectFacts {
  /** In bytes. */
  readonly size: number;
  /** With its quotation marks. */
  readonly etag: string;
  /** ms since the epoch. */
  readonly modifiedAt: number;
  /** Base64 of the SHA-256 digest of the whole object, if the service has it. */
  readonly sha256?: string | undefined;
  /** Size of all parts but the last, in bytes, if this client uploaded the object in parts. */
  readonly partBytes?: number | undefined;
}

export interface Listing {
  readonly objects: readonly (ObjectFacts & { readonly key: string })[];
  /** With their trailing slashes. */
  readonly directories: readonly string[];
  /** Token of the next page. */
  readonly next: string | undefined;
}

export interface UploadedPart {
  readonly number: number;
  readonly etag: string;
  readonly size: number;
}

/** A part to copy. `first` and `last` are positions of bytes in the source, which must have the ETag. */
export interface PartCopy {
  readonly key: string;
  readonly uploadId: string;
  readonly number: number;
  readonly first: number;
  readonly last: number;
  readonly ifMatch: string;
}

/** A condition under which a write takes effect. */
export type WriteCondition = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' } | undefined;

const SHA256_HEADER = 'x-amz-checksum-sha256';

/** The files of one volume. Each method throws `ApiError`, and `S3Error` for an error of the service. */
export class S3Files {
  readonly #context: S3Context;

  constructor(context: S3Context) {
    this.#context = context;
  }

  /** Checks the address and the key with one request. */
  async check(options?: S3Options): Promise<void> {
    await this.list('', { maxKeys: 1 }, options);
  }

  async head(key: string, options?: S3Options): Promise<ObjectFacts> {
    const request = {
      name: 'headObject',
      method: 'HEAD',
      key,
      headers: { [S3_HEADERS.checksumMode]: 'ENABLED' },
    } as const;
    return factsOf((await s3Request(this.#context, request, options)).headers);
  }

  /**
   * Reads an object, or a range of its bytes.
   *
   * @param last position of the last byte
   * @param ifMatch ETag that the object must have
   */
  async get(
    key: string,
    { first = 0, last, ifMatch, limit }: { first?: number; last?: number; ifMatch?: string; limit?: number } = {},
    options?: S3Options,
  ): Promise<ObjectFacts & { readonly bytes: Uint8Array<ArrayBuffer> }> {
    const range = last === undefined ? undefined : `bytes=${first}-${last}`;
    const headers = { Range: range, 'If-Match': ifMatch };
    const answer = await s3Request(this.#context, { name: 'getObject', method: 'GET', key, headers, limit }, options);
    if (range !== undefined && answer.status !== 206)
      throw new ApiError('server', 'the service ignored the range of a request', { operation: 'getObject' });
    return { ...factsOf(answer.headers), bytes: answer.bytes };
  }

  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    condition?: WriteCondition,
    options?: S3Options,
  ): Promise<{ readonly etag: string }> {
    const headers = conditionHeaders(condition);
    const answer = await s3Request(
      this.#context,
      { name: 'putObject', method: 'PUT', key, headers, body: bytes },
      options,
    );
    return { etag: answer.headers.get('ETag') ?? '' };
  }

  /** Deletes an object. Does nothing if there is none. */
  async delete(key: string, options?: S3Options): Promise<void> {
    await s3Request(this.#context, { name: 'deleteObject', method: 'DELETE', key }, options);
  }

  /** Copies an object of at most 5 GiB inside the volume. @param condition for the target */
  async copy(from: string, to: string, condition?: WriteCondition, options?: S3Options): Promise<void> {
    const headers = { [S3_HEADERS.copySource]: this.#sourceOf(from), ...conditionHeaders(condition) };
    const request = { name: 'copyObject', method: 'PUT', key: to, headers } as const;
    const { bytes } = await s3Request(this.#context, request, options);
    // A copy that fails after its response has begun has the status 200 and another document.
    read('copyObject', S3CopyResult, bytes);
  }

  /** Returns a page of the objects whose keys have a prefix. With `flat`, directories below are not listed by themselves. */
  async list(
    prefix: string,
    {
      flat = false,
      token,
      maxKeys = S3_MAX_KEYS,
    }: { flat?: boolean; token?: string | undefined; maxKeys?: number } = {},
    options?: S3Options,
  ): Promise<Listing> {
    const query = {
      [S3_QUERY.listType]: 2,
      [S3_QUERY.prefix]: prefix,
      [S3_QUERY.delimiter]: flat ? undefined : '/',
      [S3_QUERY.maxKeys]: maxKeys,
      [S3_QUERY.encodingType]: 'url',
      [S3_QUERY.continuationToken]: token,
    };
    const { bytes } = await s3Request(this.#context, { name: 'listObjects', method: 'GET', query }, options);
    const page = read('listObjects', S3Objects, bytes);
    const decode = page.EncodingType === 'url' ? decoded : (text: string) => text;
    return {
      objects: page.Contents.map((one) => ({ key: decode(one.Key), ...factsOfEntry(one) })),
      directories: page.CommonPrefixes.map((one) => decode(one.Prefix)),
      next: page.IsTruncated ? page.NextContinuationToken : undefined,
    };
  }

  /** Yields all pages of a list. */
  async *pages(prefix: string, { flat = false } = {}, options?: S3Options): AsyncGenerator<Listing> {
    let token: string | undefined;
    do {
      const page: Listing = await this.list(prefix, { flat, token }, options);
      yield page;
      token = page.next;
    } while (token !== undefined);
  }

  /** @param partBytes size of all parts but the last */
  async createUpload(key: string, partBytes: number, options?: S3Options): Promise<string> {
    const headers = { [S3_PART_BYTES_HEADER]: String(partBytes) };
    const request = { name: 'createUpload', method: 'POST', key, query: { [S3_QUERY.uploads]: '' }, headers } as const;
    const { bytes } = await s3Request(this.#context, request, options);
    return read('createUpload', S3Upload, bytes).UploadId;
  }

  /** Returns the ID of the newest unfinished upload of a key. */
  async findUpload(key: string, options?: S3Options): Promise<string | undefined> {
    const query = { [S3_QUERY.uploads]: '', [S3_QUERY.prefix]: key, [S3_QUERY.encodingType]: 'url' };
    const { bytes } = await s3Request(this.#context, { name: 'listUploads', method: 'GET', query }, options);
    const page = read('listUploads', S3Uploads, bytes);
    const decode = page.EncodingType === 'url' ? decoded : (text: string) => text;
    const own = page.Upload.filter((one) => decode(one.Key) === key);
    return own.sort((a, b) => Date.parse(b.Initiated) - Date.parse(a.Initiated))[0]?.UploadId;
  }

  async listParts(key: string, uploadId: string, options?: S3Options): Promise<readonly UploadedPart[]> {
    const parts: UploadedPart[] = [];
    let marker: number | undefined;
    do {
      const query = { [S3_QUERY.uploadId]: uploadId, [S3_QUERY.partNumberMarker]: marker };
      const { bytes } = await s3Request(this.#context, { name: 'listParts', method: 'GET', key, query }, options);
      const page = read('listParts', S3Parts, bytes);
      for (const { PartNumber, ETag, Size } of page.Part) parts.push({ number: PartNumber, etag: ETag, size: Size });
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return parts;
  }

  async putPart(
    key: string,
    uploadId: string,
    number: number,
    body: Uint8Array<ArrayBuffer>,
    options?: S3Options,
  ): Promise<UploadedPart> {
    const query = { [S3_QUERY.partNumber]: number, [S3_QUERY.uploadId]: uploadId };
    const answer = await s3Request(this.#context, { name: 'uploadPart', method: 'PUT', key, query, body }, options);
    return { number, etag: answer.headers.get('ETag') ?? '', size: body.length };
  }

  /** Copies bytes of another object to a part. @param last position of the last byte */
  async copyPart(
    from: string,
    { key, uploadId, number, first, last, ifMatch }: PartCopy,
    options?: S3Options,
  ): Promise<UploadedPart> {
    const headers = {
      [S3_HEADERS.copySource]: this.#sourceOf(from),
      [S3_HEADERS.copySourceRange]: `bytes=${first}-${last}`,
      [S3_HEADERS.copySourceIfMatch]: ifMatch,
    };
    const query = { [S3_QUERY.partNumber]: number, [S3_QUERY.uploadId]: uploadId };
    const request = { name: 'uploadPartCopy', method: 'PUT', key, query, headers } as const;
    const { bytes } = await s3Request(this.#context, request, options);
    return { number, etag: read('uploadPartCopy', S3CopyPartResult, bytes).ETag, size: last - first + 1 };
  }

  #sourceOf(key: string): string {
    return `/${s3Encoded(`${this.#context.bucket.id}/${key}`, { keepSlash: true })}`;
  }

  /** Returns the ETag of the object. */
  async completeUpload(
    key: string,
    uploadId: string,
    parts: readonly UploadedPart[],
    options?: S3Options,
  ): Promise<string> {
    const body = writeXml(S3CompleteUpload, {
      Part: parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })),
    });
    const query = { [S3_QUERY.uploadId]: uploadId };
    const { bytes } = await s3Request(
      this.#context,
      { name: 'completeUpload', method: 'POST', key, query, body },
      options,
    );
    return read('completeUpload', S3CompletedUpload, bytes).ETag;
  }

  async abortUpload(key: string, uploadId: string, options?: S3Options): Promise<void> {
    const query = { [S3_QUERY.uploadId]: uploadId };
    await s3Request(this.#context, { name: 'abortUpload', method: 'DELETE', key, query }, options);
  }
}

function conditionHeaders(condition: WriteCondition): Record<string, string> {
  if (!condition) return {};
  return 'ifMatch' in condition ? { 'If-Match': condition.ifMatch } : { 'If-None-Match': condition.ifNoneMatch };
}

function factsOf(headers: Headers): ObjectFacts {
  const sha256 = headers.get(SHA256_HEADER);
  const partBytes = Number(headers.get(S3_PART_BYTES_HEADER));
  const total = /\/(\d+)$/.exec(headers.get('Content-Range') ?? '')?.[1] ?? headers.get('Content-Length');
  return {
    size: Number(total ?? 0),
    etag: headers.get('ETag') ?? '',
    modifiedAt: timeOf(headers.get('Last-Modified')),
    // A digest of the digests of the parts ends with their number.
    ...(sha256 !== null && !sha256.includes('-') && { sha256 }),
    ...(partBytes > 0 && { partBytes }),
  };
}

function factsOfEntry({ Size, ETag, LastModified }: S3Object): ObjectFacts {
  return { size: Size, etag: ETag, modifiedAt: timeOf(LastModified) };
}

function timeOf(text: string | null): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? 0 : time;
}

/** Encoded keys have `+` for a space, as in forms. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** @throws ApiError of kind `server` for another document */
function read<Shape extends XmlShape>(
  operation: string,
  document: XmlDocument<Shape>,
  bytes: Uint8Array,
): XmlValue<Shape> {
  try {
    return readXml(document, new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    const message = `the response does not match the schema of ${operation}: ${error.message}`;
    throw new ApiError('server', message, { operation, cause: error });
  }
}
