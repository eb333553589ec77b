import { Readable } from 'node:stream';
import {
  S3CompletedUpload,
  S3CompleteUpload,
  S3CopyPartResult,
  S3ErrorDocument,
  S3Parts,
  S3Upload,
  S3Uploads,
} from '../../contract/s3/s3Documents.ts';
import { S3_HEADERS, S3_MAX_KEYS, S3_MAX_PARTS, S3_MAX_PUT_BYTES, S3_QUERY } from '../../contract/s3/s3Names.ts';
import { writeXml } from '../../contract/s3/xml.ts';
import type { Answer } from '../http/answer.ts';
import { checkWrite, conditionsOf, rangeOf } from './conditions.ts';
import { prefixOf } from './listing.ts';
import { compareKeys } from './objectKey.ts';
import { copyBytes, copySourceOf, inNewFile, openSource, receiveFile } from './objectOperations.ts';
import { failureOf, S3Failure } from './s3Failure.ts';
import {
  header,
  integer,
  keptHeaders,
  keyEncoding,
  keyOf,
  maxKeys,
  quoted,
  readXmlBody,
  xmlAnswer,
  type S3Request,
} from './s3Request.ts';
import type { UploadEntry } from './uploads.ts';
import type { StoredObject } from './volumeFiles.ts';
import { dateTime } from '../../contract/dateTime.ts';

/* Operations on multipart uploads. */

const uploadOf = (request: S3Request): Promise<UploadEntry> =>
  request.volume.uploads.get(request.query.get(S3_QUERY.uploadId) ?? '', keyOf(request));

export async function createUpload(request: S3Request): Promise<Answer> {
  const { volume, clock } = request;
  const key = keyOf(request);
  if (key.isDirectory) throw new S3Failure('InvalidArgument', 'A key that ends with a slash names a directory.');
  const id = await volume.uploads.create(key, keptHeaders(request), clock.now());
  return xmlAnswer(S3Upload, { Bucket: volume.id, Key: key.key, UploadId: id });
}

/** @throws S3Failure InvalidArgument */
function partNumber({ query }: S3Request): number {
  const text = query.get(S3_QUERY.partNumber) ?? '';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= S3_MAX_PARTS) return number;
  throw new S3Failure('InvalidArgument', `${S3_QUERY.partNumber} must be 1 to ${S3_MAX_PARTS}.`);
}

export async function uploadPart(request: S3Request): Promise<Answer> {
  const number = partNumber(request);
  const { id } = await uploadOf(request);
  return receiveFile(request, async (file, { md5, checksums }) => {
    await request.volume.uploads.putPart(id, number, file, md5);
    return { status: 200, headers: { ETag: quoted(md5), ...checksums } };
  });
}

export async function uploadPartCopy(request: S3Request): Promise<Answer> {
  const number = partNumber(request);
  const { volume, clock } = request;
  const { id } = await uploadOf(request);
  const { handle, object } = await openSource(request, copySourceOf(request));
  try {
    const text = header(request, S3_HEADERS.copySourceRange);
    const range = rangeOf(text, object.size);
    if (text !== undefined && !range) throw new S3Failure('InvalidArgument', 'The range of the copy is not valid.');
    const { start, end } = range ?? { start: 0, end: object.size - 1 };
    const size = end - start + 1;
    if (size > S3_MAX_PUT_BYTES) throw new S3Failure('EntityTooLarge');
    return await inNewFile(volume, size, async (file) => {
      const md5 = await copyBytes(handle, file, { start, end });
      await volume.uploads.putPart(id, number, file, md5);
      return xmlAnswer(S3CopyPartResult, { LastModified: dateTime(clock.now()), ETag: quoted(md5) });
    });
  } finally {
    await handle.close();
  }
}

export async function completeUpload(request: S3Request): Promise<Answer> {
  const { volume, incoming } = request;
  const key = keyOf(request);
  const upload = await uploadOf(request);
  const { Part } = await readXmlBody(request, S3CompleteUpload);
  if (Part.length === 0 || Part.length > S3_MAX_PARTS) throw new S3Failure('MalformedXML');
  const wanted = Part.map(({ PartNumber, ETag }) => ({
    number: PartNumber,
    etag: ETag.trim().replace(/^"(.*)"$/, '$1'),
  }));
  const conditions = conditionsOf(incoming.headers);
  const complete = async (): Promise<string> => {
    const check = (current: StoredObject | undefined): void => checkWrite(current, conditions);
    const { object, bytes } = await volume.uploads.complete(upload, key, wanted, check);
    // The parts were counted when they arrived.
    volume.space.release(bytes - object.size);
    return writeXml(S3CompletedUpload, { Bucket: volume.id, Key: key.key, ETag: quoted(object.etag) });
  };
  return patiently(request, complete());
}

/** Time after which a client is told that the work continues, in ms. Clients give up without an answer after a minute. */
const PATIENCE_MS = 10_000;

/**
 * Answers with a document that may take long. The answer then begins before the document is known, and spaces follow until it is. A failure
 * after that has the status 200, as in S3.
 */
async function patiently({ clock }: S3Request, document: Promise<string>): Promise<Answer> {
  const headers = { 'Content-Type': 'application/xml' };
  const early = await settledWithin(clock, document);
  if (early !== undefined) return { status: 200, headers, body: early };
  async function* parts(): AsyncGenerator<string> {
    yield '<?xml version="1.0" encoding="UTF-8"?>\n';
    try {
      let text: string | undefined;
      while ((text = await settledWithin(clock, document)) === undefined) yield ' ';
      yield withoutDeclaration(text);
    } catch (error) {
      const { code, message } = failureOf(error);
      yield withoutDeclaration(writeXml(S3ErrorDocument, { Code: code, Message: message }));
    }
  }
  return { status: 200, headers, body: Readable.from(parts()) };
}

const withoutDeclaration = (document: string): string => document.slice(document.indexOf('\n') + 1);

/** Returns undefined if the document is not known in time. */
async function settledWithin(clock: S3Request['clock'], document: Promise<string>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.after(PATIENCE_MS, () => resolve(undefined));
  return Promise.race([document, promise]).finally(cancel);
}

export async function abortUpload(request: S3Request): Promise<Answer> {
  const { volume } = request;
  const { id } = await uploadOf(request);
  volume.space.release(await volume.uploads.abort(id));
  return { status: 204 };
}

export async function listParts(request: S3Request): Promise<Answer> {
  const { volume } = request;
  const { id, key } = await uploadOf(request);
  const encode = keyEncoding(request);
  const limit = integer(request, S3_QUERY.maxParts, S3_MAX_KEYS);
  const marker = integer(request, S3_QUERY.partNumberMarker, S3_MAX_PARTS, 0);
  const following = (await volume.uploads.parts(id)).filter(({ number }) => number > marker);
  const page = following.slice(0, limit);
  return xmlAnswer(S3Parts, {
    Bucket: volume.id,
    Key: encode(key),
    EncodingType: request.query.get(S3_QUERY.encodingType),
    UploadId: id,
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.number,
    MaxParts: limit,
    IsTruncated: following.length > page.length && limit > 0,
    Part: page.map(({ number, etag, size, modifiedAt }) => ({
      PartNumber: number,
      LastModified: dateTime(modifiedAt),
      ETag: quoted(etag),
      Size: size,
    })),
  });
}

export async function listUploads(request: S3Request): Promise<Answer> {
  const { volume, query } = request;
  const encode = keyEncoding(request);
  const limit = maxKeys(request, S3_QUERY.maxUploads);
  const [prefix, delimiter] = [query.get(S3_QUERY.prefix) ?? '', query.get(S3_QUERY.delimiter) ?? ''];
  const [keyMarker, idMarker] = [query.get(S3_QUERY.keyMarker) ?? '', query.get(S3_QUERY.uploadIdMarker) ?? ''];
  const isAfter = ({ key, id }: UploadEntry): boolean => {
    const order = compareKeys(key, keyMarker);
    if (order === 0) return idMarker !== '' && compareKeys(id, idMarker) > 0;
    const common = prefixOf(key, { prefix, delimiter });
    return order > 0 && (common === undefined || compareKeys(common, keyMarker) > 0);
  };
  const uploads = (await volume.uploads.list()).filter(({ key }) => key.startsWith(prefix)).filter(isAfter);
  const page: UploadEntry[] = [];
  const prefixes: string[] = [];
  let next: { key: string; id: string } | undefined;
  let isTruncated = false;
  for (const upload of uploads) {
    const common = prefixOf(upload.key, { prefix, delimiter });
    if (common !== undefined && common === prefixes.at(-1)) continue;
    isTruncated = page.length + prefixes.length === limit && limit > 0;
    if (page.length + prefixes.length === limit) break;
    if (common === undefined) page.push(upload);
    else prefixes.push(common);
    next = common === undefined ? upload : { key: common, id: '' };
  }
  return xmlAnswer(S3Uploads, {
    Bucket: volume.id,
    KeyMarker: encode(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: isTruncated && next ? encode(next.key) : undefined,
    NextUploadIdMarker: isTruncated ? next?.id : undefined,
    Prefix: encode(prefix),
    ...(delimiter === '' ? {} : { Delimiter: encode(delimiter) }),
    EncodingType: query.get(S3_QUERY.encodingType),
    MaxUploads: limit,
    IsTruncated: isTruncated,
    Upload: page.map(({ key, id, createdAt }) => ({ Key: encode(key), UploadId: id, Initiated: dateTime(createdAt) })),
    CommonPrefixes: prefixes.map((one) => ({ Prefix: encode(one) })),
  });
}
