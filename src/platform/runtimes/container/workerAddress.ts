import { networkInterfaces } from 'node:os';
import process from 'node:process';
import { StartError } from '../runtime.ts';
import type { RunSpec } from '../runSpec.ts';
import type { WorkerGate } from '../workerGate.ts';
import type { LinkedEngine } from './engineLink.ts';
import { whileNetworkIsUp } from './podmanNetwork.ts';

const LOOPBACK = '127.0.0.1';
/** Names of the engine's host in containers. */
const HOST_NAMES = { Docker: 'host.docker.internal', Podman: 'host.containers.internal' } as const;

/** Opens the worker protocol to the containers of one engine. */
export class WorkerAddress {
  readonly #linked: LinkedEngine;
  readonly #gate: WorkerGate;
  readonly #workerHost: string | undefined;
  /** Whether the gate has listened on the gateway. It keeps listening while an engine removes its unused network. */
  #hasOpened = false;

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
   * @throws StartError if containers cannot reach this machine; EngineError
   */
  async url({ server, protocol, labels }: RunSpec, image: string): Promise<string> {
    const { engine, features } = this.#linked;
    const { remoteHost, isRootless, gateway } = features;
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
    if (
      gateway !== undefined &&
      (await this.#isOwn(gateway, () => whileNetworkIsUp(engine, { labels, image }, open)))
    ) {
      return gate.open(gateway);
    }
    // The engine runs in a virtual machine that forwards this name to the loopback interface, as the desktop distributions do.
    const url = new URL(await gate.open(LOOPBACK));
    url.hostname = HOST_NAMES[engine.name];
    return url.href;

    async function open(): Promise<void> {
      if (gateway !== undefined && isOwnAddress(gateway)) await gate.open(gateway);
    }
  }

  /** Resolves with whether the gate can listen on the gateway. @param wake brings the network up, and opens the gate */
  async #isOwn(gateway: string, wake: () => Promise<void>): Promise<boolean> {
    if (this.#hasOpened) return true;
    if (isOwnAddress(gateway)) this.#hasOpened = true;
    else if (this.#linked.engine.name === 'Podman' && process.platform === 'linux') {
      // Podman creates the network with the first container.
      await wake();
      this.#hasOpened = isOwnAddress(gateway);
    }
    return this.#hasOpened;
  }
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((of) => of?.some((one) => one.address === address));
}
