import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LargeJson } from '../../domain/largeJson.ts';
import type { LargeValueStore } from '../store.ts';
import type { Statements } from './statements.ts';

/** Large values in SQLite, and the references of rows to them. */
export interface SqliteLargeValues extends LargeValueStore {
  /** Returns the reference for a row, and keeps the value from now on. Null for any other value. Call it in the transaction of the row. */
  readonly refer: (value: unknown) => string | null;
  readonly read: (reference: string) => LargeJson;
}

/** Number of bytes after which a writer waits for the disk and empties the write-ahead log, so that SQLite copies few pages at once. */
const FLUSH_BYTES = 2 * 1_048_576;
/** Number of parts that one call deletes. */
const DELETED_PARTS = 4;

/** @param emptyLog see `Store.emptyLog` */
export function sqliteLargeValues(statements: Statements, emptyLog: () => Promise<void>): SqliteLargeValues {
  const { one, all, run, transaction } = statements;
  /** Number of writers and readers of each value that must not be deleted yet. */
  const inUse = new Map<string, number>();
  const hold = (reference: string): (() => void) => {
    inUse.set(reference, (inUse.get(reference) ?? 0) + 1);
    return () => {
      const left = (inUse.get(reference) ?? 0) - 1;
      if (left > 0) inUse.set(reference, left);
      else inUse.delete(reference);
    };
  };

  const read = (reference: string): StoredJson =>
    new StoredJson(reference, function* () {
      const release = hold(reference);
      try {
        for (let last = 0; ;) {
          const row = one(NEXT_PART, reference, last);
          if (!row) return;
          last = row['sequence'] as number;
          yield row['content'] as Uint8Array;
        }
      } finally {
        release();
      }
    });

  const write = async (value: LargeJson, reference: string): Promise<void> => {
    run('INSERT INTO large_values VALUES (?, 0)', reference);
    let unflushed = 0;
    for (const part of value.parts()) {
      run('INSERT INTO large_value_parts (reference, content) VALUES (?, ?)', reference, part);
      unflushed += part.byteLength;
      if (unflushed < FLUSH_BYTES) await yieldToEventLoop();
      else {
        unflushed = 0;
        await emptyLog();
      }
    }
  };

  return {
    read,
    refer: (value) => {
      if (!(value instanceof StoredJson)) return null;
      run('UPDATE large_values SET used = 1 WHERE reference = ?', value.reference);
      return value.reference;
    },
    keep: async (value, use) => {
      if (!(value instanceof LargeJson)) return use(value);
      const reference = `${randomUUID()}:${value.byteLength}`;
      const release = hold(reference);
      try {
        await write(value, reference);
        return await use(read(reference));
      } finally {
        release();
      }
    },
    deleteUnused: () =>
      transaction(() => {
        const unused = all('SELECT reference FROM large_values WHERE used = 0 LIMIT ?', inUse.size + 1);
        const reference = unused.map((row) => row['reference'] as string).find((one) => !inUse.has(one));
        if (reference === undefined) return false;
        const { changes } = run(DELETE_PARTS, reference, DELETED_PARTS);
        if (changes < DELETED_PARTS) run('DELETE FROM large_values WHERE reference = ?', reference);
        return true;
      }),
  };
}

/** A large value in the store. Its reference is the only name of its parts. */
class StoredJson extends LargeJson {
  readonly reference: string;
  readonly #parts: () => Iterable<Uint8Array>;

  constructor(reference: string, parts: () => Iterable<Uint8Array>) {
    super();
    this.reference = reference;
    this.#parts = parts;
  }

  get byteLength(): number {
    return Number(this.reference.split(':')[1]);
  }

  parts(): Iterable<Uint8Array> {
    return this.#parts();
  }
}

const NEXT_PART =
  'SELECT sequence, content FROM large_value_parts WHERE reference = ? AND sequence > ? ORDER BY sequence LIMIT 1';
const DELETE_PARTS = `
  DELETE FROM large_value_parts
  WHERE sequence IN (SELECT sequence FROM large_value_parts WHERE reference = ? ORDER BY sequence LIMIT ?)`;
