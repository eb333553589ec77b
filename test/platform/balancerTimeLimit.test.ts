// Clauses of the interface: Endpoints 7, timeout; Errors, load-balanced.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { operations } from '../../src/contract/operations.ts';
import { systemClock, type Clock } from '../../src/platform/time/clock.ts';
import { routesForTest } from './balancerSupport.ts';
import { cleanUp, endpointBody, eventually } from './support.ts';

/** The clock of the balancer's HTTP client. */
const timers = createRequire(import.meta.url)('undici/lib/util/timers.js') as { tick(ms: number): void };

/** A clock whose waits of exactly `ms` ms end only on request. All others end in real time. */
function clockHolding(ms: number): Clock & { readonly held: Set<() => void> } {
  const held = new Set<() => void>();
  return {
    held,
    now: () => Date.now(),
    after: (wait, callback) => {
      if (wait !== ms) return systemClock.after(wait, callback);
      held.add(callback);
      return () => held.delete(callback);
    },
  };
}

describe('Endpoints 7, timeout: a request to a load-balanced endpoint', () => {
  afterEach(cleanUp);

  it('may take as long as the timeout of the endpoint, before and after its response begins', async () => {
    const clock = clockHolding(600_000);
    const routes = await routesForTest({ timeout: 600_000 }, { clock });
    await routes.api.worker(routes.endpoint, 'IDLE');
    const silent = routes.raw('/held');
    const begun = await routes.raw('/held?begun');
    await eventually('both requests have a time limit', () => clock.held.size === 2);
    for (let seconds = 0; seconds < 599; seconds++) timers.tick(1_000);
    await routes.fetch('/release');
    const answers = [await silent, begun];
    assert.deepEqual(await Promise.all(answers.map(text)), ['released', 'begun, released']);
    assert.equal(clock.held.size, 0);
  });

  it('is refused with a reason once the timeout of the endpoint has passed', async () => {
    const clock = clockHolding(600_000);
    const routes = await routesForTest({ timeout: 600_000 }, { clock });
    await routes.api.worker(routes.endpoint, 'IDLE');
    const silent = routes.raw('/silent');
    const [pass] = await eventually('the request has a time limit', () => clock.held.size > 0 && [...clock.held]);
    pass?.();
    const answer = await silent;
    assert.equal(answer.statusCode, 500);
    const detail = 'the worker did not finish the request within 600 s';
    assert.deepEqual(JSON.parse(await text(answer)), { error: 'time limit', detail });
  });

  it('is not cut by a timeout beyond the longest timer, which is stored exactly', async () => {
    for (const timeout of [2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const routes = await routesForTest({ timeout });
      await routes.api.worker(routes.endpoint, 'IDLE');
      assert.equal((await routes.fetch('/slow/50')).status, 200);
      const parameters = { id: routes.endpoint.id };
      assert.equal((await routes.api.call(operations.getEndpoint, { parameters })).timeout, timeout);
    }
  });
});

describe('Endpoints 7, timeout', () => {
  afterEach(cleanUp);

  it('is any positive integer that JSON carries exactly', async () => {
    const { api, endpoint } = await routesForTest({ workers: { min: 0, max: 0 } });
    const parameters = { id: endpoint.id };
    for (const timeout of [1, 604_800_001, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const body = { ...endpointBody({ timeout }), workers: { min: 0, max: 0 } };
      assert.equal((await api.call(operations.createEndpoint, { body })).timeout, timeout);
      assert.equal((await api.call(operations.updateEndpoint, { parameters, body: { timeout } })).timeout, timeout);
    }
    for (const timeout of [0, -1, 1.5, 2 ** 53]) {
      const { errors } = await api.refused(400, operations.createEndpoint, { body: endpointBody({ timeout }) });
      assert.equal(errors?.length, 1, JSON.stringify(errors));
      await api.refused(422, operations.updateEndpoint, { parameters, body: { timeout } });
    }
  });

  it('does not end a job early if it exceeds the longest timer', async () => {
    const { api } = await routesForTest({ workers: { min: 0, max: 0 } });
    for (const timeout of [2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const endpoint = await api.createEndpoint({ timeout });
      const { status } = await api.runSync(endpoint, { do: 'echo', value: 1 });
      assert.equal(status, 'COMPLETED');
    }
  });
});
