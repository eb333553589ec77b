import { tmpdir } from 'node:os';
import process from 'node:process';
import { createClient } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../src/contract/route.ts';
import { measureInTurns, report } from './compare.ts';
import { median, requestsPerSecond } from './load.ts';
import { startNode } from './node.ts';

const ROUNDS = 5;
const body = JSON.stringify({ text: 'hello' });

/** Compares requests through the load balancer with the same requests sent directly to the worker. */
export async function run(): Promise<void> {
  const platform = startNode(['dist/platform.js', '--json', '--stop-with-stdin', '--in-memory']);
  try {
    const announcement = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${announcement.apiKey}` };
    const base = announcement.endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, await createEndpoint(announcement));
    // The first request waits for the worker.
    const port = await (await fetch(`${base}/port`, { headers })).text();
    const through = `${base}/`;
    const direct = `http://127.0.0.1:${port}/`;
    for (const [concurrency, requests] of [
      [1, 1_500],
      [32, 6_000],
    ] as const) {
      const load = { headers, body, requests, concurrency };
      const rates = await measureInTurns(
        {
          direct: () => requestsPerSecond({ ...load, url: direct }),
          through: () => requestsPerSecond({ ...load, url: through }),
        },
        ROUNDS,
      );
      const added = 1000 * (1 / median(rates.through) - 1 / median(rates.direct)) * concurrency;
      report({
        name: `load balancer, ${concurrency} at a time / direct requests`,
        unit: 'requests/s',
        ours: rates.through,
        alternative: rates.direct,
        note: `${added.toFixed(2)} ms added per request`,
      });
    }
  } finally {
    await platform.stop();
  }
}

async function createEndpoint(connection: PlatformAnnouncement): Promise<string> {
  const client = createClient({ connection, fetch });
  const { id } = await client.createEndpoint({
    body: {
      name: 'bench',
      type: 'LOAD_BALANCER',
      scaling: { type: 'REQUEST_COUNT', requestCount: 1_000 },
      workers: { min: 1, max: 1 },
      image: `process:${tmpdir()}`,
      cmd: [process.execPath, '--input-type=module', '--eval', WORKER],
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    },
  });
  return id;
}

const WORKER = `
import { createServer } from 'node:http';
const server = createServer((incoming, response) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    if (incoming.method === 'GET') return response.end(incoming.url === '/port' ? process.env.PORT : '');
    const { text } = JSON.parse(Buffer.concat(chunks));
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ length: text.length }));
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
`;
