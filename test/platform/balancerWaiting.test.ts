import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { BalancedEndpoint, type Reservation } from '../../src/platform/balancer/balancedEndpoint.ts';
import { BalancerRefusal } from '../../src/platform/balancer/refusals.ts';
import type { Affinity } from '../../src/platform/domain/balancing.ts';
import { createEndpoint } from '../../src/platform/domain/endpoint.ts';
import { connectionOf, type CallerConnection } from '../../src/platform/http/whenClosed.ts';
import { WorkerLogs } from '../../src/platform/logs/workerLogs.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { systemClock as clock } from '../../src/platform/time/clock.ts';
import { HostCapacity } from '../../src/platform/workers/hostCapacity.ts';
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
      ...{ log: pino({ enabled: false }) },
    });
    afterwards(async () => {
      await endpoint.close('the test has ended');
      server.close();
      logs.close();
      store.close();
    });
    const stays: CallerConnection = {
      onDisconnect: () => () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    };
    return {
      endpoint,
      beReady: () => (health = 200),
      reserve: async (affinity?: Affinity, caller = stays) => endpoint.reserve(affinity, caller),
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
    const waits = callers.map((caller) => reserve(counted(steps), connectionOf(caller)));
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
    const wait = reserve(undefined, connectionOf(caller));
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
    await assert.rejects(reserve(undefined, connectionOf(caller)), /the caller disconnected/);
  });

  it('end when all callers disconnect, a bounded number in each turn', async () => {
    const { reserve } = await openEndpoint();
    const COUNT = 500;
    const ended = Array.from({ length: COUNT }, () => Promise.withResolvers<void>());
    let [arrived, inTurn, most, over] = [0, 0, 0, false];
    const allArrived = Promise.withResolvers<void>();
    const server = createServer((_incoming, response) => {
      const place = arrived++;
      reserve(undefined, connectionOf(response)).catch(() => {
        most = Math.max(most, ++inTurn);
        ended[place]?.resolve();
      });
      if (arrived === COUNT) allArrived.resolve();
    });
    afterwards(() => once(server.close(), 'close'));
    const url = `http://127.0.0.1:${await listen(server)}`;
    const callers = ended.map(() => get(url, { agent: false }).on('error', () => undefined));
    await allArrived.promise;
    const countTurn = (): void => {
      inTurn = 0;
      if (!over) setImmediate(countTurn);
    };
    countTurn();
    for (const caller of callers) caller.destroy();
    await Promise.all(ended.map(({ promise }) => promise));
    over = true;
    assert.ok(most <= 256, `${most} requests in one turn`);
  });

  it('get a worker in order of arrival, a bounded number in each turn', async () => {
    const { beReady, reserve } = await openEndpoint();
    const COUNT = 1_000;
    const order: number[] = [];
    const reservations: Reservation[] = [];
    let [inTurn, most, ended] = [0, 0, false];
    const countTurn = (): void => {
      inTurn = 0;
      if (!ended) setImmediate(countTurn);
    };
    const waits = Array.from({ length: COUNT }, async (_, index) => {
      reservations.push(await reserve());
      most = Math.max(most, ++inTurn);
      order.push(index);
    });
    countTurn();
    beReady();
    await Promise.all(waits);
    ended = true;
    assert.deepEqual(
      order,
      Array.from({ length: COUNT }, (_, index) => index),
    );
    assert.ok(most <= 100, `${most} requests in one turn`);
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
