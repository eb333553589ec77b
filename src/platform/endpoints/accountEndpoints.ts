import type { CreateEndpointBody, Endpoint, UpdateEndpointBody } from '../../contract/endpoint.ts';
import { noQueue, notFound } from '../domain/refusal.ts';
import type { Engine } from './engine.ts';
import type { QueueEndpoint } from '../queue/queueEndpoint.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';

/** Endpoints of one account. Endpoints of other accounts are reported as not found. Methods throw the refusals of the engine. */
class AccountEndpoints {
  readonly #engine: Engine;
  readonly #accountId: string;

  constructor(engine: Engine, accountId: string) {
    this.#engine = engine;
    this.#accountId = accountId;
  }

  list(): LiveEndpoint[] {
    return this.#engine.endpoints().filter(({ endpoint }) => endpoint.accountId === this.#accountId);
  }

  /** @throws Refusal 404 */
  get(id: string): ReturnType<Engine['endpoint']> {
    const live = this.#engine.endpoint(id);
    if (live.endpoint.accountId !== this.#accountId) throw notFound(`endpoint '${id}'`);
    return live;
  }

  /** @throws Refusal 404, or 400 for a load-balanced endpoint */
  queue(id: string): QueueEndpoint {
    const live = this.get(id);
    if (live.type === 'QUEUE') return live;
    throw noQueue(id);
  }

  create(body: CreateEndpointBody): LiveEndpoint {
    return this.#engine.endpoint(this.#engine.createEndpoint(body, { accountId: this.#accountId }).id);
  }

  update(id: string, body: UpdateEndpointBody, answer: (live: LiveEndpoint) => Endpoint): LiveEndpoint {
    this.get(id);
    return this.#engine.updateEndpoint(id, body, answer);
  }

  delete(id: string): void {
    this.get(id);
    this.#engine.deleteEndpoint(id);
  }
}

export const endpointsOf = (engine: Engine, accountId: string): AccountEndpoints =>
  new AccountEndpoints(engine, accountId);
