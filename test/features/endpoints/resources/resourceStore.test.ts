import assert from 'node:assert/strict';
import type { Client } from '../../../../src/client/client.ts';
import type { Clock } from '../../../../src/client/clock.ts';
import { ResourceStore } from '../../../../src/features/endpoints/resources/resourceStore.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';

const volume = { id: 'v', name: 'data', size: 10, dataCenter: 'EU-RO-1', type: 'STANDARD' };
const answers: Record<string, unknown> = {
  '/v2/registries': { registries: [{ id: 'r', name: 'ghcr' }] },
  '/v2/templates': { templates: [] },
  '/v2/network-volumes': { networkVolumes: [volume] },
};

const health = {
  jobs: { completed: 9, failed: 0, inProgress: 1, inQueue: 2, retried: 0 },
  workers: { idle: 0, running: 1 },
};

const answering: Script = ({ path }, response) =>
  json(response, 200, path.endsWith('/image-edit/health') ? health : answers[path]);

/** Creates a store with a scripted server and a clock that the test controls. */
async function watch(script: Script) {
  const server = await startScriptedServer(script);
  const rests: { readonly ms: number; readonly end: () => void }[] = [];
  const changed = new Emitter<void>();
  const rested = new Emitter<void>();
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        rests.push({ ms, end: resolve });
        signal?.addEventListener('abort', () => reject(new Error('woken')), { once: true });
        rested.fire();
      }),
  };
  const connection = { client: server.client as Client | undefined, onDidChange: changed.event };
  const store = new ResourceStore(connection, clock);
  store.setFocused(true);
  return {
    server,
    store,
    rests,
    use: (client: Client | undefined) => {
      connection.client = client;
      changed.fire();
    },
    /** Resolves once the store has started to wait `count` times. */
    rest: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (rests.length < count) return;
          subscription.dispose();
          resolve();
        };
        const subscription = rested.event(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      store.dispose();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('ResourceStore', () => {
  it('polls every 30 seconds, but only while the view is visible', async () => {
    await using watched = await watch(answering);
    const { store, server, rests } = watched;
    assert.deepEqual(store.state, { kind: 'loading' });
    assert.equal(server.received.length, 0);
    store.setVisible(true);
    await watched.rest(1);
    assert.deepEqual(store.state, { kind: 'ready' });
    assert.deepEqual(store.listings.networkVolumes, { items: [volume], known: true, error: undefined });
    assert.equal(rests[0]?.ms, 30_000);
    rests[0].end();
    await watched.rest(2);
    assert.equal(server.received.length, 8);
    store.setVisible(false);
    rests[1]?.end();
    assert.equal(server.received.length, 8);
  });

  it('shows the other groups when one is forbidden, and keeps its polling interval', async () => {
    await using watched = await watch((request, response) =>
      request.path === '/v2/registries' ? json(response, 403, { message: 'no' }) : answering(request, response),
    );
    const { store, rests } = watched;
    store.setVisible(true);
    await watched.rest(1);
    assert.deepEqual(store.state, { kind: 'ready' });
    assert.equal(store.listings.registries.error?.kind, 'forbidden');
    assert.deepEqual(store.listings.templates, { items: [], known: true, error: undefined });
    assert.equal(rests[0]?.ms, 30_000);
  });

  it('keeps the last known items after a failed read, and increases the polling interval', async () => {
    let broken = false;
    await using watched = await watch((request, response) =>
      broken ? json(response, 401, { message: 'unknown key' }) : answering(request, response),
    );
    const { store, rests } = watched;
    await store.refresh();
    broken = true;
    store.setVisible(true);
    for (let round = 1; round <= 5; round++) {
      await watched.rest(round);
      rests[round - 1]?.end();
    }
    const { items, error } = store.listings.registries;
    assert.deepEqual([items.length, error?.kind, store.state.kind], [1, 'unauthorized', 'ready']);
    const waits = rests.slice(0, 5).map(({ ms }) => ms);
    assert.deepEqual(waits, [60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  it('lists the public model with its jobs, unless the platform does not have it', async () => {
    let isOffered = true;
    await using watched = await watch((request, response) =>
      isOffered ? answering(request, response) : json(response, 404, { message: 'not found' }),
    );
    const { store } = watched;
    await store.refresh();
    const [model] = store.listings.publicModels.items;
    assert.deepEqual([model?.id, model?.inQueue, model?.inProgress], ['image-edit', 2, 1]);
    isOffered = false;
    watched.use(undefined);
    watched.use(watched.server.client);
    await store.refresh();
    const { items, error } = store.listings.publicModels;
    assert.deepEqual([items, error?.kind], [[], 'notFound']);
  });

  it('reports why no group could be read', async () => {
    await using watched = await watch((_, response) => json(response, 401, { message: 'unknown key' }));
    await watched.store.refresh();
    const { state } = watched.store;
    assert.deepEqual([state.kind, 'error' in state && state.error.kind], ['failed', 'unauthorized']);
  });

  it('discards all items when the connection changes', async () => {
    await using watched = await watch(answering);
    const { store } = watched;
    await store.refresh();
    assert.equal(store.state.kind, 'ready');
    watched.use(undefined);
    assert.deepEqual(store.state, { kind: 'idle' });
    assert.deepEqual(store.listings.registries.items, []);
  });

  it('marks a credential that is being deleted, and reads the list again after a failure', async () => {
    const marks: boolean[] = [];
    await using watched = await watch((request, response) => {
      if (request.method !== 'DELETE') return answering(request, response);
      marks.push(store.isDeleting('r'));
      json(response, 400, { message: 'a pod uses it' });
    });
    const { store, server } = watched;
    await store.refresh();
    await assert.rejects(store.deleteRegistry(server.client, 'r'), /a pod uses it/);
    assert.deepEqual(marks, [true]);
    assert.equal(store.isDeleting('r'), false);
    assert.ok(server.received.some(({ path }) => path === '/v1/containerregistryauth/r'));
    assert.equal(server.received.filter(({ path }) => path === '/v2/registries').length, 2);
  });
});
