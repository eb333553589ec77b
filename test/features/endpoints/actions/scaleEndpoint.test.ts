import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { scaleEndpoint } from '../../../../src/features/endpoints/actions/scaleEndpoint.ts';
import { cleanUp } from '../../../platform/support.ts';
import { createPaused, storeOnPlatform } from '../../storeOnPlatform.ts';

describe('Scaling an endpoint', () => {
  afterEach(cleanUp);

  async function withEndpoint() {
    const { client, store } = await storeOnPlatform();
    const endpoint = await createPaused(client, 'scaled');
    await store.refresh();
    return { client, store, endpoint };
  }

  it('changes only the range, on the platform and in the store', async () => {
    const { client, store, endpoint } = await withEndpoint();
    const scaling = scaleEndpoint({ client, store }, endpoint, { min: 0, max: 2 });
    assert.equal(store.find(endpoint.id)?.updating, true);
    const scaled = await scaling;
    assert.deepEqual(scaled.workers, { ...endpoint.workers, max: 2 });
    assert.equal(store.find(endpoint.id)?.endpoint.workers.max, 2);
    assert.equal(store.find(endpoint.id)?.updating, false);
    assert.deepEqual((await client.getEndpoint({ id: endpoint.id })).workers, scaled.workers);
  });

  it('sends nothing for the current range', async () => {
    const { client, store, endpoint } = await withEndpoint();
    await client.deleteEndpoint({ id: endpoint.id });
    assert.equal(await scaleEndpoint({ client, store }, endpoint, { min: 0, max: 0 }), endpoint);
  });

  it('throws the error of the platform and removes the mark', async () => {
    const { client, store, endpoint } = await withEndpoint();
    await assert.rejects(
      scaleEndpoint({ client, store }, endpoint, { min: 3, max: 2 }),
      (error) => error instanceof ApiError && error.kind === 'validation',
    );
    assert.equal(store.find(endpoint.id)?.updating, false);
  });
});
