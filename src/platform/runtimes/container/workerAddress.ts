import process from 'node:process';
import { StartError, type WorkerGate } from '../runtime.ts';
import type { RunSpec, RunLabels } from '../runSpec.ts';
import type { LinkedEngine } from './engineLink.ts';
import type { WorkerNetwork } from './workerNetworks.ts';
import { createContainer, removeContainer } from './engineRequests.ts';
import { containerName, labelsOf } from './containerLabels.ts';
import type { Engine } from '../../../machine/engine/engine.ts';

const LOOPBACK = '127.0.0.1';
/** Names of the engine's host in containers. */
const HOST_NAMES = { Docker: 'host.docker.internal', Podman: 'host.containers.internal' } as const;

/** Opens the worker protocol to the containers of one engine. */
export class WorkerAddress {
  readonly #linked: LinkedEngine;
  readonly #gate: WorkerGate;
  readonly #workerHost: string | undefined;

  /** @param workerHost address of this machine that the user has set for workers */
  constructor(linked: LinkedEngine, gate: WorkerGate, workerHost: string | undefined) {
    this.#linked = linked;
    this.#gate = gate;
    this.#workerHost = workerHost;
  }

  /**
   * Returns the URL of the worker protocol in a container. A load-balanced worker does not use the protocol, so nothing is opened for it.
   *
   * @param image ID of its image on the engine
   * @param network the one of the container
   * @throws StartError if containers cannot reach this machine; EngineError
   */
  async url({ server, protocol, labels }: RunSpec, image: string, network: WorkerNetwork): Promise<string> {
    const { engine, features } = this.#linked;
    const { remoteHost, isRootless } = features;
    const gate = this.#gate;
    if (server) return protocol.url;
    if (this.#workerHost !== undefined) return gate.open(this.#workerHost);
    const remedy =
      'Start the platform with --worker-host and an address of this machine that the containers can reach.';
    if (remoteHost !== undefined) {
      throw new StartError(`containers on ${remoteHost} do not know the address of this machine. ${remedy}`);
    }
    if (isRootless) {
      throw new StartError(
        `containers of a rootless ${engine.name} cannot reach the local addresses of this machine. ${remedy}`,
      );
    }
    const own = await this.#openGateway(network, { labels, image });
    if (own !== undefined) return own;
    // The engine runs in a virtual machine that forwards this name to the loopback interface, as the desktop distributions do.
    const url = new URL(await gate.open(LOOPBACK));
    url.hostname = HOST_NAMES[engine.name];
    return url.href;
  }

  /** Opens the gate at the gateway. It keeps listening while the network does not exist. */
  async #openGateway(
    { name, gateway }: WorkerNetwork,
    run: Pick<RunSpec, 'labels' | 'image'>,
  ): Promise<string | undefined> {
    if (gateway === undefined) return undefined;
    const { engine } = this.#linked;
    let url = await openIfOwn(this.#gate, gateway);
    if (url === undefined && engine.name === 'Podman' && process.platform === 'linux') {
      await whileNetworkIsUp(engine, { ...run, network: name }, async () => {
        url = await openIfOwn(this.#gate, gateway);
      });
    }
    return url;
  }
}

/**
 * Opens the gate at an address; resolves with undefined if it is not an address of this machine. Only listening tells, because
 * `os.networkInterfaces()` omits a bridge without running containers.
 */
async function openIfOwn(gate: WorkerGate, address: string): Promise<string | undefined> {
  try {
    return await gate.open(address);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL') return undefined;
    throw error;
  }
}

/** Version of Podman's own API, which can prepare a container without running its program. */
const LIBPOD = '/v4.0.0/libpod';

/**
 * Calls back while the bridge of a network of Podman exists. Podman creates it for the first container, and newer versions remove it with
 * the last one. A container that never runs keeps it in the meantime.
 *
 * @throws EngineError; the error of the callback
 */
async function whileNetworkIsUp(
  engine: Engine,
  { labels, image, network }: { readonly labels: RunLabels; readonly image: string; readonly network: string },
  callback: () => Promise<void>,
): Promise<void> {
  const name = `${containerName(labels.runId)}-network`;
  try {
    // The labels of the run let the next platform remove it if this one is killed.
    const host = { NetworkMode: network };
    const body = { Image: image, Cmd: ['-'], Labels: labelsOf(labels), HostConfig: host };
    const id = await createContainer(engine, name, body);
    await engine.api.json({ method: 'POST', path: `${LIBPOD}/containers/${id}/init` });
    await callback();
  } finally {
    await removeContainer(engine, name);
  }
}
