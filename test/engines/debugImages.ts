import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { cacheFolder } from '../../scripts/editor/cacheFolder.ts';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { fixtures, repository } from '../platform/support.ts';
import { buildImage } from './images.ts';
import { importPython, interpreter } from './pythonImage.ts';

/* Images whose workers are debugged: fixtures/worker.mjs, and fixtures/worker.py with debugpy in PYTHONPATH. */

export const DEBUGGED_NODE_IMAGE = 'cloud-compute-test/debugged-node:1';
export const DEBUGGED_PYTHON_IMAGE = 'cloud-compute-test/debugged-python:1';

const DEBUGPY = 'debugpy==1.8.22';

const run = promisify(execFile);

let found: Promise<string | undefined> | undefined;

/** Returns the directory of debugpy: that of this machine, or a pinned one, which pip installs. Undefined without Python or pip. */
export function debugpyDirectory(): Promise<string | undefined> {
  return (found ??= installed(interpreter).catch(() => download().catch(() => undefined)));
}

async function installed(python: string, packages?: string): Promise<string> {
  const env = { ...process.env, ...(packages !== undefined && { PYTHONPATH: packages }) };
  return (await run(python, ['-c', 'import debugpy; print(debugpy.__path__[0])'], { env })).stdout.trim();
}

/** Installs debugpy into the cache. Several stages can do so at once. */
async function download(): Promise<string> {
  const packages = path.join(cacheFolder(), DEBUGPY);
  const own = `${packages}-${process.pid}`;
  if (!existsSync(packages)) {
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
    await run(interpreter, ['-m', 'pip', 'install', ...options, '--target', own, DEBUGPY]);
    await rename(own, packages).catch(() => rm(own, { recursive: true }));
  }
  return installed(interpreter, packages);
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
      await mkdir(path.join(root, 'packages'));
      if (debugpy !== undefined) await symlink(debugpy, path.join(root, 'packages', 'debugpy'));
    },
    modules: ['/packages'],
    instructions: ['ENTRYPOINT ["/usr/bin/python3"]', 'CMD ["-u", "worker.py"]', 'WORKDIR /app'],
  });
}
