import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { BalancedEndpoint, type Reservation } from '../../src/platform/balancer/balancedEndpoint.ts';
import { BalancerRefusal } from '../../src/platform/balancer/refusals.ts';
import { WaitingRoom } from '../../src/platform/balancer/waitingRoom.ts';
import type { Affinity } from '../../src/platform/domain/balancing.ts';
import { createEndpoint } from '../../src/platform/domain/endpoint.ts';
import { disconnectOf, type OnDisconnect } from '../../src/platform/http/connections.ts';
import { WorkerLogs } from '../../src/platform/logs/workerLogs.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { systemClock as clock } from '../../src/platform/time/clock.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { HostCapacity } from '../../src/platform/workers/hostCapacity.ts';
import { countPerTurn } from '../support/countPerTurn.ts';
import { balanced } from './balancerSupport.ts';
import { stubDependencies, stubRuntime, stubWorker } from './stubRuntime.ts';
import { afterwards, cleanUp, endpointBody, eventually } from './support.ts';

describe('Requests that wait for a load-balanced worker', () => {
  afterEach(cleanUp);

  /** Opens an endpoint whose workers become ready when the test calls `beReady`. */
  async function openEndpoint(max = 1) {
    const store = openSqliteStore(':memory:');
    const logs = new WorkerLogs(store.logs, clock);
    let health = 204;
    const server = createServer((_request, response) => response.writeHead(health).end());
    const port = await listen(server);
    const worker = stubWorker({ address: () => Promise.resolve({ host: '127.0.0.1', port }) });
    const about = { id: 'endpoint1', accountId: 'owner', now: 1 };
    const references = { findTemplate: () => undefined, exists: () => true, mayRunProcesses: true };
    const body = endpointBody({ ...balanced(), workers: { min: max, max } });
    const endpoint = new BalancedEndpoint(createEndpoint(body, { ...about, ...references }), {
      ...{ ...stubDependencies, store, clock, realClock: clock, logs, graceMs: 0 },
      ...{ runtime: stubRuntime(() => Promise.resolve(worker)), capacity: new HostCapacity(4) },
      events: { record: () => undefined },
      ...{ log: pino({ enabled: false }), meter: new Metrics(store, clock).meterOf({ id: 'endpoint1', version: 1 }) },
    });
    afterwards(async () => {
      await endpoint.close('the test has ended');
      server.close();
      logs.close();
      store.close();
    });
    const stays: OnDisconnect = () => () => undefined;
    return {
      endpoint,
      beReady: () => (health = 200),
      reserve: async (affinity?: Affinity, onDisconnect = stays) => endpoint.reserve(affinity, onDisconnect),
    };
  }

  /** Returns an affinity that counts how often a request is looked at. */
  function counted(steps: { count: number }): Affinity {
    return {
      get mode() {
        steps.count++;
        return 'prefer' as const;
      },
      get workerId() {
        steps.count++;
        return 'other';
      },
    };
  }

  it('cost the same for each arrival, change, and cancellation, however many wait', async () => {
    const { endpoint, reserve } = await openEndpoint();
    const COUNT = 4_000;
    const steps = { count: 0 };
    const callers = Array.from({ length: COUNT }, () => new PassThrough());
    const waits = callers.map((caller) => reserve(counted(steps), disconnectOf(caller)));
    const settled = Promise.allSettled(waits);
    for (let changes = 0; changes < 100; changes++) {
      endpoint.changed();
      await turn();
    }
    for (const caller of callers) caller.destroy();
    const reasons = (await settled).map((result) => result.status === 'rejected' && (result.reason as unknown));
    assert.ok(steps.count < 20 * COUNT, `${steps.count} steps`);
    assert.equal(new Set(reasons).size, 1, 'no error is created for a caller that disconnects');
  });

  it('no longer listen to their caller once they have a worker', async () => {
    const { beReady, reserve } = await openEndpoint();
    const caller = new PassThrough();
    const wait = reserve(undefined, disconnectOf(caller));
    assert.equal(caller.listenerCount('close'), 1);
    beReady();
    const { end } = await wait;
    assert.equal(caller.listenerCount('close'), 0);
    end();
  });

  it('end at once if their caller has disconnected', async () => {
    const { reserve } = await openEndpoint();
    const caller = new PassThrough().destroy();
    await once(caller, 'close');
    await assert.rejects(reserve(undefined, disconnectOf(caller)), /the caller disconnected/);
  });

  it('end after their time limit, a bounded number in each turn', async () => {
    const expiries: (() => void)[] = [];
    const after = (_ms: number, expire: () => void) => {
      expiries.push(expire);
      return () => undefined;
    };
    const room = new WaitingRoom<never>({ now: () => 0, after });
    const timeout = new Error('too late');
    const turns = countPerTurn();
    const waits = Array.from({ length: 500 }, async () => {
      const limit = { ms: 1_000, timeoutError: () => timeout, onDisconnect: () => () => undefined };
      await assert.rejects(room.wait(undefined, limit), timeout);
      turns.count();
    });
    for (const expire of expiries) expire();
    await Promise.all(waits);
    assert.ok(turns.most() <= 32, `${turns.most()} requests in one turn`);
  });

  it('get a worker in order of arrival, a bounded number in each turn', async () => {
    const { beReady, reserve } = await openEndpoint();
    const COUNT = 1_000;
    const order: number[] = [];
    const reservations: Reservation[] = [];
    const turns = countPerTurn();
    const waits = Array.from({ length: COUNT }, async (_, index) => {
      reservations.push(await reserve());
      turns.count();
      order.push(index);
    });
    beReady();
    await Promise.all(waits);
    assert.deepEqual(
      order,
      Array.from({ length: COUNT }, (_, index) => index),
    );
    assert.ok(turns.most() <= 32, `${turns.most()} requests in one turn`);
    for (const { end } of reservations) end();
  });

  it('are all refused when the endpoint closes', async () => {
    const { endpoint, reserve } = await openEndpoint();
    const waits = Array.from({ length: 1_000 }, () => reserve());
    const settled = Promise.allSettled(waits);
    await turn();
    await endpoint.close('the endpoint was deleted');
    for (const result of await settled)
      assert.ok(result.status === 'rejected' && result.reason instanceof BalancerRefusal);
  });

  it('are given the worker that they require, in order of arrival with other requests', async () => {
    const { endpoint, beReady, reserve } = await openEndpoint();
    const id = await eventually('a worker starts', () => endpoint.views()[0]?.id);
    const strict = { mode: 'strict', workerId: id } as const;
    const order: number[] = [];
    const waits = [strict, undefined, strict, undefined].map(async (affinity, index) => {
      const { workerId, end } = await reserve(affinity);
      order.push(index);
      assert.equal(workerId, id);
      end();
    });
    beReady();
    await Promise.all(waits);
    assert.deepEqual(order, [0, 1, 2, 3]);
  });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
