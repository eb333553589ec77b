import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LogArchives } from '../../../../src/features/logs/archive/logArchives.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';

const workerOf = (workerId: string) => ({ connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerId });
const MEGABYTE = 1024 * 1024;

describe('the archives of logs', () => {
  const opened: LogArchives[] = [];
  afterEach(async () => {
    for (const archives of opened.splice(0)) await archives.close();
    await cleanUp();
  });

  function archivesIn(folder: string, all = 1e9): LogArchives {
    const archives = new LogArchives(
      () => folder,
      () => ({ each: 1e9, all }),
    );
    opened.push(archives);
    return archives;
  }

  it('open each archive once', async () => {
    const archives = archivesIn(await dataDirectory());
    const [first, second] = await Promise.all([archives.open(workerOf('a')), archives.open(workerOf('a'))]);
    assert.equal(first, second);
    assert.notEqual(await archives.open(workerOf('b')), first);
    assert.deepEqual((await archives.workers()).map(({ workerId }) => workerId).sort(), ['a', 'b']);
  });

  it('give each window an archive of its own', async () => {
    const folder = await dataDirectory();
    const first = await archivesIn(folder).open(workerOf('a'));
    const second = await archivesIn(folder).open(workerOf('a'));
    const event = { source: 'container', line: 'x', ts: '2026-01-01T00:00:00Z' } as const;
    first.append([{ event, id: event.ts, data: JSON.stringify(event) }]);
    assert.deepEqual([first.count, second.count], [1, 0]);
    assert.deepEqual(await archivesIn(folder).workers(), [workerOf('a')]);
  });

  it('remove the archives that were not used for the longest time, but none that is open', async () => {
    const folder = await dataDirectory();
    for (const [name, hours] of [
      ['oldest', 3],
      ['old', 2],
      ['new', 1],
    ] as const) {
      await mkdir(path.join(folder, name));
      const file = path.join(folder, name, '01000000.log');
      await writeFile(file, Buffer.alloc(MEGABYTE));
      const time = new Date(Date.UTC(2026, 0, 1, 12 - hours));
      await utimes(file, time, time);
    }
    const archives = archivesIn(folder, 2.5 * MEGABYTE);
    await archives.open(workerOf('a'));
    await archives.removeOld();
    const left = await readdir(folder);
    assert.deepEqual([left.includes('oldest'), left.includes('old'), left.includes('new')], [false, true, true]);
    assert.equal(left.length, 3);
    await archivesIn(folder, 0).removeOld();
    assert.equal((await readdir(folder)).length, 1);
  });

  it('report a folder that cannot be created', async () => {
    const file = path.join(await dataDirectory(), 'file');
    await writeFile(file, '');
    const archives = archivesIn(path.join(file, 'logs'));
    await assert.rejects(archives.open(workerOf('a')), { code: 'ENOTDIR' });
    assert.deepEqual(await archives.workers(), []);
  });
});
