import assert from 'node:assert/strict';
import process from 'node:process';
import { startGroup, type ProcessGroup } from '../../scripts/editor/processes.ts';

/** Starts Node with a script and resolves once it has printed `ready`. */
async function start(script: string): Promise<ProcessGroup> {
  const ready = Promise.withResolvers<undefined>();
  const group = startGroup(process.execPath, ['-e', script, 'cloud-compute-processes-test'], {
    onLine: (line) => {
      if (line === 'ready') {
        ready.resolve(undefined);
      }
    },
  });
  await ready.promise;
  return group;
}

describe('A process group', () => {
  it('ends in good order when asked', async () => {
    const group = await start(
      `process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready')`,
    );
    const { killed } = await group.stop();
    assert.deepEqual(killed, []);
    assert.equal(await group.exited, 3);
    assert.deepEqual(group.alive(), []);
  });

  it('kills what does not end in time and says what it was', async () => {
    const group = await start(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')`);
    const { killed } = await group.stop(100);
    assert.deepEqual(
      killed.map((one) => one.pid),
      [group.pid],
    );
    assert.equal(await group.exited, 'SIGKILL');
  });

  it('finds and ends a grandchild that left for a process group of its own', async function () {
    if (process.platform !== 'linux') {
      this.skip(); // Elsewhere the system does not tell the environment of a process.
    }
    const group = await start(`
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['-e', "setInterval(() => {}, 1000); console.log('ready')", 'grandchild'], { detached: true, stdio: 'inherit' });
    `);
    const { killed } = await group.stop(100);
    assert.deepEqual(
      killed.map((one) => one.command.endsWith('grandchild')),
      [true],
    );
    assert.deepEqual(group.alive(), []);
  });

  it('names the program that cannot be started', () => {
    assert.throws(() => startGroup('/no/such/program', []), /\/no\/such\/program/);
  });
});
