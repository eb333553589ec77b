import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { UpdateEndpointBody } from '../../../src/contract/endpoint.ts';
import { endpointAnswer } from '../../../src/platform/domain/endpointAnswer.ts';
import { Engine } from '../../../src/platform/endpoints/engine.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import { stubRuntime, stubDependencies, stubWorker } from '../stubRuntime.ts';
import { endpointBody, eventually, fastClock } from '../support.ts';

const [OLD, MOVED] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];

describe('Images of releases', () => {
  let store: Store;
  let engine: Engine;
  /** Digest of the image that the tag refers to. */
  let tag: string;
  /** For each started worker: the digest that it was told to run, and the one that it runs. */
  let started: (readonly [pinned: string | undefined, runs: string])[];

  /** @param workers number of workers of the endpoint */
  function open(workers: number) {
    tag = OLD;
    started = [];
    const clock = fastClock;
    store = openSqliteStore(':memory:');
    const runtime = stubRuntime(({ pinned }, { onImage }) => {
      const digest = pinned ?? tag;
      started.push([pinned, onImage(digest, digest)]);
      return Promise.resolve(stubWorker());
    });
    engine = new Engine({
      ...{ store, clock, realClock: clock, runtime, capacity: new HostCapacity(8) },
      ...{ ...stubDependencies, log: pino({ enabled: false }), graceMs: 0 },
      referencesOf: () => ({ findTemplate: () => undefined, exists: () => true, mayRunProcesses: true }),
    });
    engine.start();
    const body = endpointBody({ image: 'example/worker:1', workers: { min: workers, max: 8 } });
    engine.createEndpoint(body, { id: 'endpoint1' });
  }

  afterEach(async () => {
    await engine.close();
    store.close();
  });

  const change = (body: UpdateEndpointBody): void => {
    const local = 'http://127.0.0.1:1';
    const addresses = { baseUrl: local, restUrl: local, queueUrl: local, endpointHost: local };
    engine.updateEndpoint('endpoint1', body, ({ endpoint }) => endpointAnswer(endpoint, addresses));
  };
  const starts = (count: number): Promise<boolean> =>
    eventually(`${count} workers have started`, () => started.length >= count);

  it('stay the same when the tag moves and the endpoint grows', async () => {
    open(1);
    await starts(1);
    tag = MOVED;
    change({ workers: { min: 2 } });
    await starts(2);
    assert.deepEqual(started, [
      [undefined, OLD],
      [OLD, OLD],
    ]);
    assert.deepEqual(store.pulledImages.list(), [OLD]);
  });

  it('are those behind the tag again for a release with new workers', async () => {
    open(1);
    await starts(1);
    tag = MOVED;
    change({ env: { CHANGED: '1' } });
    await starts(2);
    assert.deepEqual(started.slice(1), [[undefined, MOVED]]);
    assert.deepEqual(
      store.endpoints.pinnedImages().map(({ firstVersion, digest }) => [firstVersion, digest]),
      [
        [1, OLD],
        [2, MOVED],
      ],
    );
  });
});
