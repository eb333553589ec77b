import type { Endpoint } from '../contract/endpoint.ts';
import type { OperationId } from '../contract/operations.ts';
import { JOB_ID_PLACEHOLDER, REQUEST_URL_OF } from '../contract/requestUrls.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../contract/route.ts';
import { withoutEndSlashes, type Connection } from './connection.ts';

/**
 * URLs to call endpoints, from the `requestUrls` of every endpoint in a response.
 *
 * Each call sends the key, so a URL is used only if its origin is that of one of the connection's addresses. Otherwise the documented
 * address is used. A response must not redirect the key to another host.
 */
export class EndpointAddresses {
  readonly #connection: Connection;
  readonly #urls = new Map<string, Readonly<Record<string, unknown>>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Stores the URLs of an endpoint in a response. */
  learn({ id, requestUrls }: Pick<Endpoint, 'id' | 'requestUrls'>): void {
    if (requestUrls) this.#urls.set(id, requestUrls);
    else this.#urls.delete(id);
  }

  /** Returns the URL of the endpoint for this operation, or undefined if there is none or if the key must not be sent to it. */
  find(operation: string, { endpointId = '', jobId }: Readonly<Record<string, string>>): URL | undefined {
    const member = REQUEST_URL_OF[operation as OperationId];
    const template = member && this.#urls.get(endpointId)?.[member];
    if (typeof template !== 'string') return undefined;
    if (template.includes(JOB_ID_PLACEHOLDER) !== (jobId !== undefined)) return undefined;
    return this.#trusted(
      endpointId,
      template.replace(JOB_ID_PLACEHOLDER, () => encodeURIComponent(jobId ?? '')),
    );
  }

  /** Returns the base URL of a load-balanced endpoint's routes, without a trailing slash. */
  routes(endpointId: string): string {
    const base = this.#urls.get(endpointId)?.['base'];
    const reported = typeof base === 'string' ? this.#trusted(endpointId, base) : undefined;
    const url =
      reported && !reported.search && !reported.hash ? reported.href : routesAddress(this.#connection, endpointId);
    return withoutEndSlashes(url);
  }

  /** Returns the base URL of a queue endpoint's requests, without a trailing slash. */
  requests(endpointId: string): string {
    const run = this.find('runJob', { endpointId });
    if (run && !run.search && !run.hash && run.pathname.endsWith('/run')) return run.href.slice(0, -'/run'.length);
    return `${withoutEndSlashes(this.#connection.queueUrl)}/${encodeURIComponent(endpointId)}`;
  }

  #trusted(endpointId: string, address: string): URL | undefined {
    const { baseUrl, restUrl, queueUrl } = this.#connection;
    const url = URL.parse(address);
    if (url?.username !== '' || url.password !== '') return undefined;
    const known = [queueUrl, baseUrl, restUrl, routesAddress(this.#connection, endpointId)];
    return known.some((own) => URL.parse(own)?.origin === url.origin) ? url : undefined;
  }
}

/** Returns the documented address of a load-balanced endpoint. The ID is encoded, so that it cannot change other parts of the address. */
function routesAddress({ endpointHost }: Connection, endpointId: string): string {
  return endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, () => encodeURIComponent(endpointId));
}
