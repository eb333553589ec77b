import { DatabaseSync, StatementSync } from 'node:sqlite';

/** A simulated failure of database writes, as on a full disk. */
export interface FailingWrite {
  /** Returns true after the write has failed. */
  readonly failed: () => boolean;
  readonly restore: () => void;
}

const WRITES = /^\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i;
const SQLITE_FULL = 13;

/**
 * Makes the n-th write from now on fail once. Commits and statements that write count as writes, so a sweep over n covers every point at
 * which a transaction can fail.
 *
 * @param n 1 is the next write
 * @param lasting true if all later writes fail too, until `restore`
 */
export function failWrite(n: number, { lasting = false } = {}): FailingWrite {
  let left = n;
  const count = (): void => {
    left--;
    if (lasting ? left <= 0 : left === 0) {
      throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_FULL });
    }
  };
  const { run, get, all } = statements;
  const { exec } = databases;
  const counted = (method: StatementMethod): StatementMethod =>
    function (...values) {
      if (WRITES.test(this.sourceSQL)) count();
      return method.apply(this, values);
    };
  Object.assign(statements, { run: counted(run), get: counted(get), all: counted(all) });
  databases.exec = function (sql) {
    try {
      if (sql === 'COMMIT') count();
    } catch (error) {
      // SQLite rolls the transaction back when its commit fails.
      exec.call(this, 'ROLLBACK');
      throw error;
    }
    exec.call(this, sql);
  };
  return {
    failed: () => left <= 0,
    restore: () => {
      Object.assign(statements, { run, get, all });
      databases.exec = exec;
    },
  };
}

type StatementMethod = (this: StatementSync, ...values: unknown[]) => unknown;
const statements = StatementSync.prototype as unknown as Record<'run' | 'get' | 'all', StatementMethod>;
const databases = DatabaseSync.prototype as unknown as { exec: (this: DatabaseSync, sql: string) => void };
