import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { registerCleanup } from './shutdown.ts';

/** Creates a temporary folder that is deleted when this process exits for any reason. */
export function createTemporaryFolder(prefix: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  registerCleanup({
    stop: () => Promise.resolve(),
    kill: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  });
  return folder;
}

/** Returns environment variables that make a folder the temporary folder of a process and its descendants. */
export function temporaryFolderVariables(folder: string): NodeJS.ProcessEnv {
  return { TMPDIR: folder, TEMP: folder, TMP: folder };
}

/** Resolves with the names of files that Cloud Compute left in a temporary folder. Files of editors and browsers are excluded. */
export async function leftoverFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('cloud-compute-'));
}
