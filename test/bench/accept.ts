import { tmpdir } from 'node:os';
import { createClient } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { temporaryFolder } from './children.ts';
import { measureInTurns, reportServers } from './compare.ts';
import { startNode } from './node.ts';
import { startGenerator } from './startGenerator.ts';

const ROUNDS = 5;
const REQUESTS = 20_000;
const CONCURRENCY = 32;
/** Rounds before the measurement, in which V8 compiles the code. */
const WARM_UP_ROUNDS = 2;
const body = JSON.stringify({ input: { text: 'hello' } });

/** Compares the acceptance of durable jobs with a bare server that answers the same POST and stores nothing. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const platform = startNode(['dist/platform.js', '--json', '--stop-with-stdin', '--data-dir', folder]);
  const bare = startNode(['--input-type=module', '--eval', BARE_SERVER]);
  try {
    const announcement = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
    const endpointId = await createPausedEndpoint(announcement);
    const runUrl = announcement.queueUrl + fillPath(operations.runJob.path, { endpointId });
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${announcement.apiKey}` };
    const load = { headers, body, concurrency: CONCURRENCY };
    const bareLoad = startGenerator({ ...load, url: await bare.firstLine }, [bare.pid]);
    const runLoad = startGenerator({ ...load, url: runUrl }, [platform.pid]);
    const contest = { bare: () => bareLoad.measure(REQUESTS), run: () => runLoad.measure(REQUESTS) };
    await measureInTurns(contest, WARM_UP_ROUNDS);
    const { run, bare: alternative } = await measureInTurns(contest, ROUNDS);
    reportServers('run, durable / bare node:http', run, alternative);
    await Promise.all([bareLoad.stop(), runLoad.stop()]);
  } finally {
    await Promise.all([platform.stop(), bare.stop()]);
  }
}

/** Creates an endpoint without workers, so that only acceptance is measured. */
async function createPausedEndpoint(connection: PlatformAnnouncement): Promise<string> {
  const client = createClient({ connection, fetch });
  const { id } = await client.createEndpoint({
    body: {
      name: 'bench',
      type: 'QUEUE',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      workers: { min: 0, max: 0 },
      image: `process:${tmpdir()}`,
      cmd: ['true'],
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    },
  });
  return id;
}

const BARE_SERVER = `
import { createServer } from 'node:http';
const server = createServer((incoming, response) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const { input } = JSON.parse(Buffer.concat(chunks));
    const answer = JSON.stringify({ id: crypto.randomUUID(), status: input ? 'IN_QUEUE' : 'FAILED' });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
process.stdin.on('end', () => process.exit()).resume();
`;
