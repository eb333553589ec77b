import { cp, mkdir, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Files and folders of the built extension. */
const parts = ['package.json', 'dist', 'l10n', 'media', 'samples/hello-queue', 'README.md', 'CHANGELOG.md', 'LICENSE'];
/** Texts of package.json in all languages. */
const PACKAGE_TEXTS = /^package\.nls(\.[\w-]+)?\.json$/;

/**
 * Installs the built extension of `repository`, or the extension of another folder, in the extensions folder of an editor.
 *
 * - `copy`: later builds do not change the installed extension.
 * - `link`: "Developer: Reload Window" loads later builds.
 */
export async function installExtension(repository: string, extensionsDir: string, how: 'copy' | 'link'): Promise<void> {
  const id = await extensionId(repository);
  await mkdir(extensionsDir, { recursive: true });
  // Earlier versions, and the editor's list of installed extensions. Without that list, the editor scans the folder.
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
  const texts = (await readdir(repository)).filter((name) => PACKAGE_TEXTS.test(name));
  for (const part of [...parts.filter((name) => existsSync(path.join(repository, name))), ...texts]) {
    await cp(path.join(repository, part), path.join(folder, part), {
      recursive: true,
      filter: (from) => from !== tests,
    });
  }
}

/** Resolves with the name (`<publisher>.<name>`) and version of the extension in a folder. */
async function extensionId(repository: string): Promise<{ name: string; version: string }> {
  const manifest = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as Record<string, string>;
  return { name: `${manifest['publisher'] ?? ''}.${manifest['name'] ?? ''}`, version: manifest['version'] ?? '' };
}
