import type { RequestListener, Server } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { isAnyAddress } from '../http/anyAddress.ts';
import { WORKER_PATH } from '../routes/errors.ts';
import { StartError } from '../runtimes/runtime.ts';
import type { WorkerGate } from '../runtimes/workerGate.ts';
import { closeServer, createServer, listen, portOf } from './server.ts';

export interface ClosableWorkerGate extends WorkerGate {
  /** Closes all listeners. */
  close(): Promise<void>;
}

/**
 * @param serve serves the worker protocol, and nothing else
 * @param port the same on all addresses; 0 selects a free one for each
 */
export function workerGate(serve: RequestListener, port = 0): ClosableWorkerGate {
  const servers = new Map<string, Promise<Server>>();
  let closed = false;

  const start = async (address: string): Promise<Server> => {
    const server = createServer({
      request: serve,
      // Never called, because no request is an upgrade.
      upgrade: (_incoming, socket) => socket.destroy(),
      isUpgrade: () => false,
    });
    try {
      await listen(server, port, address);
    } catch (error) {
      throw listenError(address, error as NodeJS.ErrnoException);
    }
    return server;
  };

  return {
    open: async (address) => {
      if (closed) throw new StartError('the platform is stopping');
      if (isIP(address) === 0 || isAnyAddress(address)) throw listenError(address);
      const starting = servers.get(address) ?? start(address);
      servers.set(address, starting);
      try {
        const host = isIPv6(address) ? `[${address}]` : address;
        return `http://${host}:${portOf(await starting)}${WORKER_PATH}`;
      } catch (error) {
        // The address may exist later, such as that of a bridge whose engine starts.
        if (servers.get(address) === starting) servers.delete(address);
        throw error;
      }
    },
    close: async () => {
      closed = true;
      const started = await Promise.allSettled([...servers.values()]);
      servers.clear();
      const opened = started.filter((one) => one.status === 'fulfilled');
      await Promise.all(opened.map(({ value }) => closeServer(value)));
    },
  };
}

function listenError(address: string, cause?: NodeJS.ErrnoException): StartError {
  const why =
    cause === undefined || cause.code === 'EADDRNOTAVAIL'
      ? `'${address}' is not an IP address of this machine`
      : `the platform cannot listen on ${address}: ${cause.message}`;
  const remedy = 'start the platform with --worker-host and an address of this machine that the workers can reach';
  return new StartError(`workers cannot reach the platform, because ${why}; ${remedy}`, { cause });
}
