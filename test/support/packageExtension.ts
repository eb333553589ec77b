import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { repository } from '../../scripts/editor/build.ts';

/** Entries of the repository that no file of the package comes from. */
const unused = new Set(['.git', '.local', 'artifacts', 'deploy', 'dist', 'docs', 'node_modules', 'samples', 'test']);

/** A package that was built like that of `npm run package`. */
export interface BuiltPackage {
  readonly vsix: string;
  /** Folder of the minified build. */
  readonly dist: string;
}

/** Builds the package in a copy of the repository, because other tests use the development build of the repository. */
export async function packageExtension(folder: string): Promise<BuiltPackage> {
  const copy = path.join(folder, 'repository');
  await mkdir(copy);
  const entries = (await readdir(repository)).filter((name) => !unused.has(name) && !name.endsWith('.vsix'));
  await Promise.all(entries.map((name) => cp(path.join(repository, name), path.join(copy, name), { recursive: true })));
  await symlink(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'), 'junction');
  await execa(process.execPath, ['esbuild.js', '--production'], { cwd: copy });
  const vsix = path.join(folder, 'cloud-compute.vsix');
  const vsce = path.join(repository, 'node_modules', '@vscode', 'vsce', 'vsce');
  await execa(process.execPath, [vsce, 'package', '--no-dependencies', '--out', vsix], { cwd: copy });
  return { vsix, dist: path.join(copy, 'dist') };
}
