import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '../../../src/client/client.ts';
import { emptyDataDirectory, isHeld } from '../../../src/features/localPlatform/dataDirectory.ts';
import { processStart } from '../../../src/machine/processTable.ts';
import { startPlatform } from '../../../src/platform/daemon/start.ts';
import { afterwards, cleanUp, dataDirectory, endpointBody } from '../../platform/support.ts';

const staleLocks = [
  { pid: 2147483646, processStart: null, holder: 'gone' },
  { pid: process.pid, processStart: 'long ago', holder: 'gone' },
];

describe('emptying the data directory', () => {
  after(cleanUp);

  it('removes all that a platform which was used has left there', async () => {
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

  it('leaves alone what is not the platform’s', async () => {
    const dataDir = await dataDirectory();
    await mkdir(path.join(dataDir, 'photos'), { recursive: true });
    await writeFile(path.join(dataDir, 'platform.sqlite'), '');
    await emptyDataDirectory(dataDir);
    assert.deepEqual(await readdir(dataDir), ['photos']);
  });

  it('takes no notice of a lock whose process is gone, whose process id is another one’s by now, or that was cut short', async () => {
    for (const lock of [...staleLocks.map((stale) => JSON.stringify(stale)), '{"pi']) {
      const dataDir = await dataDirectory();
      await writeFile(path.join(dataDir, 'platform.lock'), lock);
      await emptyDataDirectory(dataDir);
      assert.deepEqual(await readdir(dataDir), []);
    }
  });

  it('is refused while a platform runs on it', async () => {
    const dataDir = await dataDirectory();
    const platform = await startPlatform({ dataDir });
    afterwards(() => platform.close());
    await assert.rejects(emptyDataDirectory(dataDir), /\(process \d+\) uses .*; stop that one first/);
  });

  it('has nothing to do where there is none', async () => {
    await emptyDataDirectory(path.join(await dataDirectory(), 'nowhere'));
  });
});

describe('a data directory', () => {
  after(cleanUp);

  it('is held while a platform runs on it, and no longer', async () => {
    const dataDir = await dataDirectory();
    assert.equal(await isHeld(dataDir), false);
    const platform = await startPlatform({ dataDir, graceMs: 100 });
    assert.equal(await isHeld(dataDir), true);
    await platform.close();
    assert.equal(await isHeld(dataDir), false);
  });

  it('is not held by who is leaving it, or is gone', async () => {
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
