import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/* The files of OpenSSH in a home directory. */

/** Names of private keys in the order in which OpenSSH tries them. The first one is the default of new keys. */
const KEY_NAMES = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

const directoryIn = (home: string): string => path.join(home, '.ssh');

/** Returns the path of the configuration. The file may not exist. */
export function sshConfigFile(home: string): string {
  return path.join(directoryIn(home), 'config');
}

/** Returns the content of the configuration, which is empty if there is no file. @throws the error of the file system */
export async function readSshConfig(home: string): Promise<string> {
  try {
    return await readFile(sshConfigFile(home), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Creates an empty configuration if there is none. OpenSSH refuses one that others can write. @throws the error of the file system */
export async function createSshConfig(home: string): Promise<void> {
  await mkdir(directoryIn(home), { recursive: true, mode: 0o700 });
  try {
    await writeFile(sshConfigFile(home), '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Returns the private key that OpenSSH would try first, as the configuration names it. */
export async function identityFile(home: string): Promise<string> {
  const found = new Set(await readdir(directoryIn(home)).catch(() => []));
  return `~/.ssh/${KEY_NAMES.find((name) => found.has(name)) ?? 'id_ed25519'}`;
}
