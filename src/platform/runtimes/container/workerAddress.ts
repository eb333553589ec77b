import { networkInterfaces } from 'node:os';
import { StartError } from '../runtime.ts';
import type { RunSpec } from '../runSpec.ts';
import type { WorkerGate } from '../workerGate.ts';
import type { EngineFeatures } from './engineFeatures.ts';

const LOOPBACK = '127.0.0.1';
/** Name of the engine's host in containers. */
const HOST_NAME = 'host.docker.internal';

/**
 * Opens the worker protocol to the containers of an engine. Returns its URL in a container. A load-balanced worker does not use the
 * protocol, so nothing is opened for it.
 *
 * @param workerHost address of this machine that the user has set for workers
 * @throws StartError if containers cannot reach this machine
 */
export async function protocolUrl(
  { server, protocol }: Pick<RunSpec, 'server' | 'protocol'>,
  { remoteHost, isRootless, gateway, engine }: EngineFeatures,
  { gate, workerHost }: { readonly gate: WorkerGate; readonly workerHost: string | undefined },
): Promise<string> {
  if (server) return protocol.url;
  if (workerHost !== undefined) return gate.open(workerHost);
  const remedy = 'Start the platform with --worker-host and an address of this machine that the containers can reach.';
  if (remoteHost !== undefined) {
    throw new StartError(`containers on ${remoteHost} do not know the address of this machine. ${remedy}`);
  }
  if (gateway !== undefined && isOwnAddress(gateway)) return gate.open(gateway);
  if (isRootless) {
    throw new StartError(`containers of a rootless ${engine} cannot reach local addresses of this machine. ${remedy}`);
  }
  // The engine runs in a virtual machine that forwards this name to the loopback interface, as the desktop distributions do.
  const url = new URL(await gate.open(LOOPBACK));
  url.hostname = HOST_NAME;
  return url.href;
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((of) => of?.some((one) => one.address === address));
}
