import { EndpointAddresses } from '../../../client/endpointAddresses.ts';
import type { Connection } from '../../../client/connection.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { Emitter, type Subscription } from '../../../kit/emitter.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { isQueue } from '../../../account/endpoints/endpointSnapshot.ts';
import type { RouteEndpoint } from '../model/endpointLookup.ts';

/** Age in ms after which the list is read again when a file needs it. The endpoints view can be hidden. */
const FRESH_MS = 60_000;

type Sources = Pick<AccountServices, 'connections' | 'endpoints' | 'clock'>;

/** The endpoints of the current connection, for HTTP files. The list object changes only if an endpoint changes. */
export class EndpointList {
  readonly #sources: Sources;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: readonly Subscription[];
  #current: readonly RouteEndpoint[] | undefined;
  /** Connection and time of the latest request for the list. */
  #requested: { readonly connectionId: string; readonly at: number } | undefined;

  /** @param isNeeded whether a file is open, for which the endpoints of a new connection are read */
  constructor(sources: Sources, isNeeded: () => boolean) {
    this.#sources = sources;
    this.#current = this.#read();
    this.#subscriptions = [
      sources.endpoints.onDidChange(() => this.#update()),
      sources.connections.onDidChange(() => {
        this.#update();
        if (isNeeded()) this.request();
      }),
    ];
  }

  /** Undefined if the endpoints have not been read, or if the platform cannot be called. */
  get current(): readonly RouteEndpoint[] | undefined {
    return this.#current;
  }

  /** Starts to read the endpoints unless they are recent. Never waits and never fails. */
  request(): void {
    const { profile, client } = this.#sources.connections;
    if (!profile || !client) return;
    const now = this.#sources.clock.now();
    const known = this.#requested;
    if (known?.connectionId === profile.id && now - known.at < FRESH_MS) return;
    this.#requested = { connectionId: profile.id, at: now };
    void this.#sources.endpoints.refresh();
  }

  /** Reads the endpoints unless they are known. A failure leaves them unknown. */
  async load(): Promise<void> {
    if (this.#current === undefined) await this.#sources.endpoints.refresh();
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#changed.dispose();
  }

  #update(): void {
    const next = this.#read();
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return;
    this.#current = next;
    this.#changed.fire();
  }

  #read(): readonly RouteEndpoint[] | undefined {
    const { connections, endpoints } = this.#sources;
    const { profile, client } = connections;
    const isKnown = endpoints.state.kind === 'ready' || endpoints.endpoints.length > 0;
    if (!profile || !client || !isKnown) return undefined;
    return routeEndpoints(
      profile,
      endpoints.endpoints.filter(({ deleting }) => !deleting).map(({ endpoint }) => endpoint),
    );
  }
}

/** Returns the endpoints with their base addresses, below which the client sends the key. */
export function routeEndpoints(connection: Connection, endpoints: readonly Endpoint[]): RouteEndpoint[] {
  const addresses = new EndpointAddresses(connection);
  return endpoints.map((endpoint) => {
    const { id, name } = endpoint;
    addresses.learn(endpoint);
    if (!isQueue(endpoint)) return { id, name, type: 'LOAD_BALANCER', base: addresses.routes(id) };
    const run = addresses.find('runJob', { endpointId: id })?.href;
    const base = run?.endsWith('/run')
      ? run.slice(0, -'/run'.length)
      : `${connection.queueUrl}/${encodeURIComponent(id)}`;
    return { id, name, type: 'QUEUE', base };
  });
}
