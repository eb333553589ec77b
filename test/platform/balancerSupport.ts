import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import process from 'node:process';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../src/contract/route.ts';
import type { PlatformOptions } from '../../src/platform/daemon/start.ts';
import { platformForTest, type Api } from './support.ts';

/** Returns a load-balanced endpoint whose requests control its worker: see fixtures/server.mjs. */
export const balanced = (changes: Partial<CreateEndpointBody> = {}): Partial<CreateEndpointBody> => ({
  type: 'LOAD_BALANCER',
  scaling: { type: 'REQUEST_COUNT', requestCount: 10 },
  workers: { min: 1, max: 1 },
  cmd: [process.execPath, 'server.mjs'],
  ...changes,
});

export interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Calls the routes of one endpoint. */
export class Routes {
  readonly api: Api;
  readonly endpoint: Endpoint;
  readonly base: string;
  readonly authorization: { readonly Authorization: string };

  constructor(api: Api, endpoint: Endpoint) {
    this.api = api;
    this.endpoint = endpoint;
    this.base = api.addresses.endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, endpoint.id);
    this.authorization = { Authorization: `Bearer ${api.addresses.apiKey}` };
  }

  async fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
    return fetch(this.base + path, { ...init, headers: { ...this.authorization, ...(init.headers as object) } });
  }

  async echo(path = '/echo', init: RequestInit = {}): Promise<Echo> {
    return (await (await this.fetch(path, init)).json()) as Echo;
  }

  /** Sends a request through `node:http`, for requests that fetch refuses. */
  async raw(path: string, options: RequestOptions = {}, body?: string): Promise<IncomingMessage> {
    const headers = { ...this.authorization, ...(options.headers as object) };
    return new Promise((resolve, reject) => {
      request(this.base + path, { agent: false, ...options, headers }, resolve)
        .on('error', reject)
        .end(body);
    });
  }

  /** Waits for a text in the log of a worker, by default the first. @returns the log so far */
  async logsUntil(text: string, workerId?: string): Promise<string> {
    const id = workerId ?? (await this.api.workers(this.endpoint))[0]?.id ?? '';
    const events = await this.api.logsUntil(this.endpoint, id, ({ line }) => line.includes(text));
    return events.map(({ line }) => line).join('\n');
  }
}

/** Starts a platform with one load-balanced endpoint. */
export async function routesForTest(
  changes: Partial<CreateEndpointBody> = {},
  options: PlatformOptions = {},
): Promise<Routes> {
  const { api } = await platformForTest(options);
  return new Routes(api, await api.createEndpoint(balanced(changes)));
}
