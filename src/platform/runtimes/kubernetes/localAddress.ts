import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import type { EngineConnection } from '../../../machine/engine/engineApi.ts';
import { StartError } from '../runtime.ts';

const TIMEOUT_MS = 10_000;

/**
 * Returns the address of this machine on its way to the cluster. Pods reach the platform there, unless a router translates addresses in
 * between. In a pod, it is the address of the pod.
 *
 * @throws StartError
 */
export async function localAddress({ options, name }: EngineConnection, signal: AbortSignal): Promise<string> {
  const { host = '', port = 0 } = options;
  const socket = connect({ host: host ?? '', port: Number(port) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    const address = socket.localAddress ?? '';
    if (isIP(address) !== 0 && !isLoopback(address)) return address;
  } catch (error) {
    signal.throwIfAborted();
    throw new StartError(
      `${name} cannot be reached: ${(error as Error).message}. Start the cluster, or check the kubeconfig and the network.`,
      { problem: 'engineUnreachable', cause: error },
    );
  } finally {
    socket.destroy();
  }
  throw new StartError(
    `pods cannot reach this machine at the address on which it reaches the cluster ${name}. ` +
      'Start the platform with --worker-host and an address of this machine that pods can reach.',
  );
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}
