import assert from 'node:assert/strict';
import type { StoredImage } from '../../../src/platform/store/imageStore.ts';
import type { Store } from '../../../src/platform/store/store.ts';

const image = (name: string, expiresAt: number): StoredImage => ({
  name,
  contentType: 'image/png',
  bytes: Uint8Array.from([0, 255, 1]),
  createdAt: 1_000,
  expiresAt,
});

/** What every store must do with edited images. */
export function imageConformance(name: string, open: () => Store): void {
  describe(`Store conformance: images, ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    it('keeps an image byte by byte', () => {
      store.insertImage(image('a', 2_000));
      assert.deepEqual({ ...store.getImage('a') }, image('a', 2_000));
      assert.equal(store.getImage('b'), undefined);
    });

    it('removes images when their time is over, and knows whose is next', () => {
      assert.equal(store.nextImageExpiry(), undefined);
      for (const [name, expiresAt] of [
        ['late', 5_000],
        ['soon', 2_000],
      ] as const)
        store.insertImage(image(name, expiresAt));
      assert.equal(store.nextImageExpiry(), 2_000);
      store.removeExpiredImages(1_999);
      assert.ok(store.getImage('soon'));
      store.removeExpiredImages(2_000);
      assert.equal(store.getImage('soon'), undefined);
      assert.equal(store.nextImageExpiry(), 5_000);
    });

    it('forgets an image with the transaction it came in', () => {
      assert.throws(() =>
        store.transaction(() => {
          store.insertImage(image('a', 2_000));
          throw new Error('no');
        }),
      );
      assert.equal(store.getImage('a'), undefined);
    });
  });
}
