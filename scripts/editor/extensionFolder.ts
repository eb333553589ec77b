import { cp, mkdir, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** What the extension consists of once it is built. */
const parts = ['package.json', 'dist', 'media', 'README.md', 'CHANGELOG.md', 'LICENSE'];

/**
 * Puts the built extension of `repository` among the installed extensions of an editor.
 * - `copy`: as it is now; later builds do not touch it.
 * - `link`: the folder itself, so that the next build is there after "Developer: Reload Window".
 */
export async function putExtension(repository: string, extensionsDir: string, how: 'copy' | 'link'): Promise<void> {
  const id = await extensionId(repository);
  await mkdir(extensionsDir, { recursive: true });
  // An earlier version of it, and the editor's own list of what is installed: it looks for itself when there is none.
  const old = (await readdir(extensionsDir)).filter(
    (name) => name.startsWith(`${id.name}-`) || name === 'extensions.json',
  );
  await Promise.all(old.map((name) => rm(path.join(extensionsDir, name), { recursive: true, force: true })));

  const folder = path.join(extensionsDir, `${id.name}-${id.version}`);
  if (how === 'link') {
    await symlink(repository, folder, 'junction');
    return;
  }
  await mkdir(folder);
  const tests = path.join(repository, 'dist', 'test');
  for (const part of parts.filter((name) => existsSync(path.join(repository, name)))) {
    await cp(path.join(repository, part), path.join(folder, part), {
      recursive: true,
      filter: (from) => from !== tests,
    });
  }
}

/** `<publisher>.<name>` and version of the extension in a folder. */
export async function extensionId(repository: string): Promise<{ name: string; version: string }> {
  const manifest = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as Record<string, string>;
  return { name: `${manifest['publisher'] ?? ''}.${manifest['name'] ?? ''}`, version: manifest['version'] ?? '' };
}
