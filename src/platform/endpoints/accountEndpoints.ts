import type { CreateEndpointBody, Endpoint, UpdateEndpointBody } from '../../contract/endpoint.ts';
import type { JobRequest } from '../../contract/job.ts';
import type { JobRecord } from '../domain/job.ts';
import { notFound } from '../domain/refusal.ts';
import type { Engine } from './engine.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';

/** The endpoints of one account: those of others are as if they were not there. What is refused is what the engine refuses. */
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

  queue(id: string): ReturnType<Engine['queue']> {
    this.get(id);
    return this.#engine.queue(id);
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

  async submit(id: string, request: JobRequest, kind: 'run' | 'runsync'): Promise<JobRecord> {
    this.get(id);
    return this.#engine.submit(id, request, kind);
  }

  cancel(id: string, jobId: string): JobRecord {
    this.get(id);
    return this.#engine.cancel(id, jobId);
  }

  retry(id: string, jobId: string): JobRecord {
    this.get(id);
    return this.#engine.retry(id, jobId);
  }

  async purge(id: string): Promise<number> {
    this.get(id);
    return this.#engine.purge(id);
  }
}

export const endpointsOf = (engine: Engine, accountId: string): AccountEndpoints =>
  new AccountEndpoints(engine, accountId);
