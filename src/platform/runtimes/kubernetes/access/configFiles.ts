import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { StartError } from '../../runtime.ts';
import type { ConfigFile } from './kubeconfig.ts';

/**
 * Reads the files of `KUBECONFIG`, or `~/.kube/config`. Missing files are omitted, as kubectl does.
 *
 * @throws StartError if a file cannot be read
 */
export async function configFiles(environment: NodeJS.ProcessEnv): Promise<ConfigFile[]> {
  const listed = (environment['KUBECONFIG'] ?? '').split(path.delimiter).filter((file) => file !== '');
  const home = environment['HOME'] ?? environment['USERPROFILE'] ?? os.homedir();
  const files = listed.length > 0 ? listed : [path.join(home, '.kube', 'config')];
  const found = await Promise.all(files.map(read));
  return found.flatMap((file) => file ?? []);
}

async function read(file: string): Promise<ConfigFile | undefined> {
  try {
    return { path: file, text: await readFile(file, 'utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new StartError(`the kubeconfig ${file} cannot be read: ${message}. Check its permissions.`);
  }
}
