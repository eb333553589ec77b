import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endWithUs } from './shutdown.ts';

/** Makes a folder in the system's temporary one. It goes with this process, however that ends. */
export function folderUntilExit(prefix: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  endWithUs({
    stop: () => Promise.resolve(),
    kill: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  });
  return folder;
}

/** The variables that make a folder the temporary one of a process and of what it starts. */
export function asTemporary(folder: string): NodeJS.ProcessEnv {
  return { TMPDIR: folder, TEMP: folder, TMP: folder };
}

/** The names of what Cloud Compute left in a temporary folder. Editors and browsers leave things there, too. */
export async function leftIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('cloud-compute-'));
}
