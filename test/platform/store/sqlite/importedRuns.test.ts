import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';

describe('Runs in a snapshot', () => {
  it('have no handle and no claim, because their processes belong to the platform that wrote the snapshot', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-imported-'));
    try {
      const snapshot = path.join(folder, 'snapshot.sqlite');
      const source = openSqliteStore(':memory:');
      const of = { endpointId: 'endpoint1', workerId: 'worker1', startedAt: 1, lastSeenAt: 2 };
      const handle = { runtime: 'process', runId: 'run1', pid: 1 };
      const claim = { version: 1, token: 'secret', gpus: [], frozen: false };
      const cost = { resource: 'cpu', nanoUsdPerSecond: 1, diskGb: 0 } as const;
      source.runs.insert({ id: 'run1', handle, claim, ...of, ...cost });
      await source.writeSnapshot(snapshot);
      source.close();
      const contents = { snapshot, secrets: 'drop', start: true, mayStart: () => true } as const;
      const imported = openSqliteStore(':memory:', { contents });
      // Without a handle, a restarted platform does not end processes of the other platform.
      assert.deepEqual(imported.runs.listOpen(), [{ id: 'run1', handle: null, ...of }]);
      imported.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
