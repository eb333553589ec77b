import { execFile } from 'node:child_process';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { EngineError, type EngineApi } from '../../src/machine/engine/engineApi.ts';
import { fillNode, importImage, linkLibraries } from './images.ts';
import { importPython } from './pythonImage.ts';

/* The base images of new workers, with the programs of this machine, because no registry is in reach. */

const run = promisify(execFile);

/** Runs the command. Podman gives the entrypoint `-` to an imported image that has none. */
const ENTRYPOINT = 'ENTRYPOINT ["/usr/bin/docker-entrypoint.sh"]';

const BASES: Readonly<Record<string, (engine: EngineApi, name: string) => Promise<void>>> = {
  'docker.io/library/python:3.13-slim': (engine, name) =>
    importPython(engine, name, { packages: false, fill: fillPip, instructions: [ENTRYPOINT] }),
  'docker.io/library/node:24-alpine': (engine, name) =>
    importImage(engine, name, {
      fill: async (root) => {
        await fillNode(root);
        await fillNpm(root);
      },
      instructions: ['ENV PATH=/usr/bin', ENTRYPOINT],
    }),
};

/**
 * Adds the base images that an engine does not have.
 *
 * @returns a function that removes them
 */
export async function addBaseImages(engine: EngineApi): Promise<() => Promise<void>> {
  const added: string[] = [];
  for (const [name, add] of Object.entries(BASES)) {
    if (await hasImage(engine, name)) continue;
    await add(engine, name);
    added.push(name);
  }
  return async () => {
    for (const name of added)
      await engine.json({ method: 'DELETE', path: `/v1.41/images/${name}`, query: { force: true } });
  };
}

async function hasImage(engine: EngineApi, name: string): Promise<boolean> {
  try {
    await engine.json({ path: `/v1.41/images/${name}/json` });
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return false;
    throw error;
  }
}

/** Adds pip, which Python contains as a package file, and Python under the name that the official image has. */
async function fillPip(root: string): Promise<void> {
  const { stdout } = await run('python3', [
    '-c',
    'import ensurepip, glob, os; print(glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled", "pip-*.whl"))[0])',
  ]);
  await fillShell(root);
  await symlink('python3', path.join(root, 'usr/bin/python'));
  await writeProgram(root, 'pip', `exec python3 ${stdout.trim()}/pip "$@"`);
}

async function fillNpm(root: string): Promise<void> {
  const { stdout } = await run('npm', ['root', '--global']);
  await mkdir(path.join(root, 'usr/lib'), { recursive: true });
  await symlink(await realpath(path.join(stdout.trim(), 'npm')), path.join(root, 'usr/lib/npm'));
  await fillShell(root);
  await writeProgram(root, 'npm', 'exec node /usr/lib/npm/bin/npm-cli.js "$@"');
}

async function fillShell(root: string): Promise<void> {
  await mkdir(path.join(root, 'bin'), { recursive: true });
  await symlink(await realpath('/bin/sh'), path.join(root, 'bin/sh'));
  await linkLibraries(root, ['/bin/sh']);
  await writeProgram(root, 'docker-entrypoint.sh', 'exec "$@"');
}

async function writeProgram(root: string, name: string, script: string): Promise<void> {
  const file = path.join(root, 'usr/bin', name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}
