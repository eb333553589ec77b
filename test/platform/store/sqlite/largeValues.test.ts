import assert from 'node:assert/strict';
import { createJob } from '../../../../src/platform/domain/job.ts';
import { BytesJson, type LargeJson } from '../../../../src/platform/domain/largeJson.ts';
import { openFile } from '../../../../src/platform/store/sqlite/databaseFile.ts';
import { migrate } from '../../../../src/platform/store/sqlite/migrate.ts';
import { SCHEMA } from '../../../../src/platform/store/sqlite/schema.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { sqliteLargeValues } from '../../../../src/platform/store/sqlite/sqliteLargeValues.ts';
import { statementsOf } from '../../../../src/platform/store/sqlite/statements.ts';
import type { Store } from '../../../../src/platform/store/store.ts';
import { failWrite } from '../../failingWrites.ts';

const VALUE = { pad: 'x'.repeat(3_000_000) };
const large = (): LargeJson => new BytesJson(Buffer.from(JSON.stringify(VALUE)));

describe('Large values', () => {
  let store: Store;

  beforeEach(() => {
    store = openSqliteStore(':memory:');
  });

  afterEach(() => store.close());

  const insert = (id: string): Promise<void> =>
    store.largeValues.keep(large(), async (input) => {
      const request = { input: input as Record<string, unknown> };
      store.jobs.insert(createJob({}, { id, endpointId: 'e', now: 1 }), request);
      return Promise.resolve();
    });
  const inputOf = (id: string): LargeJson => store.jobs.request(id).input as unknown as LargeJson;
  const deletions = (): number => {
    let count = 0;
    while (store.largeValues.deleteUnused()) count++;
    return count;
  };

  it('are whole or not stored after any write has failed', async () => {
    let failures = 0;
    for (let number = 1; ; number++) {
      const failing = failWrite(number);
      const error = await insert('a').catch((failure: unknown) => failure);
      failing.restore();
      if (error === undefined) break;
      failures++;
      assert.equal(store.jobs.has('a'), false);
      if (number > 1) assert.ok(deletions() > 0, 'parts of the value are deleted');
    }
    assert.ok(failures > 10);
    assert.deepEqual(inputOf('a').toJSON(), VALUE);
    assert.equal(deletions(), 0);
  });

  it('are deleted in batches once their job is deleted', async () => {
    await insert('a');
    await insert('b');
    store.jobs.delete('a');
    assert.ok(deletions() > 2);
    assert.deepEqual(inputOf('b').toJSON(), VALUE);
  });

  it('are not deleted before they are referred to', async () => {
    await store.largeValues.keep(large(), async (input) => {
      assert.equal(deletions(), 0);
      assert.deepEqual((input as LargeJson).toJSON(), VALUE);
      return Promise.resolve();
    });
    assert.ok(deletions() > 0, 'a value without a reference is deleted');
  });

  it('are deleted while others are in use', async () => {
    await insert('a');
    await store.largeValues.keep(large(), () => {
      store.jobs.delete('a');
      assert.ok(deletions() > 0);
      return Promise.resolve();
    });
  });

  it('empty the write-ahead log after each 2 MiB', async () => {
    let emptied = 0;
    const emptyLog = () => {
      emptied++;
      return Promise.resolve();
    };
    const database = openFile(':memory:');
    migrate(database, SCHEMA);
    const values = sqliteLargeValues(statementsOf(database), emptyLog);
    for (const [size, expected] of [
      [2 * 1_048_576 - 1, 0],
      [2 * 1_048_576, 1],
      [7 * 1_048_576, 3],
    ] as const) {
      emptied = 0;
      await values.keep(new BytesJson(new Uint8Array(size)), () => Promise.resolve());
      assert.equal(emptied, expected, String(size));
    }
    database.close();
  });

  it('are not deleted while they are read', async () => {
    await insert('a');
    const value = inputOf('a');
    const bytes: Uint8Array[] = [];
    for (const part of value.parts()) {
      if (bytes.length === 0) store.jobs.delete('a');
      assert.equal(deletions(), 0);
      bytes.push(part);
    }
    assert.equal(Buffer.concat(bytes).byteLength, value.byteLength);
    assert.ok(deletions() > 0);
  });
});
