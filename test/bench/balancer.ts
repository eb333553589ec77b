import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createClient } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../src/contract/route.ts';
import { measureInTurns, reportRates, reportServers } from './compare.ts';
import { startNginx } from './nginx.ts';
import { startNode } from './node.ts';
import { startGenerator } from './startGenerator.ts';

const ROUNDS = 5;
/** Rounds before the measurement, in which V8 compiles the code. */
const WARM_UP_ROUNDS = 2;
const body = JSON.stringify({ text: 'hello' });

/** Compares requests through the load balancer with direct requests to the worker, and with other proxies. */
export async function run(): Promise<void> {
  const platform = startNode(['dist/platform.js', '--json', '--stop-with-stdin', '--in-memory']);
  try {
    const announcement = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${announcement.apiKey}` };
    const base = announcement.endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, await createEndpoint(announcement));
    // The first request waits for the worker.
    const port = await (await fetch(`${base}/port`, { headers })).text();
    const nginx = await startNginx(Number(port));
    if (!nginx) console.log('  nginx: skipped, because it is not installed.');
    const library = startNode([path.join(import.meta.dirname, 'libraryProxy.mjs')], { UPSTREAM: port });
    // Direct requests at a higher concurrency would measure the load generator.
    const direct = { name: 'direct requests', url: `http://127.0.0.1:${port}/`, pids: [], concurrency: 1 };
    const proxies = [
      { name: 'http-proxy-3', url: await library.firstLine, pids: [library.pid] },
      ...(nginx ? [{ name: 'nginx', url: nginx.url, pids: [nginx.pid] }] : []),
    ];
    const others = proxies.flatMap((proxy) => [1, 32].map((concurrency) => ({ ...proxy, concurrency })));
    for (const { name, url, pids, concurrency } of [direct, ...others]) {
      const load = { headers, body, concurrency };
      const through = startGenerator({ ...load, url: `${base}/` }, [platform.pid]);
      const alternative = startGenerator({ ...load, url }, pids);
      const requests = concurrency === 1 ? 3_000 : 20_000;
      const contest = { through: () => through.measure(requests), other: () => alternative.measure(requests) };
      await measureInTurns(contest, WARM_UP_ROUNDS);
      const rounds = await measureInTurns(contest, ROUNDS);
      const report = pids.length === 0 ? reportRates : reportServers;
      report(`load balancer, ${concurrency} at a time / ${name}`, rounds.through, rounds.other);
      await Promise.all([through.stop(), alternative.stop()]);
    }
    await Promise.all([nginx?.stop(), library.stop()]);
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
    const answer = JSON.stringify({ length: text.length });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
    response.end(answer);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
`;
