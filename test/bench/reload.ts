import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createClient, type Client } from '../../src/client/client.ts';
import { createControlClient } from '../../src/client/controlClient.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { interpreter } from '../engines/pythonImage.ts';
import { temporaryFolder } from './children.ts';
import { measureInTurns, report } from './compare.ts';
import { startNode } from './node.ts';

const ROUNDS = 7;
const MODEL_BYTES = 2 * 1024 ** 3;
const WORKER = path.resolve('test/platform/fixtures/preload');

/**
 * Measures a save of the handler of a Python worker with a model of 2 GB until the result of the next job: with `x-local.preload`, and with a
 * start of the whole worker. Also prints the memory of a forked worker.
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
  try {
    const connection = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
    const client = createClient({ connection, fetch });
    const control = createControlClient({ connection, fetch });
    const python = await promisify(execFile)(interpreter, ['-c', 'import sys; print(sys.executable)']);
    const save = async (name: string, preload?: string[]) => {
      const directory = path.join(folder, name);
      await cp(WORKER, directory, { recursive: true });
      const endpointId = await createEndpoint(client, { directory, python: python.stdout.trim(), preload });
      const handler = path.join(directory, 'handler.py');
      const text = await readFile(handler, 'utf8');
      let version = 1;
      const result = async (input: object) =>
        (await client.runJobSync({ endpointId, body: { input: { ...input } } })).output as Record<string, number>;
      await result({});
      const measure = async (): Promise<number> => {
        version++;
        const from = performance.now();
        await writeFile(handler, text.replace('VERSION = 1', `VERSION = ${version}`));
        await control.restartWorkers({ body: { files: [handler] } });
        const { version: got } = await result({});
        const took = performance.now() - from;
        if (got !== version) throw new Error(`the job ran with version ${got} instead of ${version}`);
        return took;
      };
      return { measure, result };
    };
    const forked = await save('forked', ['sdk', 'model:load']);
    const whole = await save('whole');
    const rounds = await measureInTurns({ ours: forked.measure, theirs: whole.measure }, ROUNDS);
    report({
      name: 'save until the result of a job, 2 GB / whole start',
      unit: 'ms',
      ours: rounds.ours,
      alternative: rounds.theirs,
    });
    const memory = async ({ result }: typeof forked) => {
      const { Private_Clean = 0, Private_Dirty = 0 } = await result({ do: 'memory' });
      return [(Private_Clean + Private_Dirty) / 1024];
    };
    report({
      name: 'memory of the worker alone / whole start',
      unit: 'MB',
      ours: await memory(forked),
      note: `whole start: ${(await memory(whole))[0]?.toFixed(0)} MB`,
    });
  } finally {
    await platform.stop();
  }
}

async function createEndpoint(
  client: Client,
  worker: { readonly directory: string; readonly python: string; readonly preload: string[] | undefined },
): Promise<string> {
  const { directory, python, preload } = worker;
  const { id } = await client.createEndpoint({
    body: {
      name: 'bench',
      type: 'QUEUE',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      workers: { min: 1, max: 1 },
      image: `process:${directory}`,
      cmd: [python, 'handler.py'],
      env: { MODEL_BYTES: String(MODEL_BYTES) },
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
      ...(preload && { 'x-local': { preload } }),
    },
  });
  return id;
}
