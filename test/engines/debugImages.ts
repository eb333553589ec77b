import { execFile } from 'node:child_process';
import { copyFile, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { fixtures, repository } from '../platform/support.ts';
import { buildImage } from './images.ts';
import { importPython, interpreter } from './pythonImage.ts';

/* Images whose workers are debugged: fixtures/worker.mjs, and fixtures/worker.py with the debugpy of this machine, if it has one. */

export const DEBUGGED_NODE_IMAGE = 'cloud-compute-test/debugged-node:1';
export const DEBUGGED_PYTHON_IMAGE = 'cloud-compute-test/debugged-python:1';

/** Returns the directory of the debugpy of this machine. */
export async function debugpyDirectory(): Promise<string | undefined> {
  const found = promisify(execFile)(interpreter, ['-c', 'import debugpy; print(debugpy.__path__[0])']);
  return found.then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

export async function addDebuggedImages(engine: EngineApi): Promise<void> {
  const loop = 'samples/hello-queue/hello/serverless.mjs';
  const files = {
    'test/platform/fixtures/worker.mjs': await readFile(path.join(fixtures, 'worker.mjs'), 'utf8'),
    [loop]: await readFile(path.join(repository, loop), 'utf8'),
  };
  await buildImage(engine, DEBUGGED_NODE_IMAGE, {
    files,
    instructions: ['CMD ["/test/platform/fixtures/worker.mjs"]'],
  });
  const debugpy = await debugpyDirectory();
  await importPython(engine, DEBUGGED_PYTHON_IMAGE, {
    packages: false,
    fill: async (root) => {
      await copyFile(path.join(fixtures, 'worker.py'), path.join(root, 'app', 'worker.py'));
      if (debugpy !== undefined) await symlink(debugpy, path.join(root, 'app', 'debugpy'));
    },
    instructions: ['ENTRYPOINT ["/usr/bin/python3"]', 'CMD ["-u", "worker.py"]', 'WORKDIR /app'],
  });
}
