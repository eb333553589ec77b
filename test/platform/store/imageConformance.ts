import assert from 'node:assert/strict';
import type { StoredImage, Store } from '../../../src/platform/store/store.ts';

const image = (name: string, expiresAt: number): StoredImage => ({
  name,
  contentType: 'image/png',
  bytes: Uint8Array.from([0, 255, 1]),
  createdAt: 1_000,
  expiresAt,
});

/** Conformance tests of an image store. */
export function imageConformance(name: string, open: () => Store): void {
  describe(`Image store conformance: ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    it('returns an image byte for byte', () => {
      store.images.insert(image('a', 2_000));
      assert.deepEqual({ ...store.images.get('a') }, image('a', 2_000));
      assert.equal(store.images.get('b'), undefined);
    });

    it('removes expired images, and returns the time of the next expiry', () => {
      assert.equal(store.images.nextExpiry(), undefined);
      for (const [name, expiresAt] of [
        ['late', 5_000],
        ['soon', 2_000],
      ] as const)
        store.images.insert(image(name, expiresAt));
      assert.equal(store.images.nextExpiry(), 2_000);
      store.images.removeExpired(1_999);
      assert.ok(store.images.get('soon'));
      store.images.removeExpired(2_000);
      assert.equal(store.images.get('soon'), undefined);
      assert.equal(store.images.nextExpiry(), 5_000);
    });

    it('rolls back an image with its transaction', () => {
      assert.throws(() =>
        store.transaction(() => {
          store.images.insert(image('a', 2_000));
          throw new Error('no');
        }),
      );
      assert.equal(store.images.get('a'), undefined);
    });
  });
}
