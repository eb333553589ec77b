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

/** Script of a process that starts a child with a script, and exits at once. */
const spawning = (script: string): string => `
  require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(script)}, 'child'], { stdio: 'ignore' }).unref();
  console.log('ready');
`;

describe('process group', () => {
  it('shuts down gracefully', async function () {
    if (process.platform === 'win32') {
      this.skip(); // Windows has no signals.
    }
    const group = await start(
      `process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready')`,
    );
    const { killed } = await group.stop();
    assert.deepEqual(killed, []);
    assert.equal(await group.exited, 3);
    assert.deepEqual(group.alive(), []);
  });

  it('kills a process that does not exit in time, and returns it', async function () {
    if (process.platform === 'win32') {
      this.skip(); // Windows has no signals.
    }
    const group = await start(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')`);
    const { killed } = await group.stop(100);
    assert.deepEqual(
      killed.map((one) => one.pid),
      [group.pid],
    );
    assert.equal(await group.exited, 'SIGKILL');
  });

  it('finds and ends a grandchild in another process group', async function () {
    if (process.platform !== 'linux') {
      this.skip(); // Only Linux reports the environment of a process.
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

  it('does not leave a child behind that ends by itself after its parent', async function () {
    if (process.platform === 'win32') {
      this.skip(); // Windows lists no processes.
    }
    const group = await start(spawning('setTimeout(() => {}, 200)'));
    assert.deepEqual(await group.leftBehind(), []);
  });

  it('leaves a child behind that continues after its parent', async function () {
    if (process.platform === 'win32') {
      this.skip(); // Windows lists no processes.
    }
    const group = await start(spawning('setInterval(() => {}, 1000)'));
    const left = await group.leftBehind(100);
    await group.stop();
    assert.deepEqual(
      left.map(({ command }) => command.endsWith('child')),
      [true],
    );
  });

  it('throws an error that names a program that cannot be started', () => {
    assert.throws(() => startGroup('/no/such/program', []), /\/no\/such\/program/);
  });
});
