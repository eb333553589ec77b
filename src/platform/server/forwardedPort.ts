import { connect, createServer, type Socket } from 'node:net';

/** The address to which ports are forwarded. */
export const FORWARD_TARGET = '127.0.0.1';

/** A port of the loopback interface that is open at another address of this machine. */
export interface ForwardedPort {
  /** Stops listening, and ends all connections. */
  close(): Promise<void>;
}

/** Forwards connections from the same port of an address to the loopback interface. @throws the error of the system */
export async function forwardPort(port: number, address: string): Promise<ForwardedPort> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming) => {
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
