import assert from 'node:assert/strict';
import path from 'node:path';
import { createJob } from '../../../../src/platform/domain/job.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { openSqliteLogs } from '../../../../src/platform/store/sqlite/sqliteLogs.ts';
import { migrate } from '../../../../src/platform/store/sqlite/migrate.ts';
import { SCHEMA } from '../../../../src/platform/store/sqlite/schema.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import { isStorageFull } from '../../../../src/platform/storageFull.ts';
import { failWrite } from '../../failingWrites.ts';
import { afterwards, cleanUp, dataDirectory } from '../../support.ts';
import { accountConformance } from '../accountConformance.ts';
import { imageConformance } from '../imageConformance.ts';
import { metricConformance } from '../metricConformance.ts';
import { traceConformance } from '../traceConformance.ts';
import { releaseImageConformance } from '../releaseImageConformance.ts';
import { storeConformance } from '../conformance.ts';
import { logStoreConformance } from '../logConformance.ts';
import { usageConformance } from '../usageConformance.ts';

storeConformance('SQLite in memory', () => openSqliteStore(':memory:'));
usageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
accountConformance('SQLite in memory', () => openSqliteStore(':memory:'));
imageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
releaseImageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
metricConformance('SQLite in memory', () => openSqliteStore(':memory:'));
traceConformance('SQLite in memory', () => openSqliteStore(':memory:'));
logStoreConformance('SQLite in a temporary file', () => openSqliteLogs(''));

describe('SQLite store with a queued job whose request cannot be decrypted', () => {
  afterEach(cleanUp);

  it('quarantines the job, and returns the jobs behind it', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const first = openSqliteStore(file);
    for (const [index, id] of ['sealed', 'plain'].entries()) {
      const about = { endpointId: 'e', now: Date.now() + index };
      first.jobs.insert(createJob({}, { id, ...about }), { input: { id } });
    }
    first.close();
    const database = new (sqliteModule().DatabaseSync)(file);
    database.exec(`UPDATE job_requests SET request = json_set(request, '$."$sealed"', 'of another key')
      WHERE sequence = (SELECT sequence FROM jobs WHERE id = 'sealed')`);
    database.close();

    const aside: string[] = [];
    const store = openSqliteStore(file, { onSetAside: ({ id }) => aside.push(id) });
    afterwards(() => Promise.resolve().then(() => store.close()));
    const waiting = store.jobs.queuedWithRequests('e', 10);
    assert.deepEqual(
      waiting.map(({ request }) => request.input),
      [{ id: 'plain' }],
    );
    assert.deepEqual(aside, ['sealed']);
    assert.equal(store.jobs.count('e').IN_QUEUE, 1);
  });
});

describe('SQLite store of an earlier platform', () => {
  afterEach(cleanUp);

  it('keeps its jobs, and records traces from then on', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const database = new (sqliteModule().DatabaseSync)(file);
    migrate(database, { first: SCHEMA.first, steps: SCHEMA.steps.slice(0, 2) });
    database.exec(`
      INSERT INTO jobs (id, endpoint_id, status, low_priority, created_at, queued_at, expires_at, lost_workers, retries)
        VALUES ('j', 'e', 'COMPLETED', 0, 1, 1, 2, 0, 0)`);
    database.close();
    const store = openSqliteStore(file);
    const event = { kind: 'firstChunk', at: 1, attempt: 1 } as const;
    store.traces.addJobEvent('j', event);
    assert.equal(store.jobs.get('e', 'j')?.status, 'COMPLETED');
    assert.deepEqual(store.traces.jobEvents('j'), [event]);
    store.close();
  });
});

describe('SQLite store after the deletion of jobs', () => {
  afterEach(cleanUp);

  it('contains no request, chunk, or count of them', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const store = openSqliteStore(file);
    for (const [endpointId, id] of [
      ['deleted', 'a'],
      ['deleted', 'b'],
      ['kept', 'c'],
      ['kept', 'd'],
    ] as const) {
      store.jobs.insert(createJob({}, { id, endpointId, now: 1 }), { input: { id } });
      store.jobs.appendChunk(id, id);
    }
    store.jobs.delete('c');
    store.endpoints.delete('deleted');
    while (store.jobs.deleteRemoved('deleted'));
    store.close();

    const database = new (sqliteModule().DatabaseSync)(file);
    afterwards(() => Promise.resolve().then(() => database.close()));
    const values = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .flatMap((row) => Object.values(row));
    assert.deepEqual(values("SELECT request ->> '$.input.id' FROM job_requests"), ['d']);
    assert.deepEqual(values('SELECT job_id FROM job_chunks'), ['d']);
    assert.deepEqual(values('SELECT endpoint_id FROM job_counts WHERE jobs > 0'), ['kept']);
  });
});

describe('SQLite logs after a restart', () => {
  afterEach(cleanUp);

  it('have the sizes of their blocks, also after a damaged block is set aside', async () => {
    const file = path.join(await dataDirectory(), 'logs.sqlite');
    const first = openSqliteLogs(file);
    const ts = (second: number) => `2026-03-01T00:00:0${second}.000000000Z`;
    for (const second of [1, 2]) {
      const block = { source: 'container', firstTs: ts(second), lastTs: ts(second), lines: ['line'] } as const;
      first.append([{ workerId: 'w', endpointId: 'e', blocks: [block] }]);
    }
    const size = first.size();
    first.close();

    const reopened = openSqliteLogs(file);
    assert.deepEqual([size.lines, reopened.size(), [...reopened.bytesByEndpoint()]], [2, size, [['e', size.bytes]]]);
    reopened.close();
    const database = new (sqliteModule().DatabaseSync)(file);
    database.prepare("UPDATE log_blocks SET first_ts = 'yesterday' WHERE last_ts = ?").run(ts(1));
    database.close();

    const aside: string[] = [];
    const logs = openSqliteLogs(file, 'kept', ({ reason }) => aside.push(reason));
    while (logs.checkPart());
    assert.deepEqual(aside, ['has an invalid timestamp']);
    assert.deepEqual([logs.size('w').lines, logs.size().lines], [1, 1]);
    logs.close();
  });
});

describe('SQLite store on a full disk', () => {
  afterEach(cleanUp);

  for (const [what, open] of Object.entries({
    created: (folder: string) => openSqliteStore(path.join(folder, 'created.sqlite')),
    emptied: (folder: string) => openSqliteStore(path.join(folder, 'platform.sqlite'), { contents: 'none' }),
  })) {
    it(`reports that the disk is full if it cannot be ${what}, and keeps its data`, async () => {
      const folder = await dataDirectory();
      const file = path.join(folder, 'platform.sqlite');
      const before = openSqliteStore(file);
      before.jobs.insert(createJob({}, { id: 'j', endpointId: 'e', now: 1 }), { input: {} });
      before.close();
      for (let n = 1; ; n++) {
        const write = failWrite(n);
        try {
          open(folder).close();
          assert.ok(n > 1 && !write.failed());
          break;
        } catch (error) {
          assert.ok(write.failed() && isStorageFull(error), String(error));
        } finally {
          write.restore();
        }
        const kept = openSqliteStore(file);
        assert.equal(kept.jobs.get('e', 'j')?.status, 'IN_QUEUE');
        kept.close();
      }
    });
  }
});
