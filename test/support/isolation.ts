import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { livingProcesses } from '../../scripts/editor/processTable.ts';
import { endWithUs } from '../../scripts/editor/shutdown.ts';
import { asTemporary, folderUntilExit, leftIn } from '../../scripts/editor/temporaryFolder.ts';

/* Mocha loads this before the tests. What they make and start does not outlive them, even if they are interrupted. */

/** When files run in parallel, their workers load this, and so does the process that starts the workers. */
const runsTests = process.env['MOCHA_WORKER_ID'] !== undefined || !process.argv.includes('--parallel');
const folder = runsTests ? folderUntilExit('cc-') : undefined;
if (folder !== undefined) Object.assign(process.env, asTemporary(folder));

/** What has ended may still be removing its own for a moment. */
const patienceMs = 5_000;

/** Ends what this process started and nothing else would: workers of platforms, which lead process groups of their own. */
function endChildren(): void {
  const children = livingProcesses().filter(({ parent }) => parent === process.pid);
  for (const { pid, group } of children) {
    try {
      if (group === pid) process.kill(-pid, 'SIGKILL');
      else process.kill(pid, 'SIGTERM');
    } catch {
      // It has ended already, which is what was wanted.
    }
  }
}

let forget: () => unknown;

export const mochaHooks = {
  beforeAll(): void {
    forget = endWithUs({ stop: () => Promise.resolve(), kill: endChildren });
  },

  /** After each file when files run in parallel, after all of them otherwise. */
  async afterAll(): Promise<void> {
    // What tests leave behind without an interruption is a fault, which their stage reports.
    forget();
    if (folder === undefined) return;
    const deadline = performance.now() + patienceMs;
    let left = await leftIn(folder);
    while (left.length > 0 && performance.now() < deadline) {
      await delay(50);
      left = await leftIn(folder);
    }
    // Another file in this process is not blamed for the same.
    await Promise.all(left.map((name) => rm(path.join(folder, name), { recursive: true, force: true })));
    assert.deepEqual(left, [], 'the tests left temporary folders behind');
  },
};
