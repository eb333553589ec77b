import { batchOf } from './removedRows.ts';
import type { Statements, Value } from './statements.ts';

/* Long work on a table, in parts. Other work runs between them. */

export interface TableParts {
  /** Columns of a unique index. */
  readonly key: readonly string[];
  /** SQL expression for the number of bytes that the work on a row reads. */
  readonly bytes: string;
}

/** Maximum number of rows in a part. */
const PART_ROWS = 1_000;

/**
 * Calls `work` with each part of a table in the order of its key, and yields after each call.
 *
 * @param work gets an SQL condition for the rows of the part, and its values
 */
export function* partsOf(
  { eachExact }: Pick<Statements, 'eachExact'>,
  table: string,
  { key: columns, bytes }: TableParts,
  work: (condition: string, values: readonly Value[]) => void,
): Generator<void> {
  const key = columns.join(', ');
  const values = `(${columns.map(() => '?').join(', ')})`;
  let before: Value[] = [];
  for (;;) {
    const after = before.length === 0 ? 'TRUE' : `(${key}) > ${values}`;
    const rows = eachExact(`SELECT ${key}, ${bytes} AS bytes FROM ${table} WHERE ${after} ORDER BY ${key}`, ...before);
    const last = batchOf(rows, PART_ROWS).at(-1);
    if (!last) return;
    const to = columns.map((column) => last[column] as Value);
    work(`${after} AND (${key}) <= ${values}`, [...before, ...to]);
    before = to;
    yield;
  }
}

/** Returns a function that runs one step of a generator, and returns false once it has ended. After an error, it begins again. */
export function stepsOf(begin: () => Generator<void>): () => boolean {
  let current: Generator<void> | undefined;
  return () => {
    try {
      return (current ??= begin()).next().done !== true;
    } catch (error) {
      // A generator ends with its error.
      current = undefined;
      throw error;
    }
  };
}
