import assert from 'node:assert/strict';
import { createEndpoint, type EndpointRecord } from '../../../src/platform/domain/endpoint.ts';
import type { Store } from '../../../src/platform/store/store.ts';

const endpoint = (id: string): EndpointRecord =>
  createEndpoint(
    {
      ...{ name: id, type: 'QUEUE', image: 'example/worker:1' },
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    },
    { id, accountId: 'owner', now: 1, findTemplate: () => undefined, exists: () => true, mayRunProcesses: false },
  );

const [FIRST, SECOND, THIRD] = ['1', '2', '3'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string, string];

/** Conformance tests of the images of releases, and of the images that the platform pulled. */
export function releaseImageConformance(name: string, open: () => Store): void {
  describe(`Release image conformance: ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
      store.endpoints.insert(endpoint('e'));
      store.endpoints.beginImage('e', 1);
    });

    afterEach(() => store.close());

    const pinned = (version: number) => store.endpoints.pinnedImage('e', version);

    it('keeps the first digest of a release', () => {
      assert.equal(pinned(1), undefined);
      assert.equal(store.endpoints.pinImage('e', 1, FIRST), FIRST);
      assert.equal(store.endpoints.pinImage('e', 1, SECOND), FIRST);
      assert.equal(pinned(1), FIRST);
    });

    it('shares the image with later releases, whichever starts a worker first', () => {
      store.endpoints.pinImage('e', 2, FIRST);
      assert.deepEqual([1, 2, 3].map(pinned), [FIRST, FIRST, FIRST]);
    });

    it('gives a release with an image of its own another digest, and keeps that of earlier releases', () => {
      store.endpoints.pinImage('e', 2, FIRST);
      store.endpoints.beginImage('e', 3);
      assert.deepEqual([2, 3, 4].map(pinned), [FIRST, undefined, undefined]);
      store.endpoints.pinImage('e', 4, SECOND);
      store.endpoints.pinImage('e', 2, THIRD);
      assert.deepEqual([1, 2, 3, 4].map(pinned), [FIRST, FIRST, SECOND, SECOND]);
      const of = { endpointId: 'e' };
      assert.deepEqual(store.endpoints.pinnedImages(), [
        { ...of, firstVersion: 1, digest: FIRST },
        { ...of, firstVersion: 3, digest: SECOND },
      ]);
    });

    it('keeps nothing of a failed transaction', () => {
      assert.throws(() =>
        store.transaction(() => {
          store.endpoints.pinImage('e', 1, FIRST);
          store.endpoints.beginImage('e', 2);
          throw new Error('later in the transaction');
        }),
      );
      assert.equal(store.endpoints.pinImage('e', 2, SECOND), SECOND);
      assert.equal(pinned(1), SECOND);
    });

    it('deletes the images of an endpoint with it, and stores none afterwards', () => {
      store.endpoints.insert(endpoint('other'));
      store.endpoints.beginImage('other', 1);
      for (const id of ['e', 'other']) store.endpoints.pinImage(id, 1, FIRST);
      store.endpoints.delete('e');
      assert.equal(store.endpoints.pinImage('e', 1, SECOND), SECOND);
      assert.equal(pinned(1), undefined);
      assert.deepEqual(store.endpoints.pinnedImages(), [{ endpointId: 'other', firstVersion: 1, digest: FIRST }]);
    });

    it('remembers the images that the platform pulled, in order', () => {
      store.pulledImages.add(SECOND, 1);
      store.pulledImages.add(FIRST, 2);
      store.pulledImages.add(SECOND, 3);
      assert.deepEqual(store.pulledImages.list(), [SECOND, FIRST]);
      store.pulledImages.delete(SECOND);
      assert.deepEqual(
        [FIRST, SECOND].map((id) => store.pulledImages.has(id)),
        [true, false],
      );
      assert.deepEqual(store.pulledImages.list(), [FIRST]);
    });
  });
}
