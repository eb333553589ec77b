import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { holderOf, lockFileOf, type Lock } from '../../src/machine/platformLock.ts';
import { processStart } from '../../src/machine/processTable.ts';
import { cleanUp, dataDirectory, platformForTest } from '../platform/support.ts';

describe('lock of a data directory', () => {
  afterEach(cleanUp);

  async function isHeldWith(changes: Partial<Lock>): Promise<boolean> {
    const directory = await dataDirectory();
    const lock: Lock = { pid: process.pid, processStart: (await processStart(process.pid)) ?? null, holder: 'it' };
    await writeFile(lockFileOf(directory), JSON.stringify({ ...lock, ...changes }));
    return (await holderOf(directory)) !== undefined;
  }

  it('is held by the process that wrote it', async () => {
    assert.equal(await isHeldWith({}), true);
  });

  it('is not held by a process that has exited, or by another process with the same PID', async () => {
    assert.equal(await isHeldWith({ pid: 2147483646 }), false);
    assert.equal(await isHeldWith({ processStart: 'long ago' }), false);
  });

  it('is held by a process that starts, accepts connections, or stops, if start times are unknown', async () => {
    const { platform } = await platformForTest();
    const { announcement } = platform;
    assert.equal(await isHeldWith({ processStart: null }), true);
    assert.equal(await isHeldWith({ processStart: null, announcement }), true);
    await platform.close();
    assert.equal(await isHeldWith({ processStart: null, announcement, leaving: true }), true);
    assert.equal(await isHeldWith({ processStart: null, announcement }), false);
  });
});
