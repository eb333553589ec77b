import { createServer, type AddressInfo, type Server } from 'node:net';
import { StartError } from '../runtimes/runtime.ts';

const LOOPBACK = '127.0.0.1';

/** Free ports of this machine, none given twice before it is given back: workers of one machine cannot share one. */
export class FreePorts {
  readonly #taken = new Set<number>();

  /** That many different ports. Another program may still take one of them before it is used. @throws StartError */
  async take(count: number): Promise<number[]> {
    const held: Server[] = [];
    const ports: number[] = [];
    try {
      // Held until all are found, so that the system does not name one of them again.
      while (ports.length < count) {
        const server = await listenAnywhere();
        held.push(server);
        const { port } = server.address() as AddressInfo;
        if (this.#taken.has(port)) continue;
        this.#taken.add(port);
        ports.push(port);
      }
      return ports;
    } finally {
      await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }

  giveBack(ports: readonly number[]): void {
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
