import assert from 'node:assert/strict';
import { on } from 'node:events';
import { watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { livingProcesses } from '../../scripts/editor/processTable.ts';
import { registerCleanup } from '../../scripts/editor/shutdown.ts';
import {
  temporaryFolderVariables,
  createTemporaryFolder,
  leftoverFiles,
} from '../../scripts/editor/temporaryFolder.ts';

/* Mocha loads this file before the tests. It ends their processes and deletes their temporary files, even after an interruption. */

/** Whether this process runs tests. In parallel mode, Mocha also loads this file in the process that starts the workers. */
const runsTests = process.env['MOCHA_WORKER_ID'] !== undefined || !process.argv.includes('--parallel');
const folder = runsTests ? createTemporaryFolder('cc-') : undefined;
if (folder !== undefined) Object.assign(process.env, temporaryFolderVariables(folder));

/** Maximum time, in ms, in which processes delete their temporary folders after the tests. */
const graceMs = 5_000;

/** Ends the child processes of this process. A worker of a platform leads its own process group, which is killed as a whole. */
function endChildren(): void {
  const children = livingProcesses().filter(({ parent }) => parent === process.pid);
  for (const { pid, group } of children) {
    try {
      if (group === pid) process.kill(-pid, 'SIGKILL');
      else process.kill(pid, 'SIGTERM');
    } catch {
      // The process has already exited.
    }
  }
}

/** Resolves once the folder has no leftover files, or with the remaining ones after `graceMs`. */
async function filesLeftAfterGrace(directory: string): Promise<string[]> {
  if ((await leftoverFiles(directory)).length === 0) return [];
  const timeout = AbortSignal.timeout(graceMs);
  const watcher = watch(directory);
  // Queues changes from here on, so that none is missed between two reads.
  const changes = on(watcher, 'change', { signal: timeout });
  try {
    while ((await leftoverFiles(directory)).length > 0) await changes.next();
  } catch (error) {
    if (!timeout.aborted) throw error;
  } finally {
    watcher.close();
  }
  return leftoverFiles(directory);
}

let unregister: () => unknown;

export const mochaHooks = {
  beforeAll(): void {
    unregister = registerCleanup({ stop: () => Promise.resolve(), kill: endChildren });
  },

  /** Runs after each file in parallel mode, and otherwise once after all files. */
  async afterAll(): Promise<void> {
    // After a normal run, the stage reports processes that the tests leave running.
    unregister();
    if (folder === undefined) return;
    const left = await filesLeftAfterGrace(folder);
    // Deletes the folders, so that the next file in this process does not fail because of them.
    await Promise.all(left.map((name) => rm(path.join(folder, name), { recursive: true, force: true })));
    assert.deepEqual(left, [], 'the tests left temporary folders behind');
  },
};
