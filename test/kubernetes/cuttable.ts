import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { afterwards, dataDirectory } from '../platform/support.ts';

/** Opens a way to the API of the cluster that can be cut. `cleanUp` closes it. */
export async function cuttable() {
  const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
  const { host, port } = connection.options;
  const headers = await connection.headers?.();
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), host ?? '');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    if (!isOpen) {
      incoming.destroy();
      outgoing.destroy();
    }
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const address = server.address() as { port: number };
  const file = path.join(await dataDirectory(), 'kubeconfig');
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    clusters: [
      { name: 'c', cluster: { server: `https://127.0.0.1:${address.port}`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'u', user: { token: headers?.['Authorization']?.replace('Bearer ', '') } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  afterwards(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  );
  return { kubeconfig: file, cut, setOpen: (open: boolean) => (isOpen = open) };
}
