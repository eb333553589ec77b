import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { WorkerList } from '../../../src/contract/worker.ts';
import type { EndpointsChange } from '../../../src/account/endpoints/endpointCache.ts';
import { EndpointStore } from '../../../src/account/endpoints/endpointStore.ts';
import { Emitter } from '../../../src/kit/emitter.ts';
import { json, startScriptedServer, type Script } from '../../client/scriptedServer.ts';
import { eventually } from '../../platform/support.ts';
import { steppedClock } from '../../features/steppedClock.ts';
import { health, named, releases, workers } from '../../features/endpoints/sample.ts';

type Answer = (response: ServerResponse, id: string) => void;

/** Creates a service with these endpoints, and a store that is connected to it. */
async function watched(...ids: string[]) {
  const service = {
    endpoints: ids.map<Endpoint>((id) => named(id)),
    workers: new Map<string, WorkerList>(),
    list: undefined as Answer | undefined,
    workersOf: undefined as Answer | undefined,
    remove: undefined as Answer | undefined,
  };
  const script: Script = ({ method, path, body }, response) => {
    const { pathname } = new URL(path, 'http://service');
    const [, , , id = '', part] = pathname.split('/');
    if (pathname === '/v2/serverless') {
      if (service.list) service.list(response, '');
      else json(response, 200, { endpoints: service.endpoints });
    } else if (pathname.endsWith('/health')) json(response, 200, health({}));
    else if (part === 'workers') {
      if (service.workersOf) service.workersOf(response, id);
      else json(response, 200, service.workers.get(id) ?? workers());
    } else if (part === 'releases') json(response, 200, releases);
    else if (method === 'PATCH') json(response, 200, { ...named(id), ...(JSON.parse(body) as object) });
    else if (service.remove) service.remove(response, id);
    else {
      service.endpoints = service.endpoints.filter((endpoint) => endpoint.id !== id);
      response.writeHead(204).end();
    }
  };
  const server = await startScriptedServer(script);
  const connection = new Emitter<undefined>();
  const connected = { client: server.client as typeof server.client | undefined, onDidChange: connection.event };
  const time = steppedClock();
  const store = new EndpointStore(connected, time.clock);
  store.setFocused(true);
  const changes: EndpointsChange[] = [];
  store.onDidChange((change) => changes.push(change));
  return {
    store,
    service,
    server,
    time,
    changes,
    reads: (part: string) => server.received.filter(({ path }) => path.includes(part)).length,
    connect(client: typeof server.client | undefined) {
      connected.client = client;
      connection.fire(undefined);
    },
    /** Resolves once a round has ended and the store waits for the next one. */
    settled: () => eventually('the round is over', () => time.sleeping > 0),
    [Symbol.asyncDispose]: async () => {
      store.dispose();
      await server[Symbol.asyncDispose]();
    },
  };
}

const problem = (response: ServerResponse, status: number, headers = {}) =>
  response
    .writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
    .end(JSON.stringify({ title: 'No', status, detail: 'not now' }));

describe('Endpoint store', () => {
  it('sends no requests while the view is hidden', async () => {
    await using one = await watched('a');
    one.time.advance(60_000);
    assert.equal(one.server.received.length, 0);
  });

  it('reads immediately once the view is visible, and stops once it is hidden', async () => {
    await using one = await watched('a');
    one.store.setVisible(true);
    await one.settled();
    assert.equal(one.store.state.kind, 'ready');
    assert.deepEqual(
      one.store.endpoints.map(({ endpoint, workers: list }) => [endpoint.id, list?.summary.total]),
      [['a', 0]],
    );
    one.store.setVisible(false);
    const before = one.server.received.length;
    one.time.advance(60_000);
    assert.equal(one.time.sleeping, 0);
    assert.equal(one.server.received.length, before);
  });

  it('reads the changing workers of expanded endpoints every second, without reading the list more often', async () => {
    await using one = await watched('a', 'b');
    one.service.workers.set('a', workers('RUNNING'));
    one.store.setExpanded('a', true);
    one.store.setVisible(true);
    await one.settled();
    const [ofA, ofB] = [one.reads('/a/workers'), one.reads('/b/workers')];
    for (let second = 0; second < 3; second++) {
      one.time.advance(1_000);
      await eventually('workers are read', () => one.reads('/a/workers') === ofA + second + 1);
      await one.settled();
    }
    assert.equal(one.reads('/b/workers'), ofB);
    assert.equal(one.server.received.filter(({ path }) => path === '/v2/serverless').length, 1);
  });

  it('reads only the releases that are shown', async () => {
    await using one = await watched('a', 'b');
    one.store.setReleasesShown('a', true);
    await one.store.refresh();
    assert.equal(one.reads('/releases'), 1);
    assert.equal(one.store.find('a')?.releases?.releases.length, 2);
  });

  it('reports only changes', async () => {
    await using one = await watched('a', 'b');
    await one.store.refresh();
    one.changes.length = 0;
    await one.store.refresh();
    assert.deepEqual(one.changes, []);
    one.service.workers.set('b', workers('IDLE'));
    one.store.setExpanded('b', true);
    await one.store.refresh();
    assert.deepEqual(one.changes, [{ list: false, ids: new Set(['b']) }]);
  });

  it('keeps its endpoints during a failure, backs off, and recovers', async () => {
    await using one = await watched('a');
    one.store.setVisible(true);
    await one.settled();
    one.service.list = (response) => problem(response, 403);
    one.time.advance(10_000);
    await eventually('the store has failed', () => one.store.state.kind === 'failed');
    await one.settled();
    assert.equal(one.store.endpoints.length, 1);
    const lists = () => one.server.received.filter(({ path }) => path === '/v2/serverless').length;
    const before = lists();
    one.time.advance(9_000);
    assert.equal(lists(), before);
    one.service.list = undefined;
    one.time.advance(1_000);
    await eventually('the store is ready again', () => one.store.state.kind === 'ready');
  });

  it('reports a rate limit immediately, and sends the next request once it is allowed', async () => {
    await using one = await watched('a');
    one.service.list = (response) => problem(response, 429, { 'Retry-After': '30' });
    one.store.setVisible(true);
    await eventually(
      'the rate limit is reported',
      () => one.store.state.kind === 'failed' && one.store.state.error.kind === 'rateLimited',
    );
    await one.settled();
    one.service.list = undefined;
    one.time.advance(29_000);
    assert.equal(one.server.received.length, 1);
    one.time.advance(1_000);
    await eventually('the store is ready', () => one.store.state.kind === 'ready');
  });

  it('shows all endpoints if the workers of one cannot be read', async () => {
    await using one = await watched('a', 'b');
    one.service.workersOf = (response, id) =>
      id === 'a' ? problem(response, 403) : json(response, 200, workers('IDLE'));
    await one.store.refresh();
    assert.deepEqual(
      one.store.endpoints.map(({ workers: list, problem: why }) => [list?.summary.idle, why]),
      [
        [undefined, 'not now'],
        [1, undefined],
      ],
    );
    assert.equal(one.store.state.kind, 'ready');
  });

  it('marks an endpoint during its deletion, and ignores a slow list that still contains it', async () => {
    await using one = await watched('a', 'b');
    await one.store.refresh();
    let answerList: (() => void) | undefined;
    one.service.list = (response) => {
      answerList = () => json(response, 200, { endpoints: [named('a'), named('b')] });
    };
    const slow = one.store.refresh();
    await eventually('the list is requested', () => answerList !== undefined);
    const deletion = one.store.delete(one.server.client, 'a');
    assert.equal(one.store.find('a')?.deleting, true);
    await deletion;
    assert.equal(one.store.find('a'), undefined);
    answerList?.();
    await slow;
    assert.deepEqual(
      one.store.endpoints.map(({ endpoint }) => endpoint.id),
      ['b'],
    );
  });

  it('removes the mark if a deletion fails', async () => {
    await using one = await watched('a');
    await one.store.refresh();
    one.service.remove = (response) => problem(response, 403);
    await assert.rejects(one.store.delete(one.server.client, 'a'), /not now/);
    assert.equal(one.store.find('a')?.deleting, false);
  });

  it('marks an endpoint during an update, then shows the result', async () => {
    await using one = await watched('a');
    await one.store.refresh();
    const update = one.store.update(one.server.client, 'a', { workers: { min: 1, max: 5 } });
    assert.equal(one.store.find('a')?.updating, true);
    await update;
    assert.deepEqual([one.store.find('a')?.updating, one.store.find('a')?.endpoint.workers.max], [false, 5]);
  });

  it('removes the endpoints of the previous connection', async () => {
    await using one = await watched('a');
    await one.store.refresh();
    one.connect(undefined);
    assert.equal(one.store.state.kind, 'idle');
    assert.deepEqual(one.store.endpoints, []);
    one.connect(one.server.client);
    assert.equal(one.store.state.kind, 'loading');
  });

  it('reads every second after a new connection, because a platform that has just started brings up its workers', async () => {
    await using one = await watched('a');
    one.store.setVisible(true);
    one.connect(undefined);
    one.store.setExpanded('a', true);
    one.connect(one.server.client);
    await one.settled();
    const before = one.reads('/a/workers');
    one.service.workers.set('a', workers('IDLE'));
    one.time.advance(1_000);
    await eventually('the workers are read again', () => one.reads('/a/workers') > before);
  });

  it('keeps the endpoints if only the name of the connection changes', async () => {
    await using one = await watched('a');
    await one.store.refresh();
    one.connect(one.server.client);
    assert.equal(one.store.endpoints.length, 1);
  });
});
