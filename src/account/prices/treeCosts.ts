import * as vscode from 'vscode';
import type { Worker } from '../../contract/worker.ts';
import type { EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import type { AccountServices } from '../accountServices.ts';
import { EndpointSpends, type EndpointSpend } from './endpointSpends.ts';
import { presentRate, workerCost, type PriceSource, type Rate, type WorkerCost } from './workerCost.ts';

/** Costs that the endpoints view shows. */
export interface ShownCosts {
  /** Returns the price of the present workers of an endpoint. Undefined if there are none, or if it is not known. */
  ofEndpoint(snapshot: EndpointSnapshot): Rate | undefined;
  ofWorker(worker: Worker, snapshot: EndpointSnapshot): WorkerCost | undefined;
}

type Sources = Pick<AccountServices, 'connections' | 'liveValues' | 'clock'>;

/** Returns the prices of the current connection. */
export function priceSource({ connections, liveValues }: Pick<Sources, 'connections' | 'liveValues'>): PriceSource {
  return { prices: liveValues.current, takesFirst: connections.profile?.kind === 'local' };
}

/** Costs of the endpoints and workers of the current connection. */
export class TreeCosts implements vscode.Disposable {
  readonly #sources: Sources;
  readonly #spends: EndpointSpends;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires after a change of a price. */
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#spends = new EndpointSpends(sources.clock);
    let { gpus, cpus } = sources.liveValues.current;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      sources.liveValues.onDidChange(() => {
        const { current } = sources.liveValues;
        if (current.gpus === gpus && current.cpus === cpus) return;
        ({ gpus, cpus } = current);
        this.#changed.fire();
      }),
    );
  }

  /** The costs to show. */
  get shown(): ShownCosts {
    const source = priceSource(this.#sources);
    return {
      ofEndpoint: ({ endpoint, workers }) => presentRate(workers?.workers ?? [], endpoint, source),
      ofWorker: (worker, { endpoint }) => workerCost(worker, endpoint, source),
    };
  }

  /** Whether the amounts are hosted prices that the connection does not charge. */
  get isLocal(): boolean {
    return this.#sources.connections.profile?.kind === 'local';
  }

  /** Reads the spend on an endpoint. Resolves with undefined without a connection, or if the read was canceled. */
  async spendOn(endpointId: string, signal?: AbortSignal): Promise<EndpointSpend | undefined> {
    const { client } = this.#sources.connections;
    return client ? this.#spends.of(client, endpointId, signal) : undefined;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}
