import assert from 'node:assert/strict';
import { statementsOf, type Value } from '../../../../src/platform/store/sqlite/statements.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import { batchOf, partsOf } from '../../../../src/platform/store/sqlite/tableParts.ts';

const PARTS = { key: ['name', 'number'], bytes: 'octet_length(content)' };
const MIB = 1_048_576;

/** Divides a table into parts. Returns the number of rows of each part, and the number of rows that were read to find the parts. */
function partsWith(sizes: readonly number[]): { rows: number[]; read: number } {
  const database = new (sqliteModule().DatabaseSync)(':memory:');
  database.exec('CREATE TABLE items (name TEXT, number INTEGER, content BLOB, UNIQUE (name, number))');
  const statements = statementsOf(database);
  sizes.forEach((size, index) => {
    statements.run('INSERT INTO items VALUES (?, ?, zeroblob(?))', index % 2 === 0 ? 'a' : 'b', index, size);
  });
  let read = 0;
  function* counted(sql: string, ...values: Value[]) {
    for (const row of statements.eachExact(sql, ...values)) {
      read++;
      yield row;
    }
  }
  const rows: number[] = [];
  const work = (condition: string, values: readonly Value[]): void => {
    rows.push(Number(statements.one(`SELECT count(*) AS rows FROM items WHERE ${condition}`, ...values)?.['rows']));
  };
  const parts = partsOf({ eachExact: counted }, 'items', PARTS, work);
  while (!parts.next().done);
  database.close();
  return { rows, read };
}

describe('The parts of a table', () => {
  it('contain each row once, at most 1,000 rows, and at most 2 MiB', () => {
    assert.deepEqual(partsWith([]).rows, []);
    assert.deepEqual(partsWith(Array.from({ length: 2_500 }, () => 10)).rows, [1_000, 1_000, 500]);
    assert.deepEqual(partsWith(Array.from({ length: 5 }, () => MIB)).rows, [2, 2, 1]);
  });

  it('contain one row that is larger than a part', () => {
    assert.deepEqual(partsWith([3 * MIB, 1, 3 * MIB, 1]).rows, [1, 1, 2]);
  });

  it('are found without reading each row', () => {
    const { rows, read } = partsWith(Array.from({ length: 5_000 }, () => 10));
    assert.equal(read, rows.length);
  });
});

describe('A batch', () => {
  const rows = (...sizes: readonly (number | bigint)[]) => sizes.map((bytes) => ({ bytes }));

  it('has at most 100 rows and 2 MiB, but at least one row', () => {
    const small = Array.from({ length: 101 }, () => 1n);
    assert.equal(batchOf(rows(...small)).length, 100);
    assert.equal(batchOf(rows(...small), 3).length, 3);
    assert.deepEqual(batchOf(rows(MIB, MIB, 1)), rows(MIB, MIB));
    assert.deepEqual(batchOf(rows(BigInt(3 * MIB), 1)), rows(BigInt(3 * MIB)));
    assert.deepEqual(batchOf([]), []);
  });
});
