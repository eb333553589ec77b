import assert from 'node:assert/strict';
import { sourcePlaces } from '../../../../src/features/images/history/model/fileName.ts';

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
