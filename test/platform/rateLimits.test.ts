// Clauses of the interface: Limits, ten seconds; Errors, 429; Limits, rate-limit headers.
import assert from 'node:assert/strict';
import { parseList } from 'structured-headers';
import type { IncomingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import { createControlClient } from '../../src/client/controlClient.ts';
import { RateLimits } from '../../src/client/rateLimits.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { Problem } from '../../src/contract/problem.ts';
import { INVOCATION_QUOTAS } from '../../src/contract/rateLimit.ts';
import { WindowCounter } from '../../src/platform/accounts/rateLimits.ts';
import { balanced, Routes } from './balancerSupport.ts';
import { afterwards, type Api, cleanUp, platformForTest, settableClock } from './support.ts';

// As in the documented example, the minute ends in 12 s, the hour in 1812 s, and the day in 45012 s.
const start = Date.parse('2026-03-01T11:29:48Z');
const quotas = { minute: 3, hour: 5, day: 8 };

const limited = ['RateLimit', 'RateLimit-Policy', 'Retry-After'] as const;
const limitHeaders = ({ headers }: Response): (string | null)[] => limited.map((name) => headers.get(name));

describe('Rate limits', () => {
  const clock = settableClock(start);
  let api: Api;

  beforeEach(async () => {
    clock.set(start);
    ({ api } = await platformForTest({ clock, rateLimits: { quotas, limitOwner: true } }));
  });

  afterEach(cleanUp);

  const list = (init: RequestInit = {}) => api.fetch(operations.listEndpoints, {}, init);

  it('are reported on every response, with the remaining requests and the quota of each window', async () => {
    assert.deepEqual(limitHeaders(await list()), [
      '"minute";r=2;t=12, "hour";r=4;t=1812, "day";r=7;t=45012',
      '"minute";q=3;w=60, "hour";q=5;w=3600, "day";q=8;w=86400',
      null,
    ]);
  });

  it('refuse excess requests with 429, the exhausted window, and Retry-After', async () => {
    for (let request = 0; request < 3; request++) assert.equal((await list()).status, 200);
    const refused = await list();
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('Content-Type'), 'application/problem+json');
    assert.deepEqual(Problem.parse(await refused.json()), {
      ...{ title: 'Too Many Requests', status: 429, detail: 'rate limit exceeded for the minute window' },
    });
    assert.deepEqual(limitHeaders(refused), [
      '"minute";r=0;t=12, "hour";r=2;t=1812, "day";r=5;t=45012',
      '"minute";q=3;w=60, "hour";q=5;w=3600, "day";q=8;w=86400',
      '12',
    ]);
  });

  it("follow the platform's clock when it is stopped, advanced, or set back", async () => {
    const statusAt = async (moment: number) => {
      clock.set(moment);
      const response = await list();
      return [response.status, response.headers.get('Retry-After')];
    };
    for (let request = 0; request < 3; request++) assert.deepEqual(await statusAt(start), [200, null]);
    assert.deepEqual(await statusAt(start + 11_001), [429, '1'], 'the delay is rounded up to at least one second');
    assert.deepEqual(await statusAt(start + 12_000), [200, null], 'a new minute begins');
    assert.deepEqual(await statusAt(start + 12_000), [200, null]);
    // The hour is also used up. The delay lasts until the later of both windows ends.
    assert.deepEqual(await statusAt(start + 13_000), [429, '1799']);
    const hour = start + 1_812_000;
    for (let request = 0; request < 3; request++) assert.deepEqual(await statusAt(hour), [200, null]);
    assert.deepEqual(await statusAt(hour + 1000), [429, '43199'], 'the day is used up');
    assert.deepEqual(await statusAt(start - 86_400_000), [200, null], 'the previous day, after the clock is set back');
  });

  it('grant exactly the quota to concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => list()));
    const granted = responses.filter(({ status }) => status === 200);
    assert.equal(granted.length, 3);
    const remaining = granted.map(({ headers }) => /"minute";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]).sort();
    assert.deepEqual(remaining, ['0', '1', '2'], 'the remaining counts differ');
  });

  it('are parsed by the client of the extension', async () => {
    const reading = new RateLimits();
    const response = await list();
    reading.read(response.headers, start);
    assert.deepEqual(
      [...reading.windows.values()],
      [
        { name: 'minute', remaining: 2, quota: 3, windowSeconds: 60, resetsAt: start + 12_000 },
        { name: 'hour', remaining: 4, quota: 5, windowSeconds: 3600, resetsAt: start + 1_812_000 },
        { name: 'day', remaining: 7, quota: 8, windowSeconds: 86_400, resetsAt: start + 45_012_000 },
      ],
    );
    for (const name of ['RateLimit', 'RateLimit-Policy'])
      assert.equal(parseList(response.headers.get(name) ?? '').length, 3);
  });

  it('are reported on 403, 404, and 405, but not on 401, which has no account', async () => {
    const { origin } = new URL(api.addresses.baseUrl);
    const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
    for (const [status, path, method] of [
      [404, '/v2/serverless/none', 'GET'],
      [405, '/v2/billing', 'POST'],
      [404, '/v2/nowhere', 'GET'],
    ] as const) {
      const response = await fetch(origin + path, { method, headers });
      assert.equal(response.status, status);
      assert.ok(response.headers.has('RateLimit') && response.headers.has('RateLimit-Policy'), path);
    }
    const unknown = await list({ headers: { Authorization: 'Bearer wrong' } });
    assert.equal(unknown.status, 401);
    assert.deepEqual(limitHeaders(unknown), [null, null, null]);
  });

  it("do not apply to the platform's key by default, nor to exempt accounts", async () => {
    const { api: exempt } = await platformForTest({ clock, rateLimits: { quotas, invocationQuotas: quotas } });
    const control = createControlClient({ connection: exempt.addresses, fetch });
    const { id } = await control.createUser({ body: { name: 'Ada', quotas: 'unlimited' } });
    const { key } = await control.createApiKey({ body: { name: 'laptop', accountId: id } });
    const keys = [exempt.addresses.apiKey, key];
    for (let request = 0; request < 10; request++) {
      for (const row of [operations.listEndpoints, operations.getEndpointHealth]) {
        for (const Authorization of keys.map((each) => `Bearer ${each}`)) {
          const response = await exempt.fetch(row, { parameters: { endpointId: 'none' }, headers: { Authorization } });
          assert.notEqual(response.status, 429);
          assert.deepEqual(limitHeaders(response), [null, null, null]);
        }
      }
    }
  });

  describe('for invocations', () => {
    const invocations = { minute: 4, hour: 6, day: 9 };
    const policy = '"minute";q=4;w=60, "hour";q=6;w=3600, "day";q=9;w=86400';
    let routes: Routes;
    let paused: Endpoint;

    beforeEach(async () => {
      const many = { minute: 10_000, hour: 10_000, day: 10_000 };
      const rateLimits = { quotas: many, invocationQuotas: invocations, limitOwner: true };
      ({ api } = await platformForTest({ clock, rateLimits }));
      routes = new Routes(api, await api.createEndpoint(balanced()));
      await api.worker(routes.endpoint, 'IDLE');
      paused = await api.createEndpoint({ name: 'paused', workers: { min: 0, max: 0 } });
    });

    const run = () => api.fetch(operations.runJob, { parameters: { endpointId: paused.id }, body: { input: {} } });
    const edit = () => api.fetch(operations.editImage, { body: {} });
    const health = () => api.fetch(operations.getEndpointHealth, { parameters: { endpointId: 'none' } });
    const left = (minute: number): string =>
      `"minute";r=${minute};t=12, "hour";r=${minute + 2};t=1812, "day";r=${minute + 5};t=45012`;

    it('are reported on all responses of queues, routes, and the image endpoint, which share them', async () => {
      const answers = [await run(), await routes.fetch('/echo'), await edit(), await health()];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 400, 404],
      );
      assert.deepEqual(
        answers.map(limitHeaders),
        [3, 2, 1, 0].map((minute) => [left(minute), policy, null]),
      );
    });

    it('answer 429 in the format of the endpoint, and do not limit the management API', async () => {
      for (let call = 0; call < 4; call++) assert.equal((await run()).status, 200);
      const detail = 'rate limit exceeded for the minute window';
      const { id, ...edited } = (await refused(await edit())) as Record<string, unknown>;
      assert.equal(typeof id, 'string');
      assert.deepEqual(
        [await refused(await run()), edited, await refused(await routes.fetch('/echo'))],
        [
          { status: 'FAILED', error: detail },
          { status: 'FAILED', error: detail },
          { error: 'too many requests', detail },
        ],
      );
      assert.equal((await list()).status, 200);
      clock.set(start + 12_000);
      assert.equal((await run()).status, 200);
    });

    const refused = async (response: Response): Promise<unknown> => {
      assert.equal(response.status, 429);
      assert.deepEqual(limitHeaders(response), [left(0), policy, '12']);
      return response.json();
    };

    it('name the hour or the day when that window is exhausted', async () => {
      const use = async (moment: number, calls: number): Promise<string> => {
        clock.set(moment);
        for (let call = 0; call < calls; call++) assert.equal((await run()).status, 200);
        return ((await (await run()).json()) as { error: string }).error;
      };
      assert.match(await use(start, 4), /minute/);
      assert.match(await use(start + 12_000, 2), /hour/);
      assert.match(await use(start + 1_812_000, 3), /day/);
    });

    it("replace a worker's own rate-limit headers", async () => {
      const response = await routes.fetch('/limits');
      assert.deepEqual(limitHeaders(response), [left(3), policy, '7']);
      const { api: exempt } = await platformForTest();
      const free = new Routes(exempt, await exempt.createEndpoint(balanced()));
      assert.deepEqual(limitHeaders(await free.fetch('/limits')), ['"mine";r=1;t=2', '"mine";q=3;w=4', '7']);
    });

    it('are reported on the response to an upgrade, accepted or refused', async () => {
      const upgrade = async (): Promise<IncomingHttpHeaders> => {
        const socket = new WebSocket(`${routes.base.replace('http', 'ws')}/socket`, { headers: routes.authorization });
        socket.on('error', () => undefined);
        const answered = Promise.withResolvers<IncomingHttpHeaders>();
        socket.once('upgrade', ({ headers }) => answered.resolve(headers));
        socket.once('unexpected-response', (_, { headers }) => answered.resolve(headers));
        const headers = await answered.promise;
        socket.terminate();
        return headers;
      };
      for (const minute of [3, 2, 1, 0]) {
        const headers = await upgrade();
        assert.deepEqual([headers['ratelimit'], headers['ratelimit-policy']], [left(minute), policy]);
      }
      const last = await upgrade();
      assert.deepEqual([last['ratelimit'], last['retry-after']], [left(0), '12']);
    });

    it('can be set per account', async () => {
      const { api: other } = await platformForTest({ clock });
      const control = createControlClient({ connection: other.addresses, fetch });
      const { id } = await control.createUser({ body: { name: 'Ada', invocationQuotas: invocations } });
      const { key } = await control.createApiKey({ body: { name: 'laptop', accountId: id } });
      const headers = { Authorization: `Bearer ${key}` };
      const ask = (row: typeof operations.listEndpoints | typeof operations.getEndpointHealth) =>
        other.fetch(row, { parameters: { endpointId: 'none' }, headers });
      assert.deepEqual(limitHeaders(await ask(operations.getEndpointHealth)), [left(3), policy, null]);
      const management = await ask(operations.listEndpoints);
      assert.match(management.headers.get('RateLimit-Policy') ?? '', /^"minute";q=60;w=60, /);
      const { accounts } = await control.listAccounts({});
      assert.deepEqual(accounts.find((account) => account.id === id)?.invocationQuotas, invocations);
    });

    it('are larger than the limits of one queue', () => {
      const perTenSeconds = Object.values<Operation>(operations).reduce(
        (sum, { limit }) => sum + (limit?.requests ?? 0),
        0,
      );
      assert.ok(perTenSeconds * 6 <= INVOCATION_QUOTAS.minute);
    });
  });

  it('of the queue apply per operation and endpoint, with its own errors', async () => {
    const { id: endpointId } = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const other = await api.createEndpoint({ name: 'other', workers: { min: 0, max: 0 } });
    const purge = (of: string) => api.fetch(operations.purgeQueue, { parameters: { endpointId: of } });
    for (let call = 0; call < 2; call++) assert.equal((await purge(endpointId)).status, 200);
    const refused = await purge(endpointId);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('Retry-After'), '2', 'the ten-second window ends with the minute');
    assert.match(refused.headers.get('RateLimit') ?? '', /^"minute";r=59997;/);
    assert.deepEqual(await refused.json(), {
      status: 'FAILED',
      error: 'rate limit exceeded: more than 2 of these requests in 10 s',
    });
    assert.equal((await purge(other.id)).status, 200);
    clock.set(start + 2_000);
    assert.equal((await purge(endpointId)).status, 200);
  });

  it('of the queue limit concurrent requests', async () => {
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const parameters = { endpointId: endpoint.id };
    const leave = new AbortController();
    afterwards(() => {
      leave.abort();
      return Promise.resolve();
    });
    const wait = () =>
      api.fetch(
        operations.runJobSync,
        { parameters, body: { input: { a: 1 } }, query: { wait: 300_000 } },
        { signal: leave.signal },
      );
    const waiting = Array.from({ length: 401 }, wait);
    for (const one of waiting) one.catch(() => undefined);
    const first = await Promise.race(waiting);
    assert.equal(first.status, 429);
    assert.deepEqual(await first.json(), {
      status: 'FAILED',
      error: 'rate limit exceeded: more than 400 of these requests at once',
    });
  });

  it('free the memory of users whose windows have ended', () => {
    const counter = new WindowCounter();
    const windows = [{ name: 'minute', seconds: 60, quota: 1 }];
    for (let user = 0; user < 25_000; user++) counter.take(`user ${user}`, windows, start + user * 60_000);
    assert.ok(counter.size <= 10_000);
    assert.ok(counter.take('user 24999', windows, start + 24_999 * 60_000).exceeded, 'current windows are kept');
  });
});
