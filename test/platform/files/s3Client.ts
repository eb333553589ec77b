import { AwsClient } from 'aws4fetch';
import { operations } from '../../../src/contract/operations.ts';
import { S3ErrorDocument } from '../../../src/contract/s3/s3Documents.ts';
import type { S3ErrorCode } from '../../../src/contract/s3/s3Errors.ts';
import { s3Encoded } from '../../../src/contract/s3/s3Signing.ts';
import { readXml, type XmlDocument, type XmlShape, type XmlValue } from '../../../src/contract/s3/xml.ts';
import { S3Failure } from '../../../src/platform/files/s3Failure.ts';
import type { PlatformOptions } from '../../../src/platform/daemon/start.ts';
import path from 'node:path';
import assert from 'node:assert/strict';
import { dataDirectory, platformForTest, type Api } from '../support.ts';

/** Matches a failure by its code. */
export const s3Failure =
  (code: S3ErrorCode) =>
  (error: unknown): boolean =>
    error instanceof S3Failure && error.code === code;

export interface S3Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

type Init = Omit<RequestInit, 'headers'> & {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
};

/** Calls the S3 interface with a signer that the platform does not use. */
export class S3 {
  readonly volumeId: string;
  readonly key: S3Key;
  readonly #origin: string;
  readonly #aws: AwsClient;

  constructor(origin: string, key: S3Key, volumeId: string) {
    this.#origin = origin;
    this.volumeId = volumeId;
    this.key = key;
    this.#aws = new AwsClient({ ...key, service: 's3', region: 'us-east-1', retries: 0 });
  }

  url(key?: string, query: Record<string, string> = {}): string {
    const at = key === undefined ? '' : `/${s3Encoded(key, { keepSlash: true })}`;
    const search = Object.entries(query).map(([name, value]) => `${s3Encoded(name)}=${s3Encoded(value)}`);
    return `${this.#origin}/${this.volumeId}${at}${search.length > 0 ? '?' : ''}${search.join('&')}`;
  }

  /** @param key undefined for the volume itself */
  call(method: string, key?: string, { query, ...init }: Init = {}): Promise<Response> {
    return this.#aws.fetch(this.url(key, query), { method, ...init });
  }

  async presigned(method: string, key: string, expires = 60): Promise<string> {
    const request = await this.#aws.sign(this.url(key, { 'X-Amz-Expires': String(expires) }), {
      method,
      aws: { signQuery: true },
    });
    return request.url;
  }

  /** Returns the answer of a successful call. */
  async ok(method: string, key?: string, init?: Init): Promise<Response> {
    const response = await this.call(method, key, init);
    if (!response.ok) assert.fail(`${method} ${key ?? ''}: ${response.status} ${await response.text()}`);
    return response;
  }

  async document<Shape extends XmlShape>(
    document: XmlDocument<Shape>,
    method: string,
    key?: string,
    init?: Init,
  ): Promise<XmlValue<Shape>> {
    return readXml(document, await (await this.ok(method, key, init)).text());
  }

  put(key: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
    return this.ok('PUT', key, { body, headers });
  }

  async text(key: string): Promise<string> {
    return (await this.ok('GET', key)).text();
  }

  /** Returns the code of a refusal. */
  async refused(method: string, key?: string, init?: Init): Promise<string> {
    return codeOf(await this.call(method, key, init));
  }
}

export async function codeOf(response: Response): Promise<string> {
  const text = await response.text();
  assert.ok(!response.ok, `expected a refusal, not ${response.status}`);
  const { Code } = readXml(S3ErrorDocument, text);
  return Code;
}

export interface S3World {
  readonly api: Api;
  readonly s3: S3;
  /** Directory of the volume. */
  readonly directory: string;
  readonly state: string;
  readonly dataDir: string;
}

export async function createVolume(api: Api, size = 10): Promise<string> {
  const body = { name: 'data', size, dataCenter: 'EU-RO-1' };
  return (await api.call(operations.createNetworkVolume, { body })).id;
}

/** Starts a platform with a volume. */
export async function s3World(options: PlatformOptions = {}): Promise<S3World> {
  const dataDir = options.dataDir ?? (await dataDirectory());
  const { api } = await platformForTest({ dataDir, ...options });
  const volumeId = await createVolume(api);
  return { api, s3: ownerS3(api, volumeId), ...directoriesOf(dataDir, volumeId), dataDir };
}

export function directoriesOf(
  dataDir: string,
  volumeId: string,
): { readonly directory: string; readonly state: string } {
  const volumes = path.join(dataDir, 'volumes');
  return { directory: path.join(volumes, volumeId), state: path.join(volumes, '.s3', volumeId) };
}

export function ownerS3({ addresses }: Pick<Api, 'addresses'>, volumeId: string): S3 {
  const { s3Url, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = addresses;
  return new S3(s3Url, { accessKeyId, secretAccessKey }, volumeId);
}
