import type { NetworkInspect } from '@docker/node-sdk';
import { newToken } from '../../ids.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import type { RunLabels } from '../runSpec.ts';
import { networkLabels, networkName, ofEndpoint, ownedBy } from './containerLabels.ts';
import type { Engine } from '../../../machine/engine/engine.ts';

/** A network of workers on the engine. */
export interface WorkerNetwork {
  readonly name: string;
  /** Address of the engine's machine on the network; undefined if the network has none. */
  readonly gateway: string | undefined;
}

/** Networks that the platform chooses itself once the engine has no free one. RFC 2544 reserves their range, so no other network uses it. */
const ownSubnet = (third: number): string => `198.18.${third}.0/24`;
const OWN_SUBNETS = 256;

/** Version of Podman's own API, which can isolate networks. Docker isolates all of them. */
const LIBPOD = '/v4.0.0/libpod';

interface Entry {
  workers: number;
  /** Resolves once all earlier changes are done. */
  network: Promise<WorkerNetwork | undefined>;
}

/**
 * A network for each endpoint with containers. Workers of other endpoints can neither read its traffic, nor connect to its workers, even if
 * they have capabilities such as NET_RAW. One network whose containers cannot connect to each other would be simpler, but Podman has none,
 * and workers with NET_RAW could still redirect its traffic.
 *
 * A network without workers stays until the platform stops, and the next platform finds those of a killed one. The next worker then starts
 * faster, and Docker 20.10 cannot start again if it is killed while it removes a network.
 */
export class WorkerNetworks {
  readonly #engine: Engine;
  readonly #owner: string;
  /** By endpoint. */
  readonly #entries = new Map<string, Entry>();
  /** Names of the networks in use. */
  readonly #names = new Set<string>();

  constructor(engine: Engine, owner: string) {
    this.#engine = engine;
    this.#owner = owner;
  }

  /** Resolves with the network of the endpoint, which exists at least until each of its workers has left. @throws EngineError */
  async join(labels: RunLabels): Promise<WorkerNetwork> {
    const { endpointId } = labels;
    const entry = this.#entries.get(endpointId) ?? { workers: 0, network: Promise.resolve(undefined) };
    this.#entries.set(endpointId, entry);
    entry.workers++;
    const joined = entry.network.then((network) => network ?? this.#open(labels));
    entry.network = joined.catch(() => undefined);
    return joined;
  }

  /** Keeps the network for the next worker of the endpoint. */
  leave({ endpointId }: RunLabels): void {
    const entry = this.#entries.get(endpointId);
    if (entry) entry.workers--;
  }

  /** Removes the networks of this platform that have no workers, also those of earlier ones. @throws EngineError */
  async sweep(): Promise<void> {
    await this.#removeUnused();
    const networks = await this.#list(ownedBy(this.#owner));
    const unknown = networks.flatMap(({ Name: name = '' }) => (this.#names.has(name) ? [] : name));
    // The engine keeps those with containers.
    await Promise.all(unknown.map((name) => this.#remove(name)));
  }

  #list(filters: string): Promise<NetworkInspect[]> {
    const { api, prefix } = this.#engine;
    return api.json<NetworkInspect[]>({ path: `${prefix}/networks`, query: { filters } });
  }

  async #removeUnused(): Promise<void> {
    const unused = [...this.#entries].filter(([, { workers }]) => workers === 0);
    await Promise.all(
      unused.map(([endpointId, entry]) => {
        entry.network = entry.network.then(async (network) => {
          if (entry.workers > 0) return network;
          if (network) await this.#remove(network.name);
          if (entry.workers === 0) this.#entries.delete(endpointId);
          return undefined;
        });
        return entry.network;
      }),
    );
  }

  async #open(labels: RunLabels): Promise<WorkerNetwork> {
    const { api, prefix } = this.#engine;
    const [{ Name: earlier } = {}] = await this.#list(ofEndpoint(labels));
    // Docker does not reliably refuse a second network with the same name.
    const name = earlier ?? networkName(labels.endpointId, newToken());
    this.#names.add(name);
    try {
      if (earlier === undefined) await this.#create(name, labels);
      const { IPAM: ipam } = await api.json<NetworkInspect>({ path: `${prefix}/networks/${name}` });
      return { name, gateway: ipam?.Config?.find(({ Gateway: gateway }) => gateway)?.Gateway };
    } catch (error) {
      await this.#remove(name);
      throw error;
    }
  }

  async #create(name: string, labels: RunLabels): Promise<void> {
    const { api, name: engine, prefix } = this.#engine;
    if (engine === 'Podman') {
      const plain = { name, driver: 'bridge', labels: networkLabels(labels) };
      const post = (body: object): Promise<unknown> =>
        api.json({ method: 'POST', path: `${LIBPOD}/networks/create`, body });
      // Early versions refuse the option, which newer ones need.
      await post({ ...plain, options: { isolate: 'true' } }).catch((error: unknown) => {
        if (!(error instanceof EngineError) || error.unreachable) throw error;
        return post(plain);
      });
      return;
    }
    const body = { Name: name, Driver: 'bridge', Labels: networkLabels(labels) };
    const create = (subnet?: string): Promise<unknown> =>
      api.json({
        ...{ method: 'POST', path: `${prefix}/networks/create` },
        body: subnet === undefined ? body : { ...body, IPAM: { Config: [{ Subnet: subnet }] } },
      });
    try {
      await create();
    } catch (error) {
      if (!(error instanceof EngineError) || error.unreachable) throw error;
      // By default, Docker has addresses for about 30 networks.
      await this.sweep();
      if (!(await firstAccepted(create))) throw error;
    }
  }

  /** Does nothing if the network is in use, or does not exist. A sweep repeats it. */
  async #remove(name: string): Promise<void> {
    const { api, prefix } = this.#engine;
    this.#names.delete(name);
    await api.json({ method: 'DELETE', path: `${prefix}/networks/${name}` }).catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
    });
  }
}

/** Resolves with false if the engine accepts none of the subnets. */
async function firstAccepted(create: (subnet: string) => Promise<unknown>): Promise<boolean> {
  for (let third = 0; third < OWN_SUBNETS; third++) {
    try {
      await create(ownSubnet(third));
      return true;
    } catch (error) {
      if (!(error instanceof EngineError) || error.unreachable) throw error;
    }
  }
  return false;
}
