import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { livingProcesses } from '../../scripts/editor/processTable.ts';
import { endWithUs } from '../../scripts/editor/shutdown.ts';
import { asTemporary, folderUntilExit, leftIn } from '../../scripts/editor/temporaryFolder.ts';

/* Mocha loads this file before the tests. It ends their processes and deletes their temporary files, even after an interruption. */

/** Whether this process runs tests. In parallel mode, Mocha also loads this file in the process that starts the workers. */
const runsTests = process.env['MOCHA_WORKER_ID'] !== undefined || !process.argv.includes('--parallel');
const folder = runsTests ? folderUntilExit('cc-') : undefined;
if (folder !== undefined) Object.assign(process.env, asTemporary(folder));

/** Time, in ms, that processes have to delete their temporary folders after the tests. */
const patienceMs = 5_000;

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

let forget: () => unknown;

export const mochaHooks = {
  beforeAll(): void {
    forget = endWithUs({ stop: () => Promise.resolve(), kill: endChildren });
  },

  /** Runs after each file in parallel mode, and otherwise once after all files. */
  async afterAll(): Promise<void> {
    // After a normal run, the stage reports processes that the tests leave running.
    forget();
    if (folder === undefined) return;
    const deadline = performance.now() + patienceMs;
    let left = await leftIn(folder);
    while (left.length > 0 && performance.now() < deadline) {
      await delay(50);
      left = await leftIn(folder);
    }
    // Deletes the folders, so that the next file in this process does not fail because of them.
    await Promise.all(left.map((name) => rm(path.join(folder, name), { recursive: true, force: true })));
    assert.deepEqual(left, [], 'the tests left temporary folders behind');
  },
};
