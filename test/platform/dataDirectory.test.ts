import assert from 'node:assert/strict';
import { access, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PlatformExitReason } from '../../src/contract/platformExit.ts';
import { StartFailure } from '../../src/platform/startFailure.ts';
import { startPlatform } from '../../src/platform/start.ts';
import { afterwards, Api, cleanUp, dataDirectory, eventually } from './support.ts';

describe('Platform: its data directory', () => {
  afterEach(cleanUp);

  it('is refused while another platform has it', async () => {
    const dataDir = await dataDirectory();
    const first = await startPlatform({ dataDir });
    afterwards(() => first.close());
    await refuses(dataDir, 'dataDirInUse', /in use by another local platform \(process \d+\)/);
  });

  it('is waited for while the platform that has it stops', async () => {
    const dataDir = await dataDirectory();
    const first = await startPlatform({ dataDir, graceMs: 1_000 });
    const api = new Api(first.announcement);
    const endpoint = await api.createEndpoint();
    const { id } = await api.run(endpoint, { do: 'deaf' });
    await api.jobWithStatus(endpoint, id, 'IN_PROGRESS');
    const closing = first.close();
    // On a slow machine it may have left already.
    const lock = () => readFile(lockOf(dataDir), 'utf8').catch(() => 'leaving is over');
    await eventually('it says so', async () => (await lock()).includes('leaving'));
    const second = await startPlatform({ dataDir, graceMs: 0 });
    afterwards(() => second.close());
    await closing;
  });

  it('is taken over from a process that is gone', async () => {
    const dataDir = await dataDirectory();
    const stale = { pid: process.pid, processStart: 'long ago', holder: 'somebody' };
    await writeFile(lockOf(dataDir), JSON.stringify(stale));
    await (await startPlatform({ dataDir })).close();
    await assert.rejects(access(lockOf(dataDir)), 'it is released');
  });

  it('is refused when a newer version wrote it', async () => {
    const dataDir = await dataDirectory();
    const database = new DatabaseSync(path.join(dataDir, 'platform.sqlite'));
    database.exec('PRAGMA user_version = 999');
    database.close();
    await refuses(dataDir, 'dataDirNewer', /newer version.*999/);
  });

  it('is refused when its database is none', async () => {
    const dataDir = await dataDirectory();
    await writeFile(path.join(dataDir, 'platform.sqlite'), 'this is not a database at all, whatever its name says');
    await refuses(dataDir, 'dataDirUnusable', /platform\.sqlite cannot be opened/);
  });
});

const lockOf = (dataDir: string): string => path.join(dataDir, 'platform.lock');

async function refuses(dataDir: string, reason: PlatformExitReason, message: RegExp): Promise<void> {
  await assert.rejects(startPlatform({ dataDir }), (failure) => {
    assert.ok(failure instanceof StartFailure, String(failure));
    assert.equal(failure.reason, reason);
    assert.match(failure.message, message);
    assert.ok(!failure.message.includes('\n'), 'one line');
    return true;
  });
}
