import { createServer } from 'node:net';

/** A loopback port nobody listens on. It may be taken again before it is used: prefer port 0 where the server tells its port. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) {
    throw new Error('No free port on 127.0.0.1: close some programs that listen on the network.');
  }
  return port;
}

/** Whether a server could listen on this loopback port right now. */
export async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const bound = address === null || typeof address === 'string' ? undefined : address.port;
      server.close(() => resolve(bound));
    });
  });
}
