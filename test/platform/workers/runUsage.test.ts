import assert from 'node:assert/strict';
import { createEndpoint } from '../../../src/platform/domain/endpoint.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { workerPrice } from '../../../src/platform/domain/workerPrices.ts';
import { WorkerLogs } from '../../../src/platform/logs/workerLogs.ts';
import { STORAGE_RETRY_MS } from '../../../src/platform/store/fullDisk.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { WorkerRun } from '../../../src/platform/workers/workerRun.ts';
import { failWrite } from '../failingWrites.ts';
import { stubRuntime, stubDependencies, stubWorker } from '../stubRuntime.ts';
import { endpointBody, manualClock } from '../support.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;

describe('Usage of a run', () => {
  let store: Store;
  let clock: ReturnType<typeof manualClock>;

  beforeEach(() => {
    clock = manualClock(NOW);
    store = openSqliteStore(':memory:');
  });

  afterEach(() => store.close());

  /** @param onStart called between the two writes that record a start */
  async function startRun(onStart: () => void = () => undefined): Promise<WorkerRun> {
    const references = { findTemplate: () => undefined, exists: () => true, mayRunProcesses: true };
    const about = { id: 'endpoint1', accountId: OWNER_ACCOUNT_ID, now: NOW };
    const endpoint = createEndpoint(endpointBody({ disk: 5 }), { ...about, ...references });
    const runtime = stubRuntime(() => {
      onStart();
      return Promise.resolve(stubWorker());
    });
    const logs = new WorkerLogs(store.logs, clock);
    const context = { ...stubDependencies, ...{ endpoint, price: workerPrice(endpoint), runtime, store, logs, clock } };
    return WorkerRun.start(
      { id: 'worker1', token: 'token', gpus: [], debug: undefined },
      { ...context, realClock: clock },
      { onProgress: () => undefined, onReachable: () => undefined, signal: new AbortController().signal },
    );
  }

  /** Returns the billed seconds of compute. */
  function billedSeconds(): number {
    const query = { grain: 'day', from: 0, to: NOW + 24 * HOUR_MS, kinds: ['serverlessCpu'], of: 'account' } as const;
    const nanoUsd = [...store.usage.sums(query, clock.now())].reduce((sum, charge) => sum + charge.nanoUsd, 0n);
    const price = workerPrice({ cpu: [{ id: 'cpu3c', vcpuCount: 2 }] });
    return Number(nanoUsd) / price.nanoUsdPerSecond;
  }

  it('ends at a freeze, even if the start is not stored yet', async () => {
    let failing: ReturnType<typeof failWrite> | undefined;
    const run = await startRun(() => (failing = failWrite(1, { lasting: true })));
    failing?.restore();
    clock.advance(STORAGE_RETRY_MS / 2);
    run.freeze();
    clock.advance(HOUR_MS);
    assert.equal(billedSeconds(), 1);
  });

  it('ends at a freeze, even if the previous thaw is not stored yet', async () => {
    const run = await startRun();
    run.freeze();
    const failing = failWrite(1, { lasting: true });
    run.thaw();
    failing.restore();
    run.freeze();
    clock.advance(HOUR_MS);
    assert.equal(billedSeconds(), 0);
    run.thaw();
    clock.advance(10_000);
    assert.equal(billedSeconds(), 10, 'each second is billed once');
  });

  it('is billed even if the disk is full from the start of the process to its end', async () => {
    let failing: ReturnType<typeof failWrite> | undefined;
    const run = await startRun(() => (failing = failWrite(1, { lasting: true })));
    clock.advance(10_000);
    await run.process.stop(0);
    await run.ended();
    run.close(() => undefined);
    clock.advance(10_000);
    failing?.restore();
    clock.advance(HOUR_MS);
    assert.equal(billedSeconds(), 10);
    assert.deepEqual(store.runs.listOpen(), []);
  });
});
