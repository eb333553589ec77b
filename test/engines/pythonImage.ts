import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { importImage, linkLibraries, type ImportedImage } from './images.ts';

/* An image with the Python and the packages of this machine: `python3` or the interpreter in PYTHON, with PYTHONPATH. */

export const PYTHON_IMAGE = 'cloud-compute-test/python:1';

const run = promisify(execFile);
export const interpreter = process.env['PYTHON'] ?? 'python3';
const LISTS = 'import json, sys; print(json.dumps([sys.executable, [p for p in sys.path if p]]))';

/** Returns whether the Python of this machine has a package. */
export async function hasPackage(name: string): Promise<boolean> {
  return run(interpreter, ['-c', `import ${name}`]).then(
    () => true,
    () => false,
  );
}

/** Folders of packages, which can have a gigabyte, and the parts of the standard library that no program of a test imports. */
const LARGE = ['site-packages', 'dist-packages', 'test', 'config-*'];

/** Adds `PYTHON_IMAGE` to an engine, with this program in /app. @param packages whether it needs more than the standard library */
export function importPythonImage(
  engine: EngineApi,
  program: string,
  { packages = true }: { packages?: boolean } = {},
): Promise<void> {
  return importPython(engine, PYTHON_IMAGE, {
    packages,
    fill: (root) => copyFile(program, path.join(root, 'app', path.basename(program))),
    instructions: ['ENTRYPOINT ["/usr/bin/python3"]', 'WORKDIR /app'],
  });
}

/** Adds an image with Python, and with more files. @param modules folders of the image in which Python searches, too */
export async function importPython(
  engine: EngineApi,
  name: string,
  {
    packages,
    fill,
    instructions,
    modules = [],
  }: Pick<ImportedImage, 'fill' | 'instructions'> & {
    readonly packages: boolean;
    readonly modules?: readonly string[];
  },
): Promise<void> {
  const { stdout } = await run(interpreter, [...(packages ? [] : ['-S']), '-c', LISTS]);
  const [executable, searched] = JSON.parse(stdout) as [string, string[]];
  const folders = outermost([...searched, await cipherModules()].filter((one) => existsSync(one)));
  await importImage(engine, name, {
    fill: async (root) => {
      await fill(root);
      await symlink(await realpath(executable), path.join(root, 'usr/bin/python3'));
      for (const folder of folders) {
        await mkdir(path.join(root, path.dirname(folder)), { recursive: true });
        await symlink(folder, path.join(root, folder));
      }
      const binaries = (await Promise.all(folders.map(sharedObjects))).flat();
      const used = packages ? binaries : binaries.filter((file) => !/\/(site|dist)-packages\//.test(file));
      await linkLibraries(root, [executable, ...used]);
    },
    without: packages ? [] : LARGE,
    instructions: [
      ...instructions,
      'ENV PATH=/usr/bin',
      `ENV PYTHONPATH=${[...searched.filter((one) => folders.some((folder) => isIn(one, folder))), ...modules].join(':')}`,
    ],
  });
}

/** Returns the folder of the modules that OpenSSL loads while it runs. */
async function cipherModules(): Promise<string> {
  const { stdout } = await run('openssl', ['version', '-m']).catch(() => ({ stdout: '' }));
  return /"(.+)"/.exec(stdout)?.[1] ?? '';
}

const isIn = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}/`);

/** Omits folders inside of others. */
function outermost(folders: readonly string[]): string[] {
  const unique = [...new Set(folders)];
  return unique.filter((one) => !unique.some((other) => other !== one && isIn(one, other)));
}

async function sharedObjects(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((entry) => /\.so(\.|$)/.test(entry)).map((entry) => path.join(folder, entry));
}
