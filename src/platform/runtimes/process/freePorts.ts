import { createServer, type AddressInfo, type Server } from 'node:net';
import { StartError } from '../runtime.ts';

/** Where workers of this machine listen. */
export const LOOPBACK = '127.0.0.1';

/** Free ports of this machine, none given twice before it is given back: workers of one machine cannot share one. */
export class FreePorts {
  readonly #taken = new Set<number>();

  /** A free port for each of those. Another program may still take one of them before it is used. @throws StartError */
  async takeFor(wanted: ReadonlySet<number>): Promise<Map<number, number>> {
    const held: Server[] = [];
    const found = new Map<number, number>();
    try {
      for (const port of wanted) found.set(port, await this.#take(held));
      return found;
    } catch (error) {
      this.giveBack(found.values());
      throw error;
    } finally {
      await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }

  /** @param held servers that keep the system from naming a port again until all are found */
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

  giveBack(ports: Iterable<number>): void {
    for (const port of ports) this.#taken.delete(port);
  }
}

function listenAnywhere(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', ({ message }) => reject(new StartError(`no free port was found for it: ${message}`)));
    server.listen(0, LOOPBACK, () => resolve(server));
  });
}
