import assert from 'node:assert/strict';
import path from 'node:path';
import { MIGRATIONS } from '../../../src/platform/store/migrations.ts';
import { migrate } from '../../../src/platform/store/migrate.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite.ts';
import { openSqliteLogs } from '../../../src/platform/store/sqliteLogs.ts';
import { sqliteModule } from '../../../src/platform/store/sqliteModule.ts';
import { afterwards, cleanUp, dataDirectory } from '../support.ts';
import { accountConformance } from './accountConformance.ts';
import { imageConformance } from './imageConformance.ts';
import { storeConformance } from './conformance.ts';
import { logStoreConformance } from './logConformance.ts';
import { usageConformance } from './usageConformance.ts';

storeConformance('SQLite in memory', () => openSqliteStore(':memory:'));
usageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
accountConformance('SQLite in memory', () => openSqliteStore(':memory:'));
imageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
logStoreConformance('SQLite in a temporary file', () => openSqliteLogs(''));

describe('Platform: data of an earlier version', () => {
  afterEach(cleanUp);

  it('keeps its jobs, what they said of themselves, and their number', async () => {
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
    const { ttl, executionTimeout, webhook, retries, lostWorkers } = store.getJob('e', 'waiting') ?? {};
    assert.deepEqual(
      { ttl, executionTimeout, webhook, retries, lostWorkers },
      { ttl: 20_000, executionTimeout: 6_000, webhook: 'http://localhost/', retries: 1, lostWorkers: 1 },
    );
    assert.deepEqual(store.getRequest('waiting'), request);
    assert.equal(store.getJob('e', 'plain')?.ttl, undefined);
    const { IN_QUEUE, FAILED, retries: all } = store.countJobs('e');
    assert.deepEqual([IN_QUEUE, FAILED, all], [1, 1, 3]);
  });
});
