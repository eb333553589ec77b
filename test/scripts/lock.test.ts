import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { withLock } from '../../scripts/editor/lock.ts';

describe('withLock', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-lock-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  it('runs one task at a time and calls onWait for the other', async () => {
    const file = path.join(folder, 'one');
    const happened: string[] = [];
    const entered = Promise.withResolvers<undefined>();
    const leave = Promise.withResolvers<undefined>();
    const first = withLock(
      file,
      async () => {
        entered.resolve(undefined);
        await leave.promise;
        happened.push('first');
      },
      () => undefined,
    );
    await entered.promise;
    await withLock(
      file,
      () => Promise.resolve(happened.push('second')),
      () => {
        happened.push('waits');
        leave.resolve(undefined);
      },
    );
    await first;
    assert.deepEqual(happened, ['waits', 'first', 'second']);
  });

  it('takes over the lock of a process that has exited', async () => {
    const file = path.join(folder, 'abandoned');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await writeFile(file, JSON.stringify({ pid, processStart: null, holder: 'exited' }));
    assert.equal(
      await withLock(
        file,
        () => Promise.resolve('in'),
        () => assert.fail('waited'),
      ),
      'in',
    );
  });

  it('releases the lock when the work fails', async () => {
    const file = path.join(folder, 'failing');
    await assert.rejects(
      withLock(
        file,
        () => Promise.reject(new Error('no')),
        () => undefined,
      ),
      /no/,
    );
    assert.equal(
      await withLock(
        file,
        () => Promise.resolve('in'),
        () => assert.fail('waited'),
      ),
      'in',
    );
  });
});
