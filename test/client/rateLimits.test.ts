import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createClient } from '../../src/client/client.ts';
import { RateLimits } from '../../src/client/rateLimits.ts';
import type { Wait } from '../../src/client/context.ts';
import { jumpingClock } from './fakeClock.ts';
import { json, startScriptedServer, type Script } from './scriptedServer.ts';

const NOW = 1_000_000;

function limitsFrom(state?: string, policy?: string) {
  const limits = new RateLimits();
  const headers = new Headers();
  if (state !== undefined) headers.set('RateLimit', state);
  if (policy !== undefined) headers.set('RateLimit-Policy', policy);
  limits.read(headers, NOW);
  return limits;
}

describe('rate limits', () => {
  it('keep a limited number of windows', () => {
    const limits = new RateLimits();
    for (let index = 0; index < 100; index++)
      limits.read(new Headers({ RateLimit: `"a${index}";r=1, "b${index}";r=1` }), NOW);
    assert.equal(limits.windows.size, 20);
  });

  it('contain the remaining requests, the quota, and the reset of each window', () => {
    const limits = limitsFrom(
      '"minute";r=0;t=12, "hour";r=2800;t=1812, "day";r=49500;t=45012',
      '"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400',
    );
    assert.deepEqual(
      [...limits.windows.values()],
      [
        { name: 'minute', quota: 60, windowSeconds: 60, remaining: 0, resetsAt: NOW + 12_000 },
        { name: 'hour', quota: 3000, windowSeconds: 3600, remaining: 2800, resetsAt: NOW + 1_812_000 },
        { name: 'day', quota: 50_000, windowSeconds: 86_400, remaining: 49_500, resetsAt: NOW + 45_012_000 },
      ],
    );
    assert.equal(limits.waitMs(NOW), 12_000);
    assert.equal(limits.waitMs(NOW + 5_000), 7_000);
    assert.equal(limits.waitMs(NOW + 12_000), 0);
  });

  it('accept parameters in any order, omit missing ones, and ignore unknown ones', () => {
    const limits = limitsFrom('"a, b";x="r=1, t=2";t=5;r=3, hour;r=7, ("inner" "list");r=1, "odd";r=-1;t=?1');
    assert.deepEqual(
      [...limits.windows.values()],
      [{ name: 'a, b', remaining: 3, resetsAt: NOW + 5_000 }, { name: 'hour', remaining: 7 }, { name: 'odd' }],
    );
  });

  it('keep their values if a header is missing or invalid', () => {
    const limits = limitsFrom('"minute";r=5;t=12');
    limits.read(new Headers(), NOW + 1);
    limits.read(new Headers({ RateLimit: '"minute";r=', 'RateLimit-Policy': '%%%' }), NOW + 2);
    assert.deepEqual([...limits.windows.values()], [{ name: 'minute', remaining: 5, resetsAt: NOW + 12_000 }]);
  });

  it('accept any header', () => {
    const text = fc.string({ unit: 'binary-ascii' }).filter((value) => !/[\0\r\n]/.test(value));
    fc.assert(fc.property(text, text, (state, policy) => void limitsFrom(state, policy).waitMs(NOW)));
  });

  it('parse every list that the format allows', () => {
    const window = fc.record({
      name: fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((name) => !/["\\]/.test(name)),
      remaining: fc.nat(),
      reset: fc.nat(100_000),
      unknown: fc.boolean(),
      swapped: fc.boolean(),
    });
    const windows = fc.uniqueArray(window, { selector: ({ name }) => name, maxLength: 5 });
    fc.assert(
      fc.property(windows, (list) => {
        const header = list.map(({ name, remaining, reset, unknown, swapped }) => {
          const parameters = [`r=${remaining}`, `t=${reset}`, ...(unknown ? ['pk=:AAE=:'] : [])];
          return `"${name}";${(swapped ? parameters.toReversed() : parameters).join(';')}`;
        });
        assert.deepEqual(
          [...limitsFrom(header.join(' , ')).windows.values()],
          list.map(({ name, remaining, reset }) => ({ name, remaining, resetsAt: NOW + reset * 1000 })),
        );
      }),
    );
  });

  it('report each change until the listener is removed', () => {
    const limits = limitsFrom();
    let changes = 0;
    const stop = limits.onDidChange(() => changes++);
    limits.read(new Headers({ RateLimit: '"minute";r=5;t=12' }), NOW);
    limits.read(new Headers(), NOW);
    stop();
    limits.read(new Headers({ RateLimit: '"minute";r=4;t=12' }), NOW);
    assert.equal(changes, 1);
  });
});

describe('a rate-limited call', () => {
  const problem = { title: 'Too Many Requests', status: 429, detail: 'rate limit exceeded for the minute window' };
  const refuse = (headers: Record<string, string>): Script => {
    return (_, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      json(response, 429, problem, 'application/problem+json');
    };
  };

  /** Creates a client of a server that responds with that many 429s. */
  async function clientWithRateLimits(refusals: number, headers: Record<string, string>) {
    let left = refusals;
    const server = await startScriptedServer((request, response) => {
      if (left-- > 0) return refuse(headers)(request, response);
      response.setHeader('RateLimit', '"minute";r=59;t=60');
      json(response, 200, { id: 'j', status: 'IN_QUEUE', endpoints: [] });
    });
    const { clock, slept } = jumpingClock(4_000_000, NOW);
    const waits: Wait[] = [];
    const impatient = { ...clock, sleep: sleepOnlyForLimits(clock) };
    const client = createClient({
      connection: server.connection,
      fetch,
      clock: impatient,
      random: () => 1,
      onWait: (wait) => waits.push(wait),
    });
    return { ...server, client, slept, waits };
  }

  /** Returns the waits. Time limits of calls are 30 and 60 s, and no wait here has that length. */
  function sleepOnlyForLimits(clock: ReturnType<typeof jumpingClock>['clock']): typeof clock.sleep {
    return (ms, signal) =>
      ms === 30_000 || ms === 60_000
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
        : clock.sleep(ms, signal);
  }

  it('reports its wait for Retry-After, and is repeated, even if it submits a job', async () => {
    await using server = await clientWithRateLimits(1, { 'Retry-After': '7' });
    const { client, slept, waits } = server;
    const job = await client.runJob({ endpointId: 'e', body: { input: {} } });
    assert.equal(job.id, 'j');
    assert.deepEqual(waits, [{ operation: 'runJob', ms: 7_000, reason: problem.detail }]);
    assert.deepEqual(slept, [7_000]);
    assert.equal(server.received.length, 2);
    assert.deepEqual(server.received[1]?.body, server.received[0]?.body);
    assert.equal(client.context.invocationLimits.windows.get('minute')?.remaining, 59);
  });

  it('waits for the reset of every exhausted window if that takes longer', async () => {
    const headers = { 'Retry-After': '7', RateLimit: '"minute";r=0;t=12, "hour";r=0;t=1812, "day";r=5;t=45012' };
    await using server = await clientWithRateLimits(1, headers);
    const { client, waits } = server;
    await client.listEndpoints({});
    assert.deepEqual(
      waits.map(({ ms }) => ms),
      [1_812_000],
    );
  });

  it('does not wait for windows that do not count it', async () => {
    const limits = { RateLimit: '"minute";r=0;t=50', 'RateLimit-Policy': '"minute";q=60;w=60' };
    const scripts: Script[] = [
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', ...limits }).end('{"endpoints": []}');
      },
      (_, response) =>
        response.writeHead(429, { 'Retry-After': '2', RateLimit: '"minute";r=7;t=2' }).end('{"error": "x"}'),
      (_, response) => json(response, 200, { id: 'j', status: 'IN_QUEUE' }),
    ];
    await using server = await startScriptedServer((request, response) => scripts.shift()?.(request, response));
    const { clock, slept } = jumpingClock(9_000, NOW);
    const client = createClient({ connection: server.connection, fetch, clock });
    await client.listEndpoints({});
    await client.runJob({ endpointId: 'e', body: { input: {} } });
    assert.deepEqual(slept, [2_000]);
    assert.equal(client.rateLimits.windows.get('minute')?.remaining, 0, 'the management API keeps its own limits');
  });

  it('fails after a few waits, and does not wait for the day window', async () => {
    await using server = await clientWithRateLimits(100, { 'Retry-After': '7' });
    const { client, waits } = server;
    await assert.rejects(client.listEndpoints({}), { kind: 'rateLimited', status: 429, retryAfterMs: 7_000 });
    assert.equal(waits.length, 3);
    await using day = await clientWithRateLimits(1, { RateLimit: '"day";r=0;t=45012' });
    await assert.rejects(day.client.listEndpoints({}), { kind: 'rateLimited' });
    assert.equal(day.waits.length, 0);
  });

  it('can be canceled while it waits', async () => {
    await using server = await startScriptedServer(refuse({ 'Retry-After': '3000' }));
    const cancel = new AbortController();
    const client = createClient({ connection: server.connection, fetch, onWait: () => cancel.abort() });
    await assert.rejects(client.listEndpoints({}, { signal: cancel.signal }), { kind: 'canceled' });
    assert.equal(server.received.length, 1);
  });
});
