import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { lockFolder } from '../../src/machine/folderLock.ts';
import { cleanUp, dataDirectory } from '../platform/support.ts';
import { scaled } from './support.ts';

const PROCESSES = 6;
const ROUNDS = scaled(1_000, 40);

describe('The lock of a folder', () => {
  afterEach(cleanUp);

  it(`has one holder while ${PROCESSES} processes take it ${ROUNDS} times each, free and stale`, async function () {
    this.timeout(600_000);
    const folder = await dataDirectory();
    const contender = path.join(import.meta.dirname, 'fixtures/lockContender.ts');
    const reports = await Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        const child = fork(contender, [folder, String(ROUNDS)]);
        const [report] = (await Promise.race([
          once(child, 'message'),
          once(child, 'exit').then(([code]) => assert.fail(`a contender has exited with ${String(code)}`)),
        ])) as [{ readonly rounds: number; readonly second: number }];
        return report;
      }),
    );
    assert.deepEqual(
      reports.map(({ rounds, second }) => [rounds, second]),
      reports.map(() => [ROUNDS, 0]),
      'a process took the lock while another one held it',
    );
    const release = await lockFolder(folder);
    assert.deepEqual(await readdir(folder), ['lock'], 'each process removes its own files');
    await release?.();
    assert.deepEqual(await readdir(folder), []);
  });
});
