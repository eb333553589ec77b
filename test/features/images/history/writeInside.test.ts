import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OutsideError, writeInside } from '../../../../src/features/images/history/actions/writeInside.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';

const bytes = Buffer.from('new');

function* names(): Generator<string> {
  for (let index = 1; ; index++) yield `a-${index}.png`;
}

describe('saving an image in the workspace', () => {
  let [root, outside] = ['', ''];

  beforeEach(async () => {
    const directory = await dataDirectory();
    [root, outside] = [path.join(directory, 'workspace'), path.join(directory, 'outside')];
    await mkdir(root);
    await mkdir(outside);
  });
  afterEach(cleanUp);

  it('creates the folder, and replaces no file', async () => {
    const one = await writeInside(root, ['x', 'y'], names(), bytes);
    const two = await writeInside(root, ['x', 'y'], names(), bytes);
    assert.deepEqual([one, two], [path.join(root, 'x/y/a-1.png'), path.join(root, 'x/y/a-2.png')]);
    assert.equal(await readFile(one, 'utf8'), 'new');
  });

  it('gives concurrent images different names', async () => {
    const saved = await Promise.all(Array.from({ length: 10 }, () => writeInside(root, [], names(), bytes)));
    assert.equal(new Set(saved).size, 10);
  });

  it('never follows a link out of the workspace', async () => {
    await symlink(outside, path.join(root, 'link'));
    await symlink(path.join(outside, 'missing'), path.join(root, 'dangling'));
    await assert.rejects(writeInside(root, ['link'], names(), bytes), OutsideError);
    await assert.rejects(writeInside(root, ['link', 'deep'], names(), bytes), OutsideError);
    await assert.rejects(writeInside(root, ['dangling', 'deep'], names(), bytes));
    await writeFile(path.join(outside, 'mine'), 'old');
    await symlink(path.join(outside, 'mine'), path.join(root, 'a-1.png'));
    assert.equal(await writeInside(root, [], names(), bytes), path.join(root, 'a-2.png'));
    assert.deepEqual(await readdir(outside), ['mine']);
    assert.equal(await readFile(path.join(outside, 'mine'), 'utf8'), 'old');
  });

  it('follows a link that stays in the workspace', async () => {
    await mkdir(path.join(root, 'real'));
    await symlink(path.join(root, 'real'), path.join(root, 'link'));
    await writeInside(root, ['link'], names(), bytes);
    assert.deepEqual(await readdir(path.join(root, 'real')), ['a-1.png']);
  });
});
