import assert from 'node:assert/strict';
import path from 'node:path';
import { createJob } from '../../../../src/platform/domain/job.ts';
import type { SetAside } from '../../../../src/platform/store/sqlite/quarantine.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import { afterwards, cleanUp, dataDirectory } from '../../support.ts';

const NOW = 1_000;
const BIG = '9007199254740993';

/** Opens a store with two waiting jobs, after a change of the database. */
async function openedAfter(sql: string) {
  const file = path.join(await dataDirectory(), 'platform.sqlite');
  const before = openSqliteStore(file);
  for (const id of ['bad', 'good']) {
    before.jobs.insert(createJob({}, { id, endpointId: 'e', now: NOW }), { input: {} });
    before.jobs.appendChunk(id, 'chunk');
  }
  before.close();
  const database = new (sqliteModule().DatabaseSync)(file);
  database.exec(sql);
  database.close();
  const aside: SetAside[] = [];
  const store = openSqliteStore(file, { onSetAside: (record) => void aside.push(record) });
  afterwards(() => Promise.resolve().then(() => store.close()));
  return { store, aside };
}

describe('Records that are not checked yet', () => {
  afterEach(cleanUp);

  for (const change of [
    `status = 'LOST'`,
    ...['created_at', 'queued_at', 'started_at', 'expires_at', 'retries', 'ttl'].flatMap((column) => [
      `${column} = ${BIG}`,
      `${column} = -${BIG}`,
    ]),
  ]) {
    it(`are not found: a job with ${change}`, async () => {
      const { store, aside } = await openedAfter(`UPDATE jobs SET ${change} WHERE id = 'bad'`);
      const { jobs } = store;
      assert.equal(jobs.get('e', 'bad'), undefined);
      assert.deepEqual(
        jobs.queued('e', 9).map(({ id }) => id),
        ['good'],
      );
      assert.deepEqual(
        jobs.queuedWithRequests('e', 9).map(({ job }) => job.id),
        ['good'],
      );
      assert.ok(jobs.queuedSince('e', 9).every((time) => time === NOW));
      assert.equal(jobs.lastQueuedAt('e'), NOW);
      assert.equal(jobs.nextExpiry(), jobs.get('e', 'good')?.expiresAt);
      assert.deepEqual(
        jobs.expired(Number.MAX_SAFE_INTEGER, 9).map(({ id }) => id),
        ['good'],
      );
      assert.deepEqual(aside, []);
      while (store.checkPart());
      assert.deepEqual(
        aside.map(({ kind, id }) => [kind, id]),
        [['jobs', 'bad']],
      );
      assert.equal(jobs.count('e').IN_QUEUE, 1);
    });
  }

  it('are not found: a chunk that is not JSON', async () => {
    const { store, aside } = await openedAfter(`UPDATE job_chunks SET output = '{' WHERE job_id = 'bad'`);
    store.jobs.appendChunk('bad', 'next');
    assert.deepEqual(store.jobs.chunks('bad', 99).chunks, ['next']);
    assert.deepEqual(
      aside.map(({ kind }) => kind),
      ['job_chunks'],
    );
  });

  it('are checked in parts, in each of which other work can run', async () => {
    const { store, aside } = await openedAfter(`UPDATE jobs SET status = 'LOST' WHERE id = 'bad'`);
    store.transaction(() => {
      for (let n = 0; n < 2_500; n++) {
        store.jobs.insert(createJob({}, { id: `job-${n}`, endpointId: 'e', now: NOW }), { input: {} });
      }
    });
    let parts = 0;
    while (store.checkPart()) parts++;
    assert.ok(parts > 2, `${parts} parts`);
    assert.equal(aside.length, 1);
    assert.equal(store.checkPart(), false);
  });
});
