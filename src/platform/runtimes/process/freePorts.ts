import { createServer, type AddressInfo, type Server } from 'node:net';
import { StartError } from '../runtime.ts';

/** Address on which workers of this machine listen. */
export const LOOPBACK = '127.0.0.1';

/** Reserves free ports of this machine until they are released. Workers of one machine cannot share a port. */
export class FreePorts {
  readonly #taken = new Set<number>();

  /** Reserves a free port for each wanted port. Another program may still take such a port before it is used. @throws StartError */
  async reserve(wanted: ReadonlySet<number>): Promise<Map<number, number>> {
    const held: Server[] = [];
    const found = new Map<number, number>();
    try {
      for (const port of wanted) found.set(port, await this.#take(held));
      return found;
    } catch (error) {
      this.release(found.values());
      throw error;
    } finally {
      await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }

  /** @param held servers that keep the system from returning the same port again */
  async #take(held: Server[]): Promise<number> {
    for (;;) {
      const server = await listenAnywhere();
      held.push(server);
      const { port } = server.address() as AddressInfo;
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      return port;
    }
  }

  release(ports: Iterable<number>): void {
    for (const port of ports) this.#taken.delete(port);
  }
}

function listenAnywhere(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', ({ message }) => reject(new StartError(`no free port was found: ${message}`)));
    server.listen(0, LOOPBACK, () => resolve(server));
  });
}
