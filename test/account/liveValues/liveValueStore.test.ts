import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../src/client/client.ts';
import { LiveValueStore } from '../../../src/account/liveValues/liveValueStore.ts';
import { Emitter } from '../../../src/kit/emitter.ts';
import { json, startScriptedServer, type Script } from '../../client/scriptedServer.ts';
import { cleanUp, platformForTest } from '../../platform/support.ts';
import { steppedClock } from '../../features/steppedClock.ts';

const PATHS = {
  gpus: '/v2/catalog/gpus',
  cpus: '/v2/catalog/cpus',
  dataCenters: '/v2/catalog/datacenters',
  registries: '/v2/registries',
  templates: '/v2/templates',
  networkVolumes: '/v2/network-volumes',
  globalVolumes: '/v2/global-volumes',
};
type Name = keyof typeof PATHS;
const NAMES = Object.keys(PATHS) as Name[];

const template = (id: string, serverless: boolean) => ({ id, name: id, serverless });
const entries: Record<string, object[]> = {
  registries: [{ id: 'r1', name: 'ghcr' }],
  templates: [template('t1', true), template('pod', false)],
};
const nameOf = (path: string) => NAMES.find((name) => path.split('?')[0] === PATHS[name]) ?? assert.fail(path);
const answering: Script = ({ path }, response) => {
  const name = nameOf(path);
  json(response, 200, { [name]: entries[name] ?? [] });
};

/** Creates a store that is connected to a client, with a clock that the test moves. */
function storeOf(client: Client | undefined, clock = steppedClock()) {
  const changed = new Emitter<void>();
  const connections = { client, onDidChange: changed.event };
  const lines: string[] = [];
  const logged = new Emitter<void>();
  const log = {
    debug: (text: string) => {
      lines.push(text);
      logged.fire();
    },
  };
  const store = new LiveValueStore({ connections, clock: clock.clock, log });
  return {
    ...{ store, clock, lines },
    use: (next: Client | undefined) => {
      connections.client = next;
      changed.fire();
    },
    setSilently: (next: Client | undefined) => (connections.client = next),
    /** Resolves once the condition is met, after a change of the store or a log line. */
    until: (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!condition()) return;
          for (const subscription of subscriptions) subscription.dispose();
          resolve();
        };
        const subscriptions = [store.onDidChange(look), logged.event(look)];
        look();
      }),
  };
}

/** Returns a client that counts the calls of an operation. */
function counting(client: Client, id: 'listDataCenters' | 'listTemplates' | 'listRegistries') {
  let calls = 0;
  const call = client[id] as (...args: unknown[]) => Promise<unknown>;
  const counted = (...args: unknown[]) => {
    calls++;
    return call(...args);
  };
  return { client: { ...client, [id]: counted }, calls: () => calls };
}

const has = ({ current }: LiveValueStore, ...names: readonly Name[]) =>
  names.every((name) => current[name] !== undefined);
const except = (...left: Name[]) => NAMES.filter((name) => !left.includes(name));

describe('LiveValueStore', () => {
  afterEach(cleanUp);

  it('reads every list of a platform', async () => {
    const { platform } = await platformForTest();
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const registry = await client.createRegistry({ body: { name: 'ghcr', username: 'u', password: 'p' } });
    await client.createTemplate({ body: { name: 'pod', image: 'example/pod:1' } });
    const own = await client.createTemplate({ body: { name: 'own', image: 'example/own:1', serverless: true } });
    const dataCenter = 'EU-RO-1';
    const volume = await client.createNetworkVolume({ body: { name: 'data', size: 10, dataCenter } });
    const shared = await client.createGlobalVolume({ body: { name: 'shared' } });
    const { store, until } = storeOf(client);
    assert.deepEqual(store.current, {});
    store.request();
    await until(() => has(store, ...NAMES));
    const { gpus, cpus, dataCenters, registries, templates, networkVolumes, globalVolumes } = store.current;
    assert.ok(gpus?.some(({ pool, availability }) => pool === 'ADA_24' && availability === 'HIGH'));
    assert.ok(cpus?.some(({ id, availability }) => id === 'cpu3c' && availability === 'HIGH'));
    assert.ok(dataCenters?.some(({ id }) => id === dataCenter));
    assert.deepEqual(registries, [registry]);
    assert.deepEqual(
      templates?.map(({ id }) => id),
      [own.id],
    );
    assert.deepEqual(networkVolumes, [volume]);
    assert.deepEqual(globalVolumes, [shared]);
    store.dispose();
  });

  it('sends no request before it is asked, and none while signed out', async () => {
    await using server = await startScriptedServer(answering);
    const { store, use, until } = storeOf(undefined);
    store.request();
    use(server.client);
    use(undefined);
    store.request();
    assert.equal(server.received.length, 0);
    use(server.client);
    store.request();
    await until(() => has(store, ...NAMES));
    assert.equal(server.received.length, NAMES.length);
  });

  it('reads only the lists that are asked for', async () => {
    await using server = await startScriptedServer(answering);
    const { store, until } = storeOf(server.client);
    store.request(['gpus', 'cpus']);
    await until(() => has(store, 'gpus', 'cpus'));
    store.request(['gpus']);
    assert.equal(server.received.length, 2);
    store.request();
    await until(() => has(store, ...NAMES));
    assert.equal(server.received.length, NAMES.length);
  });

  it('keeps the lists for five minutes, and shows them while they are read again', async () => {
    let count = 0;
    await using server = await startScriptedServer(({ path }, response) => {
      const name = nameOf(path);
      json(response, 200, { [name]: name === 'registries' ? [{ id: 'r1', name: `read ${++count}` }] : [] });
    });
    const { store, clock, until } = storeOf(server.client);
    store.request();
    store.request();
    await until(() => has(store, ...NAMES));
    const before = store.current;
    clock.advance(299_000);
    store.request();
    assert.equal(server.received.length, NAMES.length);
    clock.advance(1_000);
    store.request();
    assert.equal(store.current, before);
    await until(() => store.current !== before);
    assert.equal(store.current.registries?.[0]?.name, 'read 2');
    assert.equal(store.current.templates, before.templates);
  });

  it('reads a list once at a time', async () => {
    await using server = await startScriptedServer(answering);
    const { client, calls } = counting(server.client, 'listDataCenters');
    const { store, until } = storeOf(client);
    store.request();
    store.request();
    assert.equal(calls(), 1);
    await until(() => has(store, ...NAMES));
  });

  it('never shows the values of another connection', async () => {
    await using server = await startScriptedServer(answering);
    await using other = await startScriptedServer(answering);
    const { store, use, setSilently, until } = storeOf(server.client);
    store.request();
    await until(() => has(store, ...NAMES));
    let changes = 0;
    store.onDidChange(() => changes++);
    setSilently(other.client);
    assert.deepEqual(store.current, {});
    use(other.client);
    assert.deepEqual([store.current, changes], [{}, 1]);
  });

  it('discards a response that arrives after the connection changed', async () => {
    const held: (() => void)[] = [];
    await using server = await startScriptedServer((request, response) => {
      held.push(() => void answering(request, response));
      if (held.length === NAMES.length) allHeld.resolve();
    });
    await using other = await startScriptedServer((_, response) => json(response, 200, {}));
    const allHeld = Promise.withResolvers<void>();
    const { store, use, lines, until } = storeOf(server.client);
    store.request();
    await allHeld.promise;
    use(other.client);
    for (const answer of held) answer();
    store.request();
    await until(() => lines.length === NAMES.length);
    assert.deepEqual(store.current, {});
  });

  for (const [title, status, headers, delay] of [
    ['403', 403, {}, 300_000],
    ['404', 404, {}, 300_000],
    ['500', 500, {}, 5_000],
    ['429 with Retry-After', 429, { 'Retry-After': '60' }, 60_000],
  ] as const)
    it(`shows the other lists after a ${title}, and waits before it reads the failed list again`, async () => {
      let refusing = true;
      await using server = await startScriptedServer((request, response) => {
        if (refusing && request.path === PATHS.templates) {
          response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{"message":"no"}');
        } else void answering(request, response);
      });
      const { client, calls } = counting(server.client, 'listTemplates');
      const { store, clock, lines, until } = storeOf(client);
      store.request();
      await until(() => has(store, ...except('templates')) && lines.length > 0);
      assert.match(lines.join('\n'), /^Could not read the templates for manifests: .*$/);
      refusing = false;
      clock.advance(delay - 1);
      store.request();
      assert.equal(calls(), 1);
      clock.advance(1);
      store.request();
      await until(() => has(store, 'templates'));
      assert.deepEqual(store.current.templates, [template('t1', true)]);
    });

  it('doubles the delay with each failure', async () => {
    await using server = await startScriptedServer((request, response) =>
      request.path === PATHS.registries ? json(response, 500, {}) : answering(request, response),
    );
    const { client, calls } = counting(server.client, 'listRegistries');
    const { store, clock, lines, until } = storeOf(client);
    for (const [round, delay] of [5_000, 10_000, 20_000, 40_000].entries()) {
      store.request();
      await until(() => lines.length === round + 1);
      clock.advance(delay - 1);
      store.request();
      assert.equal(calls(), round + 1);
      clock.advance(1);
    }
  });

  it('shows the other lists while one is never answered, and reads it again after its time limit', async () => {
    let answersAll = false;
    const asked = Promise.withResolvers<void>();
    await using server = await startScriptedServer((request, response) => {
      if (answersAll || !request.path.startsWith(PATHS.gpus)) return answering(request, response);
      asked.resolve();
    });
    const clock = steppedClock();
    const client = createClient({ connection: server.connection, fetch: globalThis.fetch, clock: clock.clock });
    const { store, lines, until } = storeOf(client, clock);
    store.request();
    await asked.promise;
    await until(() => has(store, ...except('gpus')));
    clock.advance(30_000);
    await until(() => lines.length === 1);
    answersAll = true;
    clock.advance(5_000);
    store.request();
    await until(() => has(store, 'gpus'));
  });

  it('aborts its requests when it is disposed', async () => {
    const asked = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    let open = 0;
    await using server = await startScriptedServer((_, response) => {
      if (++open === NAMES.length) asked.resolve();
      response.on('close', () => {
        if (--open === 0) closed.resolve();
      });
    });
    const { store, lines } = storeOf(server.client);
    store.request();
    await asked.promise;
    store.dispose();
    await closed.promise;
    store.request();
    assert.deepEqual([server.received.length, lines], [NAMES.length, []]);
  });

  it('survives a platform that cannot be reached', async () => {
    const server = await startScriptedServer(answering);
    await server[Symbol.asyncDispose]();
    const { store, lines, until } = storeOf(server.client);
    store.request();
    await until(() => lines.length === NAMES.length);
    assert.deepEqual(store.current, {});
  });

  it('keeps a limited number of entries', async () => {
    const many = Array.from({ length: 6_000 }, (_, index) => ({ id: `r${index}`, name: 'x' }));
    await using server = await startScriptedServer((request, response) =>
      request.path === PATHS.registries ? json(response, 200, { registries: many }) : answering(request, response),
    );
    const { store, until } = storeOf(server.client);
    store.request();
    await until(() => has(store, 'registries'));
    assert.equal(store.current.registries?.length, 5_000);
  });

  it('reads a list again on request after a change, before it is outdated', async () => {
    await using server = await startScriptedServer(answering);
    const { client, calls } = counting(server.client, 'listRegistries');
    const { store, until } = storeOf(client);
    store.refresh('registries');
    assert.equal(calls(), 0);
    store.request(['registries']);
    await until(() => store.current.registries?.length === 1);
    entries['registries'] = [...(entries['registries'] ?? []), { id: 'r2', name: 'lab' }];
    store.request(['registries']);
    assert.equal(calls(), 1);
    store.refresh('registries');
    await until(() => store.current.registries?.length === 2);
    entries['registries'].pop();
    store.dispose();
  });

  it('keeps the list after a change although an earlier read ends later', async () => {
    const held: ((registries: object[]) => void)[] = [];
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using server = await startScriptedServer((_, response) => {
      asked[held.length]?.resolve();
      held.push((registries) => json(response, 200, { registries }));
    });
    const reads: Promise<unknown>[] = [];
    const listRegistries: Client['listRegistries'] = (...parameters) => {
      const read = server.client.listRegistries(...parameters);
      reads.push(read);
      return read;
    };
    const { store, until } = storeOf({ ...server.client, listRegistries });
    store.request(['registries']);
    await asked[0]?.promise;
    store.refresh('registries');
    await asked[1]?.promise;
    held[1]?.([{ id: 'r1', name: 'ghcr' }]);
    await until(() => store.current.registries?.length === 1);
    held[0]?.([]);
    await Promise.allSettled(reads);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([reads.length, store.current.registries?.length], [2, 1]);
    store.dispose();
  });
});
