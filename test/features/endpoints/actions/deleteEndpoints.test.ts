import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { deleteEndpoints, readBeforeDeletion } from '../../../../src/features/endpoints/actions/deleteEndpoints.ts';
import { cleanUp } from '../../../platform/support.ts';
import { createPaused, storeOnPlatform } from '../../storeOnPlatform.ts';

describe('Deleting endpoints', () => {
  afterEach(cleanUp);

  async function withEndpoints(...names: string[]) {
    const { client, store } = await storeOnPlatform();
    const endpoints = [];
    for (const name of names) endpoints.push(await createPaused(client, name));
    await store.refresh();
    const namesOnPlatform = async () => (await client.listEndpoints({})).endpoints.map(({ name }) => name).sort();
    const namesInStore = () => store.endpoints.map(({ endpoint }) => endpoint.name).sort();
    return { client, store, endpoints, namesOnPlatform, namesInStore };
  }

  it('deletes them on the platform and in the store', async () => {
    const { client, store, endpoints, namesOnPlatform, namesInStore } = await withEndpoints('a', 'b', 'c');
    assert.deepEqual(await deleteEndpoints({ client, store }, endpoints.slice(0, 2)), []);
    assert.deepEqual(await namesOnPlatform(), ['c']);
    assert.deepEqual(namesInStore(), ['c']);
  });

  it('marks them during the deletion', async () => {
    const { client, store, endpoints } = await withEndpoints('a', 'b');
    const deletion = deleteEndpoints({ client, store }, endpoints);
    assert.deepEqual(
      store.endpoints.map(({ deleting }) => deleting),
      [true, true],
    );
    await deletion;
  });

  it('counts an endpoint that no longer exists as deleted', async () => {
    const { client, store, endpoints, namesOnPlatform } = await withEndpoints('a', 'b');
    await client.deleteEndpoint({ id: endpoints[0]?.id ?? '' });
    assert.deepEqual(await deleteEndpoints({ client, store }, endpoints), []);
    assert.deepEqual(await namesOnPlatform(), []);
  });

  it('returns the endpoints that could not be deleted, without their marks, and deletes the others', async () => {
    const { client, store, endpoints, namesOnPlatform } = await withEndpoints('a', 'b');
    const refusal = new ApiError('forbidden', 'not allowed', { operation: 'deleteEndpoint' });
    const refusing = {
      ...client,
      deleteEndpoint: (args: { id: string }) =>
        args.id === endpoints[0]?.id ? Promise.reject(refusal) : client.deleteEndpoint(args),
    };
    const failed = await deleteEndpoints({ client: refusing, store }, endpoints);
    assert.deepEqual(
      failed.map(({ endpoint, error }) => [endpoint.name, error]),
      [['a', refusal]],
    );
    assert.deepEqual(await namesOnPlatform(), ['a']);
    assert.equal(store.find(endpoints[0]?.id ?? '')?.deleting, false);
  });
});

describe('Reading endpoints before their deletion', () => {
  afterEach(cleanUp);

  it('returns their current jobs, in the given order, and omits unknown ids', async () => {
    const { client, store } = await storeOnPlatform();
    const [one, other] = [await createPaused(client, 'one'), await createPaused(client, 'other')];
    await store.refresh();
    await client.runJob({ endpointId: one.id, body: { input: {} } });
    const snapshots = await readBeforeDeletion(store, [other.id, 'unknown', one.id]);
    assert.deepEqual(
      snapshots.map(({ endpoint, health }) => [endpoint.name, health?.jobs.inQueue]),
      [
        ['other', 0],
        ['one', 1],
      ],
    );
  });
});
