import assert from 'node:assert/strict';
import { pino } from 'pino';
import { operations } from '../../src/contract/operations.ts';
import { withS3Key } from '../../src/platform/accounts/s3Keys.ts';
import { SessionSigner } from '../../src/platform/accounts/sessions.ts';
import { secretBox } from '../../src/platform/secrets/secretBox.ts';
import { Host } from '../../src/platform/server/host.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { HostCapacity } from '../../src/platform/workers/hostCapacity.ts';
import { failWrite } from './failingWrites.ts';
import { Api, endpointBody } from './support.ts';

describe('Reset on a full disk', () => {
  it('fails, and the platform serves its old data once the disk has room', async () => {
    // Two instances use the store, one after the other.
    const store = openSqliteStore(':memory:');
    const kept = { ...store, close: () => undefined };
    const full = Promise.withResolvers<ReturnType<typeof failWrite>>();
    const apiKey = 'key';
    const host = new Host(
      {
        open: (contents) => {
          if (contents === 'kept') return kept;
          full.resolve(failWrite(1, { lasting: true }));
          throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
        },
        tryImport: () => undefined,
      },
      {
        ...{ clock: systemClock, apiKey, signer: new SessionSigner(new Uint8Array(32)), log: pino({ enabled: false }) },
        ...{
          secrets: secretBox(),
          holder: 'holder',
          keepWorkers: false,
          volumesDirectory: undefined,
          capacity: new HostCapacity(1),
          gpus: 'ignore',
        },
        ...{ allowProcessEndpoints: true, graceMs: 0, imageSources: {}, rateLimits: undefined },
        ...{ engine: {}, environment: {}, publicUrl: undefined },
      },
    );
    const addresses = await host.listen(0);
    const api = new Api({ ...addresses, ...withS3Key({ apiKey, pid: process.pid, dataDir: null }) });
    const endpoint = await api.createEndpoint(endpointBody({ workers: { min: 0, max: 1 } }));
    const reset = host.reset();
    const failing = await full.promise;
    const refused = assert.rejects(reset, /disk is full/);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    failing.restore();
    await refused;
    const another = await api.createEndpoint(endpointBody({ workers: { min: 0, max: 1 } }));
    const { endpoints } = await api.call(operations.listEndpoints);
    assert.deepEqual(new Set(endpoints.map(({ id }) => id)), new Set([endpoint.id, another.id]));
    await host.close();
    store.close();
  });
});
