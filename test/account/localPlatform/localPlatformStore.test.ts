import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '../../../src/client/client.ts';
import type { PlatformAnnouncement } from '../../../src/contract/launch/localPlatform.ts';
import { emptyDataDirectory } from '../../../src/features/local/platform/actions/dataDirectory.ts';
import { LocalPlatformStore } from '../../../src/account/localPlatform/localPlatformStore.ts';
import type { PlatformProcess } from '../../../src/account/localPlatform/platformProcess.ts';
import { startPlatform, type Platform } from '../../../src/platform/daemon/start.ts';
import { memento } from '../../features/jobs/memento.ts';
import { afterwards, cleanUp, dataDirectory, endpointBody } from '../../platform/support.ts';

/** Creates a store with a real platform in this process. `end` simulates a crash of the platform's process. */
async function storeOf(options: { readonly fails?: () => string | undefined; readonly cannotReset?: boolean } = {}) {
  const dataDir = await dataDirectory();
  const ends: ((reason: string) => void)[] = [];
  const start: PlatformProcess = async () => {
    const failure = options.fails?.();
    if (failure !== undefined) throw new Error(failure);
    const platform: Platform = await startPlatform({ dataDir, graceMs: 100 });
    const ended = Promise.withResolvers<string>();
    ends.push(ended.resolve);
    afterwards(() => platform.close());
    const stop = async () => {
      await platform.close();
      ended.resolve('stop requested');
    };
    const reset = () => (options.cannotReset ? Promise.reject(new Error('reset failed')) : platform.reset());
    return { announcement: platform.announcement, ended: ended.promise, stop, reset, leave: () => void stop() };
  };
  const storage = memento();
  const store = new LocalPlatformStore(start, storage);
  const reset = () => store.reset(() => emptyDataDirectory(dataDir));
  const seen: string[] = [];
  store.onDidChange(({ kind }) => seen.push(kind));
  const next = () => new Promise<void>((resolve) => store.onDidChange(() => resolve()));
  return {
    dataDir,
    store,
    reopened: () => new LocalPlatformStore(start, storage),
    reset,
    seen,
    next,
    end: (reason: string) => ends.at(-1)?.(reason),
  };
}

function clientOf(connection: PlatformAnnouncement) {
  return createClient({ connection, fetch: globalThis.fetch });
}

async function endpointNames(connection: PlatformAnnouncement): Promise<string[]> {
  const { endpoints } = await clientOf(connection).listEndpoints({});
  return endpoints.map(({ name }) => name);
}

const paused = endpointBody({ name: 'kept', workers: { min: 0, max: 0 } });

describe('LocalPlatformStore', () => {
  after(cleanUp);

  it('starts one platform for several calls, and stops it', async () => {
    const { store, seen } = await storeOf();
    const [one, two] = await Promise.all([store.start(), store.start()]);
    assert.equal(one, two);
    assert.equal(await store.start(), one);
    await store.stop();
    assert.deepEqual(seen, ['starting', 'running', 'stopping', 'stopped']);
    await store.stop();
    assert.equal(seen.length, 4);
  });

  it('keeps the data across a restart', async () => {
    const { store, seen } = await storeOf();
    const before = await store.start();
    await clientOf(before).createEndpoint({ body: paused });
    const after = await store.restart();
    assert.notEqual(after.apiKey, before.apiKey);
    assert.deepEqual(await endpointNames(after), ['kept']);
    await store.stop();
    assert.deepEqual(seen.slice(2, 6), ['stopping', 'stopped', 'starting', 'running']);
  });

  it('deletes the data on a reset and keeps the address and key', async () => {
    const { store, reset, seen } = await storeOf();
    const before = await store.start();
    await clientOf(before).createEndpoint({ body: paused });
    const resetting = reset();
    assert.equal(await store.start(), before, 'a start during the reset returns the same platform');
    const after = await resetting;
    assert.equal(after, before);
    assert.deepEqual(seen, ['starting', 'running', 'starting', 'running']);
    assert.deepEqual(await endpointNames(after), []);
    await clientOf(after).createEndpoint({ body: paused });
    await store.stop();
    assert.deepEqual(await endpointNames(await store.start()), ['kept']);
    await store.stop();
  });

  it('starts a new platform when the running one cannot reset itself', async () => {
    const { store, reset, seen } = await storeOf({ cannotReset: true });
    const before = await store.start();
    await clientOf(before).createEndpoint({ body: paused });
    const after = await reset();
    assert.notEqual(after.apiKey, before.apiKey);
    assert.deepEqual(await endpointNames(after), []);
    assert.deepEqual(seen.slice(2), ['starting', 'stopping', 'stopped', 'starting', 'running']);
    await store.stop();
  });

  it('recovers from damaged data with a reset', async () => {
    const { store, reset, dataDir } = await storeOf();
    await store.start();
    await store.stop();
    await writeFile(path.join(dataDir, 'platform.sqlite'), 'This is not a database. '.repeat(50));
    await assert.rejects(store.start());
    assert.equal(store.state.kind, 'failed');
    assert.deepEqual(await endpointNames(await reset()), []);
    await store.stop();
  });

  it('does not reset the data of another platform', async () => {
    const { store, reset, dataDir } = await storeOf();
    const other = await startPlatform({ dataDir, graceMs: 100 });
    await clientOf(other.announcement).createEndpoint({ body: paused });
    await assert.rejects(reset(), new RegExp(`another local platform \\(process ${process.pid}\\)`));
    assert.equal(store.state.kind, 'stopped');
    assert.deepEqual(await endpointNames(other.announcement), ['kept']);
    await other.close();
  });

  it('reports why the start failed, and can start again', async () => {
    let failure: string | undefined = 'the port is taken';
    const { store, seen } = await storeOf({ fails: () => failure });
    await assert.rejects(store.start(), /the port is taken/);
    assert.deepEqual(store.state, { kind: 'failed', message: 'the port is taken' });
    failure = undefined;
    await store.start();
    await store.stop();
    assert.deepEqual(seen, ['starting', 'failed', 'starting', 'running', 'stopping', 'stopped']);
  });

  it('reports why the platform stopped unexpectedly', async () => {
    const { store, next, end } = await storeOf();
    await store.start();
    const changed = next();
    end('it was terminated by SIGKILL');
    await changed;
    assert.deepEqual(store.state, { kind: 'failed', message: 'it was terminated by SIGKILL' });
    assert.equal(store.wasRunning, true);
  });

  it('remembers after a reload of the window that the platform ran, but not after a stop', async () => {
    const { store, reopened } = await storeOf();
    assert.equal(store.wasRunning, undefined);
    const before = await store.start();
    await clientOf(before).createEndpoint({ body: paused });
    store.dispose();
    const next = reopened();
    assert.equal(next.wasRunning, true);
    assert.deepEqual(await endpointNames(await next.start()), ['kept']);
    assert.equal(store.wasRunning, true, 'the end of the earlier platform is not a stop by the user');
    await next.stop();
    assert.equal(reopened().wasRunning, false);
  });
});
