import assert from 'node:assert/strict';
import {
  DEFAULT_FILE_NAME,
  fileNames,
  folderSegments,
  type NameValues,
} from '../../../../src/features/images/history/model/fileName.ts';

const values: NameValues = {
  name: 'photos/cat.large.jpg',
  time: new Date(2026, 2, 1, 14, 5, 9).getTime(),
  seed: 7,
  prompt: 'Make it gray, & add “Café”!',
  id: 'sync-1',
};

function first(pattern: string, number = 1, changes: Partial<NameValues> = {}): string[] {
  const names = fileNames(pattern, { ...values, ...changes }, 'png');
  return Array.from({ length: number }, () => names.next().value);
}

describe('file names of saved images', () => {
  it('count up by default', () => {
    assert.deepEqual(first(DEFAULT_FILE_NAME, 2), ['cat.large-edited-1.png', 'cat.large-edited-2.png']);
  });

  it('contain the variables of the pattern', () => {
    assert.deepEqual(first('${date} ${time} ${seed} ${id} ${prompt}'), [
      '2026-03-01 14-05-09 7 sync-1 make-it-gray-add-cafe.png',
    ]);
    assert.deepEqual(first('${seed}', 1, { seed: undefined }), ['random.png']);
    assert.deepEqual(first('${unknown}'), ['${unknown}.png']);
  });

  it('get an index at the end if the pattern has none', () => {
    assert.deepEqual(first('fixed', 3), ['fixed.png', 'fixed-2.png', 'fixed-3.png']);
  });

  it('are never paths, hidden files, or names that a system reserves', () => {
    assert.deepEqual(first('../../${name}'), ['-..-cat.large.png']);
    assert.deepEqual(first('${id}', 1, { id: '..\\..\\C:\\x\0\u202egnp' }), ['-..-C-x-gnp.png']);
    assert.deepEqual(first('CON'), ['_CON.png']);
    assert.deepEqual(first(' ... '), ['image.png']);
    assert.deepEqual(first('${name}', 1, { name: '' }), ['image.png']);
    assert.deepEqual(first('${prompt}', 1, { prompt: '!!!' }), ['edit.png']);
  });

  it('stay short and different', () => {
    const [one = '', two = ''] = first('${id}-${index}', 2, { id: 'x'.repeat(500) });
    assert.deepEqual([one.length, two.length], [124, 124]);
    assert.notEqual(one, two);
  });

  it('are in a folder inside of the workspace', () => {
    assert.deepEqual(folderSegments('out/./edited\\today'), ['out', 'edited', 'today']);
    assert.deepEqual(folderSegments(''), []);
    for (const outside of ['../x', 'a/../../b', '/etc', 'C:\\x', 'c:x', '\\\\server\\share', 'a/.. /b', 'a\0b'])
      assert.equal(folderSegments(outside), undefined, outside);
  });
});
