import type { RequestListener, Server } from 'node:http';
import { isIP, isIPv6, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { WORKER_PATH } from '../../contract/launch/localPlatform.ts';
import { isAnyAddress } from '../http/loopback.ts';
import { StartError, type WorkerGate } from '../runtimes/runtime.ts';
import { isStorageFull } from '../storageFull.ts';
import type { GatePortStore } from '../store/store.ts';
import { closeServer, createServer, listen, portOf } from './server.ts';

export interface ClosableWorkerGate extends WorkerGate {
  /** Closes all listeners. */
  close(): Promise<void>;
}

interface WorkerGateOptions {
  /** Port on all addresses. Default: a stored one for each address, or a free one. */
  readonly port?: number | undefined;
  /** Ports of the loopback interface that workers can also reach at the address of the gate. Default: none. */
  readonly forwarded?: readonly number[] | undefined;
  /** Ports at which workers of an earlier platform find this one. */
  readonly stored: () => GatePortStore;
  /** Called if another program has the stored port of an address. Workers of an earlier platform then do not find this one. */
  readonly onTaken: (address: string, port: number) => void;
}

/** @param serve serves the worker protocol, and nothing else */
export function workerGate(
  serve: RequestListener,
  { port, forwarded = [], stored, onTaken }: WorkerGateOptions,
): ClosableWorkerGate {
  const servers = new Map<string, Promise<Server>>();
  const forwards: ForwardedPort[] = [];
  let closed = false;

  const start = async (address: string): Promise<Server> => {
    const earlier = stored().get(address);
    if (port !== undefined || earlier === undefined) return startAt(address, port ?? 0);
    try {
      return await startAt(address, earlier);
    } catch (error) {
      if (codeOf((error as Error).cause) !== 'EADDRINUSE') throw error;
      onTaken(address, earlier);
      return startAt(address, 0);
    }
  };

  /** Stores the port also after a reset, which empties the store while the gate is open. */
  const keep = (address: string, opened: number): void => {
    if (stored().get(address) === opened) return;
    try {
      stored().set(address, opened);
    } catch (error) {
      // The worker can start. The next platform starts another one in its place.
      if (!isStorageFull(error)) throw error;
    }
  };

  const startAt = async (address: string, chosen: number): Promise<Server> => {
    const server = createServer({
      request: serve,
      // Never called, because no request is an upgrade.
      upgrade: (_incoming, socket) => socket.destroy(),
      isUpgrade: () => false,
    });
    try {
      await listen(server, chosen, address);
    } catch (error) {
      throw listenError(address, error as NodeJS.ErrnoException);
    }
    return server;
  };

  /** Opens the gate, and the ports that are forwarded from this address. */
  const startAll = async (address: string): Promise<Server> => {
    const server = await start(address);
    // Workers that reach the loopback interface reach its ports, too.
    if (address === FORWARD_TARGET) return server;
    for (const one of forwarded) {
      try {
        forwards.push(await forwardPort(one, address));
      } catch (error) {
        await closeServer(server);
        throw listenError(address, error as NodeJS.ErrnoException);
      }
    }
    return server;
  };

  return {
    open: async (address) => {
      if (closed) throw new StartError('the platform is stopping');
      if (isIP(address) === 0 || isAnyAddress(address)) throw listenError(address);
      const starting = servers.get(address) ?? startAll(address);
      servers.set(address, starting);
      try {
        const host = isIPv6(address) ? `[${address}]` : address;
        const opened = portOf(await starting);
        keep(address, opened);
        return `http://${host}:${opened}${WORKER_PATH}`;
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
      await Promise.all([
        ...opened.map(({ value }) => closeServer(value)),
        ...forwards.splice(0).map((forward) => forward.close()),
      ]);
    },
  };
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

function listenError(address: string, cause?: NodeJS.ErrnoException): StartError {
  const why =
    cause === undefined || cause.code === 'EADDRNOTAVAIL'
      ? `'${address}' is not an IP address of this machine`
      : `the platform cannot listen on ${address}: ${cause.message}`;
  const remedy = 'start the platform with --worker-host and an address of this machine that the workers can reach';
  return new StartError(`workers cannot reach the platform, because ${why}; ${remedy}`, { cause });
}

/** The address to which ports are forwarded. */
const FORWARD_TARGET = '127.0.0.1';

/** A port of the loopback interface that is open at another address of this machine. */
interface ForwardedPort {
  /** Stops listening, and ends all connections. */
  close(): Promise<void>;
}

/** Forwards connections from the same port of an address to the loopback interface. @throws the error of the system */
async function forwardPort(port: number, address: string): Promise<ForwardedPort> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createTcpServer((incoming) => {
    const outgoing = connect(port, FORWARD_TARGET);
    track(incoming);
    track(outgoing);
    incoming.once('close', () => outgoing.destroy());
    outgoing.once('close', () => incoming.destroy());
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
