import assert from 'node:assert/strict';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { EndpointList, routeEndpoints } from '../../../../src/features/requests/language/endpointList.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';

const connection = {
  baseUrl: 'https://rest.example.com',
  restUrl: 'https://rest.example.com',
  queueUrl: 'https://api.example.com/v2',
  endpointHost: 'https://{endpoint_id}.api.example.com',
  apiKey: 'key',
};
const endpoint = (id: string, type: string, requestUrls?: object) =>
  ({ id, name: `n-${id}`, type, requestUrls }) as unknown as Endpoint;

describe('routeEndpoints', () => {
  const bases = (...endpoints: Endpoint[]) => routeEndpoints(connection, endpoints).map(({ base }) => base);

  it('returns the documented addresses', () =>
    assert.deepEqual(bases(endpoint('a', 'LOAD_BALANCER'), endpoint('b', 'QUEUE')), [
      'https://a.api.example.com',
      'https://api.example.com/v2/b',
    ]));

  it('returns the reported addresses', () =>
    assert.deepEqual(
      bases(
        endpoint('a', 'LOAD_BALANCER', { base: 'https://a.api.example.com/prefix/' }),
        endpoint('b', 'QUEUE', { run: 'https://api.example.com/v3/b/run' }),
      ),
      ['https://a.api.example.com/prefix', 'https://api.example.com/v3/b'],
    ));

  it('never returns an address of another host', () =>
    assert.deepEqual(
      bases(
        endpoint('a', 'LOAD_BALANCER', { base: 'https://evil.org' }),
        endpoint('b', 'QUEUE', { run: 'https://evil.org/run' }),
      ),
      ['https://a.api.example.com', 'https://api.example.com/v2/b'],
    ));
});

describe('EndpointList', () => {
  function list() {
    const changes = { connections: new Emitter<void>(), endpoints: new Emitter<unknown>() };
    const state = {
      now: 1_000_000,
      refreshes: 0,
      isNeeded: false,
      kind: 'loading',
      endpoints: [] as { endpoint: Endpoint; deleting: boolean }[],
      profile: { ...connection, id: 'c1' },
    };
    const sources = {
      clock: { now: () => state.now },
      connections: {
        get profile() {
          return state.profile;
        },
        client: {},
        onDidChange: changes.connections.event,
      },
      endpoints: {
        get state() {
          return { kind: state.kind };
        },
        get endpoints() {
          return state.endpoints;
        },
        refresh: () => {
          state.refreshes++;
          return Promise.resolve();
        },
        onDidChange: changes.endpoints.event,
      },
    } as unknown as ConstructorParameters<typeof EndpointList>[0];
    const found = new EndpointList(sources, () => state.isNeeded);
    let fired = 0;
    found.onDidChange(() => fired++);
    return { found, state, changes, fired: () => fired };
  }

  it('is unknown until the endpoints have been read', () => {
    const { found, state, changes, fired } = list();
    assert.equal(found.current, undefined);
    state.kind = 'ready';
    changes.endpoints.fire(undefined);
    assert.deepEqual(found.current, []);
    assert.equal(fired(), 1);
  });

  it('stays the same object while only workers change', () => {
    const { found, state, changes, fired } = list();
    state.kind = 'ready';
    state.endpoints = [{ endpoint: endpoint('a', 'QUEUE'), deleting: false }];
    changes.endpoints.fire(undefined);
    const before = found.current;
    state.endpoints = [{ endpoint: endpoint('a', 'QUEUE'), deleting: false }];
    changes.endpoints.fire(undefined);
    assert.equal(found.current, before);
    assert.equal(fired(), 1);
    state.endpoints = [{ endpoint: endpoint('a', 'QUEUE'), deleting: true }];
    changes.endpoints.fire(undefined);
    assert.deepEqual(found.current, []);
  });

  it('is requested for a new connection only while it is needed', () => {
    const { state, changes } = list();
    changes.connections.fire();
    assert.equal(state.refreshes, 0);
    state.isNeeded = true;
    changes.connections.fire();
    assert.equal(state.refreshes, 1);
  });

  it('is requested once a minute for each connection', () => {
    const { found, state } = list();
    found.request();
    found.request();
    assert.equal(state.refreshes, 1);
    state.now += 60_000;
    found.request();
    assert.equal(state.refreshes, 2);
    state.profile = { ...connection, id: 'c2' };
    found.request();
    assert.equal(state.refreshes, 3);
  });
});
