import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PlatformExitReason } from '../../src/contract/launch/platformExit.ts';
import { holderOf } from '../../src/machine/platformLock.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { lockDataDirectory } from '../../src/platform/daemon/dataDirectory.ts';
import { StartFailure } from '../../src/platform/startFailure.ts';
import { startPlatform, type Platform } from '../../src/platform/daemon/start.ts';
import { afterwards, Api, cleanUp, dataDirectory, eventually, platformForTest } from './support.ts';

describe('Data directory', () => {
  afterEach(cleanUp);

  it('is refused while another platform uses it', async () => {
    const dataDir = await dataDirectory();
    const first = await startPlatform({ dataDir });
    afterwards(() => first.close());
    await refuses(dataDir, 'dataDirInUse', /in use by another local platform \(process \d+\)/);
  });

  it('is awaited while its current platform stops', async () => {
    const dataDir = await dataDirectory();
    const first = await startPlatform({ dataDir, graceMs: 1_000 });
    const api = new Api(first.announcement);
    const endpoint = await api.createEndpoint();
    await api.runDeaf(endpoint);
    const closing = first.close();
    await eventually('the first platform is leaving', async () => {
      const holder = await holderOf(dataDir);
      // On a busy machine, the first platform may have left already.
      return holder === undefined || holder.leaving === true;
    });
    const second = await startPlatform({ dataDir, graceMs: 0 });
    afterwards(() => second.close());
    await closing;
  });

  it('is taken over from a process that has ended', async () => {
    const dataDir = await dataDirectory();
    const stale = { pid: process.pid, processStart: 'long ago', holder: 'another' };
    await writeFile(lockOf(dataDir), JSON.stringify(stale));
    await (await startPlatform({ dataDir })).close();
    await assert.rejects(access(lockOf(dataDir)), 'the directory is released');
  });

  it('is taken over by exactly one of several concurrent platforms', async () => {
    for (let round = 0; round < 10; round++) {
      const dataDir = await dataDirectory();
      await writeFile(lockOf(dataDir), JSON.stringify({ pid: process.pid, processStart: 'long ago', holder: 'gone' }));
      const results = await Promise.allSettled([1, 2, 3].map(() => startPlatform({ dataDir })));
      const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      afterwards(async () => {
        for (const platform of started) await platform.close();
      });
      const failures = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as StartFailure] : [],
      );
      assert.equal(started.length, 1, String(failures));
      assert.deepEqual(
        failures.map(({ reason }) => reason),
        ['dataDirInUse', 'dataDirInUse'],
      );
      assert.deepEqual(
        (await holderOf(dataDir))?.announcement,
        addressesOf(started[0]),
        'other processes can find the platform',
      );
      const locks = (await readdir(dataDir)).filter((name) => name.includes('lock'));
      assert.deepEqual(locks, ['platform.lock']);
      await started[0]?.close();
    }
  });

  it('is taken over from a process that died while it took the directory over', async () => {
    const dataDir = await dataDirectory();
    const dead = (holder: string) => JSON.stringify({ pid: process.pid, processStart: 'long ago', holder });
    const rightTo = (content: string): string =>
      `${lockOf(dataDir)}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
    await writeFile(lockOf(dataDir), dead('first'));
    await writeFile(rightTo(dead('first')), dead('second'));
    await writeFile(rightTo(dead('second')), dead('third'));
    const { holder } = await lockDataDirectory(dataDir, systemClock);
    assert.equal((await holderOf(dataDir))?.holder, holder);
    assert.deepEqual(await readdir(dataDir), ['platform.lock']);
  });

  it('is taken over from a process that died while it wrote its lock', async () => {
    const dataDir = await dataDirectory();
    await writeFile(lockOf(dataDir), '{"pid":');
    const { holder } = await lockDataDirectory(dataDir, systemClock);
    assert.equal((await holderOf(dataDir))?.holder, holder);
  });

  it('is not taken over while another process writes its lock', async () => {
    const dataDir = await dataDirectory();
    const other = await lockDataDirectory(dataDir, systemClock);
    const lock = await readFile(lockOf(dataDir), 'utf8');
    await writeFile(lockOf(dataDir), '');
    const waits = Promise.withResolvers<() => void>();
    const after = (_ms: number, callback: () => void) => {
      waits.resolve(callback);
      return () => undefined;
    };
    const taking = lockDataDirectory(dataDir, { now: () => 0, after });
    const lookAgain = await waits.promise;
    await writeFile(lockOf(dataDir), lock);
    lookAgain();
    await assert.rejects(taking, /in use by another local platform/);
    assert.equal((await holderOf(dataDir))?.holder, other.holder);
  });

  it("contains the platform's addresses, even if its lock was removed", async () => {
    const dataDir = await dataDirectory();
    const { platform } = await platformForTest();
    const directory = await lockDataDirectory(dataDir, systemClock);
    await rm(lockOf(dataDir));
    await directory.announce(platform.announcement);
    const lock = await holderOf(dataDir);
    assert.deepEqual([lock?.holder, lock?.announcement], [directory.holder, addressesOf(platform)]);
  });

  it('is refused without a change if its lock cannot be read', async () => {
    const dataDir = await dataDirectory();
    await mkdir(lockOf(dataDir));
    await refuses(dataDir, 'dataDirUnusable', /cannot be used/);
  });

  for (const version of [1, 999]) {
    it(`is refused if another version wrote it: ${version}`, async () => {
      for (const file of ['platform.sqlite', 'logs.sqlite']) {
        const dataDir = await dataDirectory();
        const database = new DatabaseSync(path.join(dataDir, file));
        database.exec(`PRAGMA user_version = ${version}`);
        database.close();
        await refuses(
          dataDir,
          'dataDirVersion',
          new RegExp(`another version.*version ${version},.*: use that version, or`),
        );
      }
    });
  }

  it('is refused if its database is invalid', async () => {
    const dataDir = await dataDirectory();
    await writeFile(path.join(dataDir, 'platform.sqlite'), 'this is not a database');
    await refuses(dataDir, 'dataDirUnusable', /platform\.sqlite cannot be opened/);
  });
});

/** Returns the addresses of a platform, without its key. */
function addressesOf(platform: Platform | undefined) {
  const { announcement } = platform ?? assert.fail('no platform is running');
  const { apiKey: _key, s3AccessKeyId: _id, s3SecretAccessKey: _secret, ...addresses } = announcement;
  return addresses;
}

const lockOf = (dataDir: string): string => path.join(dataDir, 'platform.lock');

async function refuses(dataDir: string, reason: PlatformExitReason, message: RegExp): Promise<void> {
  await assert.rejects(startPlatform({ dataDir }), (failure) => {
    assert.ok(failure instanceof StartFailure, String(failure));
    assert.equal(failure.reason, reason);
    assert.match(failure.message, message);
    assert.ok(!failure.message.includes('\n'), 'the command prints one line');
    return true;
  });
}
