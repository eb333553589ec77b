import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  compareHandlerPaths,
  detectHandler,
  type Handler,
} from '../../../../../src/features/manifest/model/starters/detectHandler.ts';
import { repository } from '../../../../platform/support.ts';

const workers = path.join(import.meta.dirname, 'workers');

/** Returns what is detected in a file, without absent facts. */
async function detected(...segments: readonly string[]): Promise<Partial<Handler> | undefined> {
  const file = path.join(...segments);
  const found = detectHandler(path.basename(file), await readFile(file, 'utf8'));
  return found && (JSON.parse(JSON.stringify(found)) as Handler);
}

describe('detectHandler', () => {
  const expected: Readonly<Record<string, Partial<Handler> | undefined>> = {
    'sdk/handler.py': { language: 'python', kind: 'queue', readsPort: false, usesGpu: true },
    'asgi/main.py': {
      ...{ language: 'python', kind: 'server', readsPort: true, usesGpu: false },
      app: { framework: 'asgi', variable: 'app' },
      healthPath: '/health',
    },
    'asgi/self_started.py': { language: 'python', kind: 'server', readsPort: true, usesGpu: false },
    'flask/app.py': {
      ...{ language: 'python', kind: 'server', readsPort: true, usesGpu: false },
      app: { framework: 'flask', variable: 'web' },
      healthPath: '/ping',
    },
    'plain/server.py': { language: 'python', kind: 'server', readsPort: true, usesGpu: false, healthPath: '/ping' },
    'plain/fixed.py': { language: 'python', kind: 'server', readsPort: false, usesGpu: false, port: 9000 },
    'node/worker.cjs': { language: 'node', kind: 'queue', readsPort: false, usesGpu: false },
    'express/index.js': {
      ...{ language: 'node', kind: 'server', readsPort: false, usesGpu: false },
      port: 3000,
      healthPath: '/healthz',
    },
    'other/client.py': undefined,
    'other/deploy.mjs': undefined,
    'other/server.test.js': undefined,
  };

  for (const [file, handler] of Object.entries(expected))
    it(`${handler ? 'recognizes' : 'ignores'} ${file}`, async () =>
      assert.deepEqual(await detected(workers, file), handler && { file: path.basename(file), ...handler }));

  it('recognizes the entry points of the samples, and not the library beside one', async () => {
    const samples = path.join(repository, 'samples');
    assert.equal((await detected(samples, 'hello-queue/hello/handler.mjs'))?.kind, 'queue');
    assert.equal(await detected(samples, 'hello-queue/hello/serverless.mjs'), undefined);
    const server = await detected(samples, 'hello-balanced/hello/server.mjs');
    assert.deepEqual([server?.kind, server?.readsPort], ['server', true]);
  });

  it('lists shallow files and usual entry points first', () => {
    const files = ['b/handler.py', 'zebra.py', 'app.py', 'handler.py', 'a/b/main.py'];
    assert.deepEqual(files.sort(compareHandlerPaths), [
      'handler.py',
      'app.py',
      'zebra.py',
      'b/handler.py',
      'a/b/main.py',
    ]);
  });
});
