import type { Endpoint } from '../contract/endpoint.ts';
import type { OperationId } from '../contract/operations.ts';
import { JOB_ID_PLACEHOLDER, REQUEST_URL_OF } from '../contract/requestUrls.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../contract/route.ts';
import { withoutEndSlashes, type Connection } from './connection.ts';

/**
 * Where endpoints want to be called: the `requestUrls` of every endpoint that was seen in an answer.
 *
 * The key goes along with each call, so an address is followed only to an origin that the connection itself has: that of one of
 * its addresses, with the endpoint's id filled in. Any other is ignored and the address is built as documented; an answer must not
 * be able to send the key to a host nobody has chosen.
 */
export class EndpointAddresses {
  readonly #connection: Connection;
  readonly #urls = new Map<string, Readonly<Record<string, unknown>>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Takes note of an endpoint as the service describes it now. */
  learn({ id, requestUrls }: Pick<Endpoint, 'id' | 'requestUrls'>): void {
    if (requestUrls) this.#urls.set(id, requestUrls);
    else this.#urls.delete(id);
  }

  /** Where the endpoint wants this operation sent; undefined when it does not say, or not where its key may go. */
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

  /** Address that the routes of a load-balanced endpoint stand below, without a slash at its end. */
  routes(endpointId: string): string {
    const base = this.#urls.get(endpointId)?.['base'];
    const told = typeof base === 'string' ? this.#trusted(endpointId, base) : undefined;
    const url = told && !told.search && !told.hash ? told.href : routesAddress(this.#connection, endpointId);
    return withoutEndSlashes(url);
  }

  #trusted(endpointId: string, address: string): URL | undefined {
    const { baseUrl, restUrl, queueUrl } = this.#connection;
    const url = URL.parse(address);
    if (url?.username !== '' || url.password !== '') return undefined;
    const known = [queueUrl, baseUrl, restUrl, routesAddress(this.#connection, endpointId)];
    return known.some((own) => URL.parse(own)?.origin === url.origin) ? url : undefined;
  }
}

/** The documented address of a load-balanced endpoint. The id is part of a host name or of a path: it must stay in its place. */
function routesAddress({ endpointHost }: Connection, endpointId: string): string {
  return endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, () => encodeURIComponent(endpointId));
}
