import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Files in the folders that the editor gives to the extension for its own data. */
const STORED = /[\\/](globalStorage|workspaceStorage[\\/][^\\/]+)[\\/]cloud-compute\.cloud-compute[\\/](?<name>.*)$/;
/** The data directory of the local platform. It is private as a whole, and has files of workers. */
const PLATFORM = /^platform[\\/]/;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/**
 * Resolves with the files in the extension's storage that other users can open. Windows has no modes.
 *
 * @param userData folder of the editor's data
 */
export async function openFiles(userData: string): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const entries = await readdir(userData, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const own = files.filter((file) => {
    const name = STORED.exec(file)?.groups?.['name'];
    return name !== undefined && !PLATFORM.test(name);
  });
  const modes = await Promise.all(own.map(async (file) => (await stat(file)).mode));
  return own.filter((_, at) => ((modes[at] ?? 0) & OTHERS) !== 0);
}
