import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Counts the completed jobs that workers report, with the latency of each job. */
export async function openTally() {
  const latencies: number[] = [];
  let target = Infinity;
  let reached = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    let rest = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop() ?? '';
        latencies.push(...lines.map(Number));
        if (latencies.length >= target) reached.resolve();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Resets the count. Resolves with the latencies of the next `jobs` completed jobs. */
    next: async (jobs: number): Promise<number[]> => {
      latencies.length = 0;
      target = jobs;
      reached = Promise.withResolvers();
      await reached.promise;
      return [...latencies];
    },
    close: () => server.close(),
  };
}
