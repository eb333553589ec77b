import assert from 'node:assert/strict';
import path from 'node:path';
import { createEndpoint } from '../../../../src/platform/domain/endpoint.ts';
import { createJob } from '../../../../src/platform/domain/job.ts';
import { MIGRATIONS } from '../../../../src/platform/store/sqlite/migrations.ts';
import { migrate } from '../../../../src/platform/store/sqlite/migrate.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { openSqliteLogs } from '../../../../src/platform/store/sqlite/sqliteLogs.ts';
import { USAGE_KINDS } from '../../../../src/platform/domain/metering.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import { isStorageFull } from '../../../../src/platform/storageFull.ts';
import { failWrite } from '../../failingWrites.ts';
import { afterwards, cleanUp, dataDirectory, endpointBody } from '../../support.ts';
import { accountConformance } from '../accountConformance.ts';
import { imageConformance } from '../imageConformance.ts';
import { releaseImageConformance } from '../releaseImageConformance.ts';
import { storeConformance } from '../conformance.ts';
import { logStoreConformance } from '../logConformance.ts';
import { usageConformance } from '../usageConformance.ts';
import { migratedTo } from './earlierSchema.ts';

storeConformance('SQLite in memory', () => openSqliteStore(':memory:'));
usageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
accountConformance('SQLite in memory', () => openSqliteStore(':memory:'));
imageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
releaseImageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
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

describe('SQLite store with data of an earlier version', () => {
  afterEach(cleanUp);

  it('counts the logs of each endpoint', async () => {
    const folder = await dataDirectory();
    const file = path.join(folder, 'platform.sqlite');
    const store = openSqliteStore(file);
    for (const id of ['a', 'b']) store.runs.insertWorker({ id, endpointId: `of ${id}`, createdAt: 1 });
    const ts = '2026-03-01T00:00:00.000000000Z';
    const blocks = [{ source: 'system', firstTs: ts, lastTs: ts, lines: ['line'] }] as const;
    for (const id of ['a', 'b', 'stray']) store.logs.append([{ workerId: id, endpointId: `of ${id}`, blocks }]);
    const { bytes } = store.logs.size('a');
    store.close();
    const old = new (sqliteModule().DatabaseSync)(path.join(folder, 'logs.sqlite'));
    old.exec('DROP TABLE log_sizes; DROP TABLE log_positions; PRAGMA user_version = 2');
    old.close();
    for (const opening of ['first', 'second']) {
      const opened = openSqliteStore(file);
      assert.deepEqual(
        Object.fromEntries(opened.logs.bytesByEndpoint()),
        { 'of a': bytes, 'of b': bytes, '': bytes },
        opening,
      );
      opened.close();
    }
  });

  it('keeps jobs with their settings and counts', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const old = new (sqliteModule().DatabaseSync)(file);
    migrate(old, MIGRATIONS.slice(0, 1));
    const request = { input: { a: 1 }, webhook: 'http://localhost/', policy: { ttl: 20_000, executionTimeout: 6_000 } };
    const insert = old.prepare(
      `INSERT INTO jobs (id, endpoint_id, status, low_priority, created_at, queued_at, expires_at, lost_workers, retries, request)
      VALUES (?, 'e', ?, 0, 1, 2, 20001, 1, ?, ?)`,
    );
    insert.run('waiting', 'IN_QUEUE', 1, JSON.stringify(request));
    insert.run('plain', 'FAILED', 2, JSON.stringify({ input: null }));
    old.close();

    const store = openSqliteStore(file);
    afterwards(() => Promise.resolve().then(() => store.close()));
    const { ttl, executionTimeout, notifies, retries, lostWorkers } = store.jobs.get('e', 'waiting') ?? {};
    assert.deepEqual(
      { ttl, executionTimeout, notifies, retries, lostWorkers },
      { ttl: 20_000, executionTimeout: 6_000, notifies: true, retries: 1, lostWorkers: 1 },
    );
    assert.deepEqual(store.jobs.request('waiting'), request);
    assert.equal(store.jobs.get('e', 'plain')?.ttl, undefined);
    const { IN_QUEUE, FAILED, retries: all } = store.jobs.count('e');
    assert.deepEqual([IN_QUEUE, FAILED, all], [1, 1, 3]);
  });

  it('keeps pending webhooks', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const old = new (sqliteModule().DatabaseSync)(file);
    const before = MIGRATIONS.findIndex((step) => step.includes('numbered_webhooks'));
    migrate(old, MIGRATIONS.slice(0, before));
    old.exec(`INSERT INTO webhooks VALUES (7, 'j', 'http://x/y', '{}', 1, 5)`);
    old.close();

    const store = openSqliteStore(file);
    afterwards(() => Promise.resolve().then(() => store.close()));
    // The job of the webhook is gone, so its account is unknown.
    const webhook = {
      id: 7,
      jobId: 'j',
      accountId: '',
      receiver: 'http://x',
      url: 'http://x/y',
      attempts: 1,
      dueAt: 5,
    };
    assert.deepEqual(store.webhooks.next(), webhook);
    assert.equal(store.webhooks.body(7), '{}');
  });

  it('converts open runs to handles of processes', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const old = migratedTo(
      file,
      MIGRATIONS.findIndex((step) => step.includes('ADD COLUMN handle')),
    );
    old.exec(`INSERT INTO runs (id, worker_id, endpoint_id, pid, process_start, started_at, last_seen_at)
      VALUES ('up', 'w', 'e', 7, 'Sun', 1, 2), ('unknown', 'w', 'e', 8, NULL, 1, 2), ('announced', 'w', 'e', 0, NULL, 1, 2)`);
    old.close();

    const store = openSqliteStore(file);
    afterwards(() => Promise.resolve().then(() => store.close()));
    const process = { runtime: 'process' };
    assert.deepEqual(
      store.runs.listOpen().map(({ handle }) => handle),
      [
        { ...process, runId: 'up', pid: 7, processStart: 'Sun' },
        { ...process, runId: 'unknown', pid: 8, processStart: null },
        { ...process, runId: 'announced' },
      ],
    );
  });

  it('assigns data without an account to the owner', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const old = new (sqliteModule().DatabaseSync)(file);
    migrate(
      old,
      MIGRATIONS.slice(
        0,
        MIGRATIONS.findIndex((step) => step.includes('account_sums')),
      ),
    );
    const at = Date.parse('2026-03-01T10:00:00Z');
    const references = { findTemplate: () => undefined, exists: () => true, mayRunProcesses: true };
    const about = { id: 'e', accountId: '', now: 1, ...references };
    const { accountId: _, ...endpoint } = createEndpoint(endpointBody(), about);
    old.exec(`
      INSERT INTO endpoints VALUES ('e', 1, '${JSON.stringify(endpoint)}');
      INSERT INTO resources (kind, id, record) VALUES ('registries', 't', '{"id":"t","name":"t","createdAt":1,"sealed":""}');
      INSERT INTO usage_sums VALUES ('hour', '', ${at}, 'endpoint', 7), ('hour', 'e', ${at}, 'endpoint', 7);
      INSERT INTO usage (source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, settled_to)
        VALUES ('v', 'v', 'storageStandard', 2592000000, 1000, ${at}, ${at})`);
    old.close();

    const store = openSqliteStore(file);
    afterwards(() => Promise.resolve().then(() => store.close()));
    assert.deepEqual(store.endpoints.list(), [JSON.parse(JSON.stringify({ ...endpoint, accountId: 'owner' }))]);
    assert.equal(store.resources.of('owner').registries.get('t')?.id, 't');
    assert.deepEqual(store.resources.of('other').registries.list(), []);
    const query = { grain: 'hour', from: at, to: at + 3_600_000, kinds: USAGE_KINDS, of: 'account' } as const;
    const chargesOf = (accountId: string) =>
      [...store.usage.sums({ ...query, accountId }, at + 5_000)].map((sum) => sum.nanoUsd);
    assert.deepEqual(chargesOf('owner'), [7n, 5_000n]);
    assert.deepEqual(chargesOf('other'), []);
  });
});
