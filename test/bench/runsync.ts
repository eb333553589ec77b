import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { freePort } from '../../scripts/editor/freePort.ts';
import { createClient } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { hasPackage, interpreter } from '../engines/pythonImage.ts';
import { temporaryFolder } from './children.ts';
import { measureInTurns, reportRates, reportServers } from './compare.ts';
import { startNode } from './node.ts';
import { startServer } from './servers.ts';
import { startGenerator, type Measured } from './startGenerator.ts';

const ROUNDS = 5;
/** Rounds before the measurement, in which V8 compiles the code. */
const WARM_UP_ROUNDS = 2;
const body = JSON.stringify({ input: { text: 'hello' } });
/** The worker loop of the sample, without dependencies. It runs one job at a time. */
const SERVE = path.resolve('samples/hello-queue/hello/serverless.mjs');

/**
 * Compares synchronous jobs of one worker, on disk, with the local server of the public Python SDK, if it is installed. That server calls
 * the handler in its own process, and stores nothing.
 */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const platform = startNode([
    'dist/platform.js',
    '--json',
    '--stop-with-stdin',
    '--data-dir',
    path.join(folder, 'data'),
  ]);
  const sdk = await startSdkServer(folder);
  if (!sdk) console.log('  Python SDK: skipped, because it is not installed.');
  try {
    const announcement = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
    const endpointId = await createEndpoint(announcement, folder);
    const url = announcement.queueUrl + fillPath(operations.runJobSync.path, { endpointId });
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${announcement.apiKey}` };
    for (const concurrency of [1, 32]) {
      const load = { headers, body, concurrency };
      const requests = concurrency === 1 ? 1_000 : 4_000;
      const ours = startGenerator({ ...load, url }, [platform.pid]);
      const theirs = sdk && startGenerator({ ...load, url: sdk.url }, [sdk.pid]);
      const contest: Readonly<Record<string, () => Promise<Measured>>> = {
        ours: () => ours.measure(requests),
        ...(theirs && { theirs: () => theirs.measure(requests) }),
      };
      await measureInTurns(contest, WARM_UP_ROUNDS);
      const rounds = await measureInTurns(contest, ROUNDS);
      const name = `runsync, durable, ${concurrency} at a time / Python SDK`;
      const { ours: own = [], theirs: other } = rounds;
      if (other) reportServers(name, own, other);
      else reportRates(name, own);
      await Promise.all([ours.stop(), theirs?.stop()]);
    }
  } finally {
    await Promise.all([platform.stop(), sdk?.stop()]);
  }
}

/** Starts the local server of the Python SDK with a handler that does the same as the worker. Undefined if it is not installed. */
async function startSdkServer(folder: string) {
  if (!(await hasPackage('runpod'))) return undefined;
  const handler = path.join(folder, 'handler.py');
  await writeFile(handler, HANDLER);
  const port = await freePort();
  const args = [handler, '--rp_serve_api', '--rp_api_port', String(port), '--rp_log_level', 'ERROR'];
  const { pid, stop } = await startServer(interpreter, args, port, 'SIGTERM', { cwd: folder });
  return { url: `http://127.0.0.1:${port}/runsync`, pid, stop };
}

const HANDLER = `
import runpod

def handler(job):
    return {"length": len(job["input"]["text"])}

runpod.serverless.start({"handler": handler})
`;

async function createEndpoint(connection: PlatformAnnouncement, folder: string): Promise<string> {
  const client = createClient({ connection, fetch });
  const { id } = await client.createEndpoint({
    body: {
      name: 'bench',
      type: 'QUEUE',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      workers: { min: 1, max: 1 },
      image: `process:${folder}`,
      cmd: [process.execPath, '--input-type=module', '--eval', WORKER],
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    },
  });
  return id;
}

const WORKER = `
import { serve } from ${JSON.stringify(SERVE)};
await serve(({ input }) => ({ length: input.text.length }));
`;
