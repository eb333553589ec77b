import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '../../../../../src/client/client.ts';
import { emptyDataDirectory, isHeld } from '../../../../../src/features/local/platform/actions/dataDirectory.ts';
import { processStart } from '../../../../../src/machine/processTable.ts';
import { startPlatform } from '../../../../../src/platform/daemon/start.ts';
import { afterwards, cleanUp, dataDirectory, endpointBody } from '../../../../platform/support.ts';

const staleLocks = [
  { pid: 2147483646, processStart: null, holder: 'exited' },
  { pid: process.pid, processStart: 'long ago', holder: 'exited' },
];

describe('emptyDataDirectory', () => {
  after(cleanUp);

  it('deletes all files of a platform that has been used', async () => {
    const dataDir = await dataDirectory();
    const platform = await startPlatform({ dataDir, graceMs: 100 });
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    await client.createRegistry({ body: { name: 'r', username: 'u', password: 'p' } });
    await client.createNetworkVolume({ body: { name: 'v', size: 10, dataCenter: 'EU-RO-1' } });
    const { id } = await client.createEndpoint({ body: endpointBody() });
    await client.runJobSync({ endpointId: id, body: { input: {} } });
    await platform.close();
    assert.notDeepEqual(await readdir(dataDir), []);
    await emptyDataDirectory(dataDir);
    assert.deepEqual(await readdir(dataDir), []);
  });

  it('keeps files that do not belong to the platform', async () => {
    const dataDir = await dataDirectory();
    await mkdir(path.join(dataDir, 'photos'), { recursive: true });
    await writeFile(path.join(dataDir, 'platform.sqlite'), '');
    await emptyDataDirectory(dataDir);
    assert.deepEqual(await readdir(dataDir), ['photos']);
  });

  it('ignores a lock that is truncated, or whose process has exited, even if its process id is in use again', async () => {
    for (const lock of [...staleLocks.map((stale) => JSON.stringify(stale)), '{"pi']) {
      const dataDir = await dataDirectory();
      await writeFile(path.join(dataDir, 'platform.lock'), lock);
      await emptyDataDirectory(dataDir);
      assert.deepEqual(await readdir(dataDir), []);
    }
  });

  it('throws while a running platform uses the directory', async () => {
    const dataDir = await dataDirectory();
    const platform = await startPlatform({ dataDir });
    afterwards(() => platform.close());
    await assert.rejects(emptyDataDirectory(dataDir), /\(process \d+\) uses .*; stop it first/);
  });

  it('does nothing for a directory that does not exist', async () => {
    await emptyDataDirectory(path.join(await dataDirectory(), 'nowhere'));
  });
});

describe('isHeld', () => {
  after(cleanUp);

  it('returns true only while a platform runs on the directory', async () => {
    const dataDir = await dataDirectory();
    assert.equal(await isHeld(dataDir), false);
    const platform = await startPlatform({ dataDir, graceMs: 100 });
    assert.equal(await isHeld(dataDir), true);
    await platform.close();
    assert.equal(await isHeld(dataDir), false);
  });

  it('returns false for a platform that is shutting down or has exited', async () => {
    const leaving = {
      pid: process.pid,
      processStart: (await processStart(process.pid)) ?? null,
      holder: 'it',
      leaving: true,
    };
    for (const lock of [leaving, ...staleLocks]) {
      const dataDir = await dataDirectory();
      await writeFile(path.join(dataDir, 'platform.lock'), JSON.stringify(lock));
      assert.equal(await isHeld(dataDir), false);
    }
  });
});
