import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { createJob } from '../../../../src/platform/domain/job.ts';
import { BytesJson } from '../../../../src/platform/domain/largeJson.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import type { Store } from '../../../../src/platform/store/store.ts';
import { afterwards, cleanUp, dataDirectory, eventually } from '../../support.ts';

const SQLITE_CANTOPEN = 14;

const ts = (second: number): string => `2026-03-01T00:00:0${second}.000000000Z`;

const addJob = (store: Store, id: string, endpointId = 'e'): void =>
  store.jobs.insert(createJob({}, { id, endpointId, now: 1 }), { input: { secret: `input of ${id}` } });

const addLine = (store: Store, workerId: string, second: number): void => {
  const blocks = [{ source: 'system', firstTs: ts(second), lastTs: ts(second), lines: ['line'] }] as const;
  store.logs.append([{ workerId, endpointId: 'e', blocks }]);
};

/** Opens a store in a file, and closes it at the end of the test unless the test closes it. */
function opened(file: string): Store & { readonly end: () => void } {
  const store = openSqliteStore(file);
  let open = true;
  const end = (): void => {
    if (open) store.close();
    open = false;
  };
  afterwards(() => Promise.resolve().then(end));
  return { ...store, end };
}

function valuesIn(file: string, sql: string): unknown[] {
  const database = new (sqliteModule().DatabaseSync)(file, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .flatMap((row) => Object.values(row));
  } finally {
    database.close();
  }
}

describe('SnapshotWriter', () => {
  afterEach(cleanUp);

  it('writes the jobs and logs of one moment, while later ones are stored', async () => {
    const folder = await dataDirectory();
    const [file, snapshot] = [path.join(folder, 'platform.sqlite'), path.join(folder, 'snapshot.sqlite')];
    const store = opened(file);
    addJob(store, 'before');
    const written = store.writeSnapshot(snapshot, () => addLine(store, 'w', 0));
    await new Promise(setImmediate);
    addLine(store, 'w', 1);
    // Otherwise, a write-ahead log of this size would be copied into the database.
    for (let n = 0; n < 6; n++) {
      store.jobs.insert(createJob({}, { id: `after-${n}`, endpointId: 'e', now: 1 }), {
        input: { text: 'x'.repeat(4 * 1_048_576) },
      });
    }
    await written;
    assert.deepEqual(valuesIn(snapshot, 'SELECT id FROM jobs'), ['before']);
    assert.deepEqual(valuesIn(snapshot, 'SELECT last_ts FROM log_blocks'), [ts(0)]);
    assert.equal(store.jobs.count('e').IN_QUEUE, 7);
    const { size } = statSync(file);
    addJob(store, 'last');
    assert.ok(statSync(file).size > size, 'the log is copied again once the snapshot is written');
    store.end();
    assert.equal(valuesIn(file, 'SELECT count(*) FROM jobs')[0], 8);
  });

  it('keeps the database as it is until the snapshot is written, also for large values', async () => {
    const folder = await dataDirectory();
    const [file, snapshot] = [path.join(folder, 'platform.sqlite'), path.join(folder, 'snapshot.sqlite')];
    const store = opened(file);
    const value = new BytesJson(Buffer.from(JSON.stringify('x'.repeat(5_000_000))));
    const size = (): number => statSync(file).size;
    const sizes = await eventually('a value is stored before a snapshot is written', async () => {
      const progress = { isWritten: false };
      const written = store.writeSnapshot(snapshot).then(() => (progress.isWritten = true));
      await new Promise(setImmediate);
      const before = size();
      await store.largeValues.keep(value, () => Promise.resolve());
      const after = size();
      const { isWritten } = progress;
      await written;
      rmSync(snapshot);
      return isWritten ? undefined : { before, after };
    });
    assert.equal(sizes.after, sizes.before);
    await store.emptyLog();
    assert.ok(size() > sizes.after + 5_000_000);
  });

  it('writes one snapshot after another', async () => {
    const folder = await dataDirectory();
    const store = opened(path.join(folder, 'platform.sqlite'));
    addJob(store, 'first');
    const names = ['one.sqlite', 'two.sqlite'].map((name) => path.join(folder, name));
    await Promise.all(
      names.map((name, index) =>
        store.writeSnapshot(name, () => {
          if (index === 1) addJob(store, 'second');
        }),
      ),
    );
    const counts = names.map((name) => valuesIn(name, 'SELECT count(*) FROM jobs')[0]);
    assert.deepEqual(counts, [1, 2]);
  });

  it('leaves out the jobs and logs of a deleted endpoint', async () => {
    const folder = await dataDirectory();
    const snapshot = path.join(folder, 'snapshot.sqlite');
    const store = opened(path.join(folder, 'platform.sqlite'));
    addJob(store, 'doomed', 'deleted');
    store.jobs.appendChunk('doomed', 'chunk of doomed');
    addJob(store, 'kept');
    store.runs.insertWorker({ id: 'w', endpointId: 'deleted', createdAt: 1 });
    addLine(store, 'w', 0);
    store.endpoints.delete('deleted');
    await store.writeSnapshot(snapshot);
    const tables = ['jobs', 'job_requests', 'job_chunks', 'workers', 'log_blocks', 'removed_endpoints'];
    const counts = tables.map((table) => valuesIn(snapshot, `SELECT count(*) FROM ${table}`)[0]);
    assert.deepEqual(counts, [1, 1, 0, 0, 0, 0]);
  });

  it('reports the error of the store, and the store continues', async () => {
    const folder = await dataDirectory();
    const store = opened(path.join(folder, 'platform.sqlite'));
    addJob(store, 'one');
    await assert.rejects(store.writeSnapshot(path.join(folder, 'missing', 'snapshot.sqlite')), {
      code: 'ERR_SQLITE_ERROR',
      errcode: SQLITE_CANTOPEN,
    });
    const snapshot = path.join(folder, 'snapshot.sqlite');
    await store.writeSnapshot(snapshot);
    assert.deepEqual(valuesIn(snapshot, 'SELECT id FROM jobs'), ['one']);
  });

  it('ends a snapshot when the store closes, without a loss', async () => {
    const folder = await dataDirectory();
    const file = path.join(folder, 'platform.sqlite');
    const store = opened(file);
    addJob(store, 'one');
    const began = Promise.withResolvers<void>();
    const written = store.writeSnapshot(path.join(folder, 'snapshot.sqlite'), began.resolve);
    await began.promise;
    addJob(store, 'two');
    store.end();
    await assert.rejects(written);
    await assert.rejects(store.writeSnapshot(path.join(folder, 'later.sqlite')));
    assert.deepEqual(valuesIn(file, 'SELECT id FROM jobs'), ['one', 'two']);
  });

  it('keeps the lock of the database', async () => {
    const folder = await dataDirectory();
    const file = path.join(folder, 'platform.sqlite');
    const store = opened(file);
    await store.writeSnapshot(path.join(folder, 'snapshot.sqlite'));
    // The lock of a process does not apply to the process itself.
    const program = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('BEGIN IMMEDIATE')`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', program, file], { encoding: 'utf8' });
    assert.notEqual(status, 0);
    assert.match(stderr, /database is locked/);
  });
});
