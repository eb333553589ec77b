import assert from 'node:assert/strict';
import { fileNames, folderSegments, sourcePlaces } from '../../../../src/features/images/history/model/fileName.ts';

function first(source: string, number = 1): string[] {
  const names = fileNames(source, 'png');
  return Array.from({ length: number }, () => names.next().value);
}

describe('file names of saved images', () => {
  it('are the name of the source, and count up', () => {
    assert.deepEqual(first('photos/cat.large.jpg', 2), ['cat.large-edited-1.png', 'cat.large-edited-2.png']);
    assert.deepEqual(first(''), ['image-edited-1.png']);
  });

  it('are never paths, hidden files, or names that a system reserves', () => {
    assert.deepEqual(first('..\\..\\C:\\x\0\u202egnp'), ['x-gnp-edited-1.png']);
    assert.deepEqual(first('a?b:c.png'), ['a-b-c-edited-1.png']);
    assert.deepEqual(first('.. hidden'), ['hidden-edited-1.png']);
    assert.deepEqual(first('CON.x.jpg'), ['_CON.x-edited-1.png']);
    assert.deepEqual(first(' ... '), ['image-edited-1.png']);
  });

  it('stay short and different', () => {
    const [one = '', two = ''] = first('x'.repeat(500), 2);
    assert.deepEqual([one.length, two.length], [113, 113]);
    assert.notEqual(one, two);
  });

  it('are in a folder inside of the workspace', () => {
    assert.deepEqual(folderSegments('out/./edited\\today'), ['out', 'edited', 'today']);
    assert.deepEqual(folderSegments(''), []);
    for (const outside of ['../x', 'a/../../b', '/etc', 'C:\\x', 'c:x', '\\\\server\\share', 'a/.. /b', 'a\0b'])
      assert.equal(folderSegments(outside), undefined, outside);
  });
});

describe('the places of the source of an edit', () => {
  const [site, shop] = [{ name: 'site' }, { name: 'shop' }];

  it('begin with the folder whose name the source has, in a workspace with several folders', () => {
    assert.deepEqual(sourcePlaces('shop/photos/a.png', [site, shop]), [
      [shop, 'photos/a.png'],
      [site, 'shop/photos/a.png'],
      [shop, 'shop/photos/a.png'],
    ]);
  });

  it('are the path itself in a workspace with one folder', () => {
    assert.deepEqual(sourcePlaces('site/a.png', [site]), [[site, 'site/a.png']]);
  });
});
