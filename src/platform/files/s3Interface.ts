import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ReadStream } from 'node:fs';
import type { Logger } from 'pino';
import { operations } from '../../contract/operations.ts';
import { permissionFor } from '../../contract/permissions.ts';
import { S3ErrorDocument } from '../../contract/s3/s3Documents.ts';
import { S3_HEADERS, S3_QUERY } from '../../contract/s3/s3Names.ts';
import { writeXml } from '../../contract/s3/xml.ts';
import { missingAccess, type Caller } from '../domain/account.ts';
import { Refusal } from '../domain/refusal.ts';
import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import { send, type Answer } from '../http/answer.ts';
import { Exchange } from '../http/exchange.ts';
import type { Clock } from '../time/clock.ts';
import {
  createBucket,
  deleteObjects,
  getLocation,
  getVersioning,
  headBucket,
  listBuckets,
  listObjectsV1,
  listObjectsV2,
} from './bucketOperations.ts';
import { copyObject, deleteObject, getObject, headObject, putObject, RESPONSE_HEADERS } from './objectOperations.ts';
import type { OpenVolumes } from './openVolumes.ts';
import { failureOf, S3Failure } from './s3Failure.ts';
import { checkHeaders, type S3Request } from './s3Request.ts';
import { targetOf, verifySignature } from './signedRequest.ts';
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  listUploads,
  uploadPart,
  uploadPartCopy,
} from './uploadOperations.ts';

/*
 * The S3 interface. Its requests have the root of the server as their path, because some clients cannot add a prefix, and are told apart by
 * their signatures.
 */

export interface S3Options {
  readonly volumes: OpenVolumes;
  /** Returns the network volumes of an account. */
  readonly volumesOf: (accountId: string) => {
    list(): readonly NetworkVolumeRecord[];
    find(id: string): NetworkVolumeRecord | undefined;
  };
  /** Returns the secret and the caller of an access key. */
  readonly identify: (accessKeyId: string) => { readonly secret: string; readonly caller: Caller } | undefined;
  /** The actual time, which signatures contain, even if the clock of the platform is frozen or advanced. */
  readonly wallClock: Clock;
  /** @throws Refusal if the Host header names another host */
  readonly checkHost: (incoming: IncomingMessage) => void;
  readonly log: Logger;
}

interface Route {
  readonly on: 'bucket' | 'object';
  readonly method: string;
  /** Parameters that select the operation. */
  readonly requires?: readonly string[];
  /** Header that selects the operation. */
  readonly header?: string;
  readonly allows?: readonly string[];
  readonly isWrite?: boolean;
  readonly serve: (request: S3Request) => Answer | Promise<Answer>;
}

const LISTING = [S3_QUERY.prefix, S3_QUERY.delimiter, S3_QUERY.encodingType];
const PAGE = [...LISTING, S3_QUERY.maxKeys];
const PART = [S3_QUERY.partNumber, S3_QUERY.uploadId];
const RESPONSE = Object.keys(RESPONSE_HEADERS);

/** Routes with more specific ones first. */
const ROUTES: readonly Route[] = [
  { on: 'bucket', method: 'HEAD', serve: headBucket },
  { on: 'bucket', method: 'GET', requires: [S3_QUERY.location], serve: getLocation },
  { on: 'bucket', method: 'GET', requires: [S3_QUERY.versioning], serve: getVersioning },
  {
    on: 'bucket',
    method: 'GET',
    requires: [S3_QUERY.uploads],
    allows: [...LISTING, S3_QUERY.maxUploads, S3_QUERY.keyMarker, S3_QUERY.uploadIdMarker],
    serve: listUploads,
  },
  {
    on: 'bucket',
    method: 'GET',
    requires: [S3_QUERY.listType],
    allows: [...PAGE, S3_QUERY.continuationToken, S3_QUERY.startAfter, 'fetch-owner'],
    serve: listObjectsV2,
  },
  { on: 'bucket', method: 'GET', allows: [...PAGE, S3_QUERY.marker], serve: listObjectsV1 },
  { on: 'bucket', method: 'POST', requires: [S3_QUERY.delete], isWrite: true, serve: deleteObjects },
  { on: 'bucket', method: 'PUT', isWrite: true, serve: createBucket },
  {
    on: 'object',
    method: 'GET',
    requires: [S3_QUERY.uploadId],
    allows: [S3_QUERY.maxParts, S3_QUERY.partNumberMarker, S3_QUERY.encodingType],
    serve: listParts,
  },
  { on: 'object', method: 'GET', allows: RESPONSE, serve: getObject },
  { on: 'object', method: 'HEAD', allows: RESPONSE, serve: headObject },
  { on: 'object', method: 'PUT', requires: PART, header: S3_HEADERS.copySource, isWrite: true, serve: uploadPartCopy },
  { on: 'object', method: 'PUT', requires: PART, isWrite: true, serve: uploadPart },
  { on: 'object', method: 'PUT', header: S3_HEADERS.copySource, isWrite: true, serve: copyObject },
  { on: 'object', method: 'PUT', isWrite: true, serve: putObject },
  { on: 'object', method: 'POST', requires: [S3_QUERY.uploads], isWrite: true, serve: createUpload },
  { on: 'object', method: 'POST', requires: [S3_QUERY.uploadId], isWrite: true, serve: completeUpload },
  { on: 'object', method: 'DELETE', requires: [S3_QUERY.uploadId], isWrite: true, serve: abortUpload },
  { on: 'object', method: 'DELETE', isWrite: true, serve: deleteObject },
];

const READ = permissionFor(operations.listNetworkVolumes);
const WRITE = permissionFor(operations.updateNetworkVolume);

/** Parameters that belong to signatures, or name the operation for logs. */
const isIgnored = (name: string): boolean => name === 'x-id' || name.startsWith('X-Amz-');

export class S3Interface {
  readonly #options: S3Options;
  readonly #active = new Set<Promise<void>>();

  constructor(options: S3Options) {
    this.#options = options;
  }

  readonly listener: RequestListener = (incoming, outgoing) => {
    const work = this.#respond(incoming, outgoing).finally(() => this.#active.delete(work));
    this.#active.add(work);
  };

  /** Resolves once no request is in progress. Their connections must be closed. */
  async settled(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active);
  }

  async #respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const exchange = new Exchange(incoming, outgoing);
    const { log } = this.#options;
    const id = randomBytes(8).toString('hex').toUpperCase();
    outgoing.setHeader(S3_HEADERS.requestId, id);
    let answer: Answer;
    try {
      answer = await this.#answer(exchange);
    } catch (error) {
      answer = this.#failure(exchange, id, error);
    }
    try {
      const { socket } = incoming;
      await send(exchange, answer);
      // A file that became shorter leaves the answer incomplete.
      const announced = Number(answer.headers?.['Content-Length']);
      const body = answer.body as Partial<ReadStream> | undefined;
      if (incoming.method !== 'HEAD' && body?.bytesRead !== undefined && body.bytesRead < announced) socket.destroy();
    } catch (error) {
      log.warn({ err: error, path: exchange.path }, 'an object cannot be sent');
      outgoing.destroy();
    }
  }

  async #answer(exchange: Exchange): Promise<Answer> {
    const { incoming, outgoing, method } = exchange;
    const { wallClock, identify, volumesOf, volumes, checkHost } = this.#options;
    checkHost(incoming);
    const now = wallClock.now();
    let found: ReturnType<typeof identify>;
    const verified = verifySignature(incoming, now, (accessKeyId) => (found = identify(accessKeyId))?.secret);
    if (!found) throw new S3Failure('InvalidAccessKeyId');
    const { caller } = found;
    const { path, parameters } = targetOf(incoming.url ?? '');
    const query = new Map(parameters);
    const end = path.indexOf('/', 1);
    const [bucket, key] = end === -1 ? [path.slice(1), ''] : [path.slice(1, end), path.slice(end + 1)];
    const own = volumesOf(caller.accountId);
    if (bucket === '') {
      if (method !== 'GET') throw new S3Failure('MethodNotAllowed');
      checkPermission(caller, READ);
      return listBuckets(caller.accountId, own.list());
    }
    checkHeaders({ incoming });
    const route = routeOf(exchange, key === '' ? 'bucket' : 'object', query);
    checkPermission(caller, route.isWrite === true ? WRITE : READ);
    if (route.header === S3_HEADERS.copySource) checkPermission(caller, READ);
    const volumeOf = (id: string) => {
      const volume = own.find(id);
      if (!volume) throw new S3Failure('NoSuchBucket');
      return volumes.of(volume);
    };
    return route.serve({
      incoming,
      outgoing,
      verified,
      query,
      key,
      clock: wallClock,
      volumeOf,
      volume: volumeOf(bucket),
    });
  }

  #failure({ incoming, path, method }: Exchange, id: string, error: unknown): Answer {
    const failure = error instanceof Refusal ? new S3Failure('AccessDenied', error.message) : failureOf(error);
    const { code, message, status, headers } = failure;
    if (code === 'InternalError') this.#options.log.error({ err: error, method, path, id }, 'request failed');
    // The body of a refused request is discarded.
    incoming.resume();
    if (method === 'HEAD' || status === 304) return { status, headers };
    const body = writeXml(S3ErrorDocument, { Code: code, Message: message, Resource: path, RequestId: id });
    return { status, headers: { 'Content-Type': 'application/xml', ...headers }, body };
  }
}

/** @throws S3Failure NotImplemented, MethodNotAllowed */
function routeOf({ method, incoming }: Exchange, on: Route['on'], query: ReadonlyMap<string, string>): Route {
  const route = ROUTES.find(
    (one) =>
      one.on === on &&
      one.method === method &&
      (one.requires ?? []).every((name) => query.has(name)) &&
      (one.header === undefined || incoming.headers[one.header] !== undefined),
  );
  if (!route) throw new S3Failure(query.size > 0 ? 'NotImplemented' : 'MethodNotAllowed');
  const known = [...(route.requires ?? []), ...(route.allows ?? [])];
  const unknown = [...query.keys()].filter((name) => !isIgnored(name) && !known.includes(name));
  if (unknown.length === 0) return route;
  throw new S3Failure('NotImplemented', `The platform does not support the parameter ${unknown.join(', ')} here.`);
}

/** @throws S3Failure AccessDenied */
function checkPermission(caller: Caller, permission: string): void {
  const missing = missingAccess(caller, permission, undefined);
  if (missing !== undefined) throw new S3Failure('AccessDenied', missing);
}
