import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { completeLines } from '../support/completeLines.ts';

describe('Complete lines of a file that another process writes', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-lines-'))));
  after(() => rm(folder, { recursive: true }));

  it('are none while the file is missing, and while it is empty', async () => {
    const file = path.join(folder, 'worker');
    assert.deepEqual(await completeLines(file), []);
    await writeFile(file, '');
    assert.deepEqual(await completeLines(file), []);
  });

  it('do not include a line without its newline', async () => {
    const file = path.join(folder, 'worker');
    await writeFile(file, 'one\ntw');
    assert.deepEqual(await completeLines(file), ['one']);
    await writeFile(file, 'one\ntwo\n');
    assert.deepEqual(await completeLines(file), ['one', 'two']);
  });

  it('are not read from a folder', async () => {
    await assert.rejects(completeLines(folder), { code: 'EISDIR' });
  });
});
