import assert from 'node:assert/strict';
import path from 'node:path';
import { createEndpoint } from '../../../../src/platform/domain/endpoint.ts';
import { createJob } from '../../../../src/platform/domain/job.ts';
import { HOUR_MS } from '../../../../src/platform/domain/metering.ts';
import { templateWith } from '../../../../src/platform/domain/template.ts';
import type { SetAside } from '../../../../src/platform/store/sqlite/quarantine.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import type { Store } from '../../../../src/platform/store/store.ts';
import { afterwards, cleanUp, dataDirectory } from '../../support.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

describe('The quarantine of a store', () => {
  afterEach(cleanUp);

  /** Opens a store again after a change, and checks all of its records. Returns it with the records in quarantine. */
  async function reopened(fill: (store: Store) => void, change = '') {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const before = openSqliteStore(file);
    fill(before);
    before.close();
    const database = new (sqliteModule().DatabaseSync)(file);
    database.exec(change);
    database.close();
    const aside: SetAside[] = [];
    const store = openSqliteStore(file, { onSetAside: (record) => void aside.push(record) });
    afterwards(() => Promise.resolve().then(() => store.close()));
    while (store.checkPart());
    return { store, aside };
  }

  it('contains no valid record', async () => {
    const volume = { id: 'volume1', name: 'v', createdAt: now };
    const records = {
      templates: templateWith({ id: 'template1', name: 't', image: 'i' }),
      registries: { id: `c${'0'.repeat(24)}`, name: 'r', createdAt: now, sealed: 's' },
      networkVolumes: { ...volume, size: 1, dataCenter: 'EU-RO-1', type: 'STANDARD' },
      globalVolumes: { ...volume, id: `gsb_${'0'.repeat(14)}` },
    } as const;
    const query = { from: now, to: now + HOUR_MS, of: 'account', kinds: ['endpoint'] } as const;
    const { store, aside } = await reopened(({ resources, jobs, usage, gatePorts }) => {
      const of = resources.of('owner');
      of.templates.insert(records.templates);
      of.registries.insert(records.registries);
      of.networkVolumes.insert(records.networkVolumes);
      of.globalVolumes.insert(records.globalVolumes);
      jobs.insert(createJob({}, { id: 'j', endpointId: 'e', now }), { input: {} });
      jobs.appendChunk('j', 'chunk');
      usage.record({ kind: 'endpoint', resourceId: 'r', nanoUsd: 5n, at: now });
      gatePorts.set('10.0.0.1', 1);
      gatePorts.set('10.0.0.2', 65_535);
    });
    assert.deepEqual(aside, []);
    const { templates, registries, networkVolumes, globalVolumes } = store.resources.of('owner');
    assert.deepEqual(
      [templates, registries, networkVolumes, globalVolumes].map((collection) => collection.list()),
      Object.values(records).map((record) => [record]),
    );
    assert.deepEqual(store.jobs.chunks('j', Infinity).chunks, ['chunk']);
    for (const grain of ['hour', 'day'] as const)
      assert.deepEqual(
        [...store.usage.sums({ grain, ...query }, now)].map(({ nanoUsd }) => nanoUsd),
        [5n],
      );
    assert.deepEqual([store.gatePorts.get('10.0.0.1'), store.gatePorts.get('10.0.0.2')], [1, 65_535]);
  });

  it('contains ports that are out of range, by their address', async () => {
    const { aside } = await reopened(({ gatePorts }) => {
      for (const [address, port] of [
        ['below', 0],
        ['least', 1],
        ['above', 65_536],
      ] as const)
        gatePorts.set(address, port);
    });
    assert.deepEqual(aside.map(({ kind, id }) => `${kind} ${id}`).sort(), ['gate_ports above', 'gate_ports below']);
  });

  it('contains endpoints that their reader sets aside', async () => {
    const { store, aside } = await reopened(({ endpoints }) => {
      const about = {
        accountId: 'owner',
        now,
        findTemplate: () => undefined,
        exists: () => true,
        mayRunProcesses: true,
      };
      const body = { name: 'e', type: 'QUEUE', image: 'i', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } } as const;
      for (const id of ['endpoint1', 'endpoint2'])
        endpoints.insert(createEndpoint({ ...body, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] }, { id, ...about }));
    });
    store.endpoints.setAside('endpoint1', 'has no image');
    assert.deepEqual(aside, [{ kind: 'endpoints', id: 'endpoint1', reason: 'has no image' }]);
    assert.deepEqual(
      store.endpoints.list().map(({ id }) => id),
      ['endpoint2'],
    );
  });
});
