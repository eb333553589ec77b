import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Transaction } from '../store.ts';
import type { Row } from './rows.ts';

export type Value = string | number | bigint | null | Uint8Array;
type Values = Value[] | [Readonly<Record<string, Value>>];

/** A database with cached prepared statements and nested transactions. */
export interface Statements {
  readonly prepare: (sql: string) => StatementSync;
  readonly one: (sql: string, ...values: Value[]) => Row | undefined;
  readonly all: (sql: string, ...values: Value[]) => Row[];
  /** Iterates over long results. Finish the iteration before any other statement runs. */
  readonly each: (sql: string, ...values: Value[]) => Iterable<Row>;
  /** Iterates with every integer as a BigInt, for columns whose values can exceed the safe integers. */
  readonly eachExact: (sql: string, ...values: Value[]) => Iterable<Row>;
  readonly run: (sql: string, ...values: Values) => { readonly changes: number; readonly lastInsertRowid: number };
  /** Commits all of the work or none of it. Inside another transaction, the work becomes part of it. */
  readonly transaction: <T>(work: (transaction: Transaction) => T) => T;
  /** Number of commits so far. */
  readonly commits: () => number;
  /** Runs `write` at the end of each transaction, and `forget` after each failed one. */
  readonly atEnd: (write: () => void, forget: () => void) => void;
}

/** @param onError called for each error of a write, before it is thrown */
export function statementsOf(database: DatabaseSync, onError: (error: unknown) => void = () => undefined): Statements {
  const preparing = (set: (statement: StatementSync) => void): ((sql: string) => StatementSync) => {
    const prepared = new Map<string, StatementSync>();
    return (sql) => {
      let statement = prepared.get(sql);
      if (!statement) {
        statement = database.prepare(sql);
        set(statement);
        prepared.set(sql, statement);
      }
      return statement;
    };
  };
  const prepare = preparing(() => undefined);
  const prepareExact = preparing((statement) => statement.setReadBigInts(true));
  let effects: Effects | undefined;
  const addTo = (outcome: keyof Effects) => (effect: () => void) => {
    if (!effects) throw new Error('the transaction has ended');
    effects[outcome].push(effect);
  };
  const current: Transaction = { afterCommit: addTo('committed'), afterRollback: addTo('rolledBack') };
  let commits = 0;
  const ends: { readonly write: () => void; readonly forget: () => void }[] = [];
  const commit = <T>(work: (transaction: Transaction) => T): T => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work(current);
      for (const { write } of ends) write();
      database.exec('COMMIT');
      commits++;
      return result;
    } catch (error) {
      onError(error);
      rollBack(database);
      for (const { forget } of ends) forget();
      throw error;
    }
  };
  const transaction = <T>(work: (transaction: Transaction) => T): T => {
    if (effects) return work(current);
    const { committed, rolledBack } = (effects = { committed: [], rolledBack: [] });
    let due = rolledBack;
    try {
      const result = commit(work);
      due = committed;
      return result;
    } finally {
      effects = undefined;
      for (const effect of due) runEffect(effect);
    }
  };
  return {
    prepare,
    one: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
    each: (sql, ...values) => prepare(sql).iterate(...values),
    eachExact: (sql, ...values) => prepareExact(sql).iterate(...values),
    run: (sql, ...values) => {
      const { changes, lastInsertRowid } = prepare(sql).run(...(values as Value[]));
      if (!effects) commits++;
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
    },
    transaction,
    commits: () => commits,
    atEnd: (write, forget) => void ends.push({ write, forget }),
  };
}

/** Effects of a transaction, by its outcome. */
interface Effects {
  readonly committed: (() => void)[];
  readonly rolledBack: (() => void)[];
}

/** An effect that fails is a defect. It ends the process, because a caller would mistake the error for a failed transaction and retry. */
function runEffect(effect: () => void): void {
  try {
    effect();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back, as it can when the disk is full.
  }
}

export function insertOf(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`;
}

export function mapped<T>(row: Row | undefined, map: (row: Row) => T | undefined): T | undefined {
  return row === undefined ? undefined : map(row);
}
