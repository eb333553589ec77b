import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import { readEndpointSpend, type Spend } from './spend.ts';

/** Spend on an endpoint, or the reason why it cannot be read. */
export type EndpointSpend = Spend | ApiError;

interface Entry {
  readonly readAt: number;
  readonly spend: Promise<EndpointSpend>;
}

/** Age from which a spend is read again, in ms. */
const STALE_MS = 60_000;
/** Maximum number of endpoints whose spend is kept. */
const MAX_ENTRIES = 100;

/** Reads the spend on endpoints on request, and keeps it for a minute. Failures are kept too, so that a tooltip does not repeat them. */
export class EndpointSpends {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries = new Map<string, Entry>();
  #client: Client | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns the spend on an endpoint. Resolves with undefined if the read was canceled. */
  async of(client: Client, endpointId: string, signal?: AbortSignal): Promise<EndpointSpend | undefined> {
    if (client !== this.#client) this.#entries.clear();
    this.#client = client;
    const known = this.#entries.get(endpointId);
    const age = known ? this.#clock.now() - known.readAt : STALE_MS;
    if (known && age >= 0 && age < STALE_MS) return known.spend;
    const spend = readEndpointSpend(client, endpointId, { ...(signal && { signal }), retries: 0, waits: 0 }).catch(
      (error: unknown) => error as ApiError,
    );
    const entry = { readAt: this.#clock.now(), spend };
    this.#entries.delete(endpointId);
    this.#entries.set(endpointId, entry);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > MAX_ENTRIES) this.#entries.delete(oldest);
    const result = await spend;
    if (!(result instanceof ApiError) || result.kind !== 'canceled') return result;
    if (this.#entries.get(endpointId) === entry) this.#entries.delete(endpointId);
    return undefined;
  }
}
