import { createServer } from 'node:net';

/** Resolves with a free loopback port. Another process can take it before it is used, so prefer port 0 if the server reports its port. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) {
    throw new Error('No port is free on 127.0.0.1. Close some programs that listen on the network.');
  }
  return port;
}

/** Resolves with true if a server can listen on this loopback port now. */
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
