import { Measured } from '../../domain/measured.ts';
import {
  bucketOf,
  FIRST_LEVEL,
  LAST_LEVEL,
  METRIC_LEVELS,
  nextLevel,
  ROLL_UP_DELAY_MS,
} from '../../domain/metricBuckets.ts';
import type { Crash, MetricRow, MetricStore } from '../metricStore.ts';
import type { Row } from './rows.ts';
import type { Statements } from './statements.ts';

/** Maximum number of buckets in memory, which have about 5 kB. */
const MAX_CACHED = 500;
/** Maximum number of rows that one call rolls up or removes. */
const BATCH = 100;
/** Maximum number of crashes of an endpoint. */
const MAX_CRASHES = 1_000;

/** A bucket of one release. */
interface Key {
  readonly endpointId: string;
  readonly stepMs: number;
  readonly release: number;
  readonly start: number;
}

interface Bucket extends Key {
  readonly measured: Measured;
  /** Whether the current transaction has changed it. */
  changed: boolean;
}

/**
 * Metrics in SQLite. Each value is in one row of the table until the row is rolled up: then it is also in the row of a longer bucket, and the
 * row has the flag `rolled`. So reading takes the rows of the requested length, and the shorter ones without the flag.
 *
 * The current buckets are cached. A transaction changes them in memory and writes each of them once, at its end.
 */
export function sqliteMetrics({ one, all, each, run, transaction, atEnd }: Statements): MetricStore {
  const cache = new Map<string, Bucket>();
  const changed: Bucket[] = [];

  const write = (): void => {
    for (const bucket of changed) {
      put(bucket, bucket.measured);
      bucket.changed = false;
    }
    changed.length = 0;
    if (cache.size > MAX_CACHED) cache.clear();
  };
  const forget = (): void => {
    changed.length = 0;
    cache.clear();
  };
  atEnd(write, forget);

  const put = ({ endpointId, stepMs, release, start }: Key, measured: Measured): void =>
    void run(PUT, endpointId, stepMs, release, start, measured.encode());

  /** Returns the bucket that is not rolled up yet, or an empty one. */
  const read = (key: Key): Bucket => {
    const { endpointId, stepMs, release, start } = key;
    const row = one(GET, endpointId, stepMs, release, start);
    const longer = row?.['rolled'] === 1 ? nextLevel(stepMs) : undefined;
    if (longer) return read({ ...key, stepMs: longer.stepMs, start: bucketOf(longer.stepMs, start) });
    return { ...key, measured: (row && measuredOf(row)) ?? new Measured(), changed: false };
  };

  /** Adds the first rows of a level to longer buckets. Returns their number. */
  const rollUpRows = (stepMs: number, longerMs: number, now: number): number => {
    const rows = all(ROLLABLE, stepMs, bucketOf(longerMs, now - ROLL_UP_DELAY_MS));
    const targets = new Map<string, Bucket>();
    for (const row of rows) {
      const { endpointId, release } = keyOf(row);
      const start = bucketOf(longerMs, row['start'] as number);
      const name = `${release} ${start} ${endpointId}`;
      const target = targets.get(name) ?? read({ endpointId, release, start, stepMs: longerMs });
      targets.set(name, target);
      const measured = measuredOf(row);
      if (measured) target.measured.merge(measured);
      run('UPDATE metrics SET rolled = 1 WHERE id = ?', row['id'] as number);
    }
    for (const target of targets.values()) put(target, target.measured);
    return rows.length;
  };

  return {
    measure: ({ endpointId, release, at }, add) => {
      const start = bucketOf(FIRST_LEVEL.stepMs, at);
      const name = `${release} ${start} ${endpointId}`;
      const bucket = cache.get(name) ?? read({ endpointId, release, start, stepMs: FIRST_LEVEL.stepMs });
      if (bucket.stepMs > FIRST_LEVEL.stepMs) {
        // Not cached, because other short buckets belong to this one.
        add(bucket.measured);
        put(bucket, bucket.measured);
        return;
      }
      cache.set(name, bucket);
      if (!bucket.changed) {
        bucket.changed = true;
        changed.push(bucket);
      }
      add(bucket.measured);
    },
    select: ({ endpointId, release, from, to }, stepMs) => {
      // The result includes earlier changes of the current transaction.
      write();
      const rows: MetricRow[] = [];
      for (const level of METRIC_LEVELS) {
        if (level.stepMs > stepMs) break;
        const isWhole = level.stepMs === stepMs;
        for (const row of each(isWhole ? SELECT : SELECT_UNROLLED, endpointId, level.stepMs, from, to)) {
          const key = keyOf(row);
          const measured = release === undefined || release === key.release ? measuredOf(row) : undefined;
          if (measured) rows.push({ ...key, measured });
        }
      }
      return rows;
    },
    addCrash: ({ endpointId, workerId, release, at }) =>
      transaction(() => {
        run(
          'INSERT INTO metric_crashes (endpoint_id, worker_id, release, at) VALUES (?, ?, ?, ?)',
          endpointId,
          workerId,
          release,
          at,
        );
        run(DROP_CRASHES, endpointId, endpointId);
      }),
    crashes: ({ endpointId, release, from, to }) =>
      all(CRASHES, endpointId, from, to)
        .map((row) => crashOf(endpointId, row))
        .filter((crash) => release === undefined || crash.release === release),
    setRun: ({ from, to }) => void run('INSERT OR REPLACE INTO metric_runs VALUES (?, ?)', from, to),
    runs: ({ from, to }) =>
      all('SELECT * FROM metric_runs WHERE ended_at >= ? AND started_at < ? ORDER BY started_at', from, to).map(
        (row) => ({
          from: row['started_at'] as number,
          to: row['ended_at'] as number,
        }),
      ),
    rollUp: (now) =>
      transaction(() => {
        write();
        for (const { stepMs, keptMs } of METRIC_LEVELS) {
          const longer = nextLevel(stepMs);
          const rolled = longer ? rollUpRows(stepMs, longer.stepMs, now) : 0;
          const removed = run(REMOVE_OLD, stepMs, longer ? 1 : 0, now - keptMs).changes;
          if (rolled + removed === 0) continue;
          cache.clear();
          return true;
        }
        const oldest = now - LAST_LEVEL.keptMs;
        run('DELETE FROM metric_runs WHERE ended_at < ?', oldest);
        run('DELETE FROM metric_crashes WHERE at < ?', oldest);
        return false;
      }),
    remove: (endpointId) =>
      transaction(() => {
        write();
        cache.clear();
        run('DELETE FROM metric_crashes WHERE endpoint_id = ?', endpointId);
        return run(REMOVE, endpointId).changes > 0;
      }),
  };
}

const keyOf = (row: Row): Key => ({
  endpointId: row['endpoint_id'] as string,
  stepMs: row['step'] as number,
  release: row['release'] as number,
  start: row['start'] as number,
});

/** Returns undefined for a value that a later version has written. */
const measuredOf = (row: Row): Measured | undefined => Measured.decode(row['value'] as Uint8Array);

const crashOf = (endpointId: string, row: Row): Crash => ({
  endpointId,
  workerId: row['worker_id'] as string,
  release: row['release'] as number,
  at: row['at'] as number,
});

const PUT = `
  INSERT INTO metrics (endpoint_id, step, release, start, rolled, value) VALUES (?, ?, ?, ?, 0, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value`;
const GET = 'SELECT rolled, value FROM metrics WHERE endpoint_id = ? AND step = ? AND release = ? AND start = ?';
const SELECT = 'SELECT * FROM metrics WHERE endpoint_id = ? AND step = ? AND start >= ? AND start < ?';
const SELECT_UNROLLED = `${SELECT} AND rolled = 0`;
const ROLLABLE = `SELECT * FROM metrics WHERE step = ? AND rolled = 0 AND start < ? ORDER BY start LIMIT ${BATCH}`;
const REMOVE_OLD = `
  DELETE FROM metrics WHERE id IN (SELECT id FROM metrics WHERE step = ? AND rolled = ? AND start < ? ORDER BY start LIMIT ${BATCH})`;
const REMOVE = `DELETE FROM metrics WHERE id IN (SELECT id FROM metrics WHERE endpoint_id = ? LIMIT ${BATCH})`;
const CRASHES = 'SELECT * FROM metric_crashes WHERE endpoint_id = ? AND at >= ? AND at < ? ORDER BY at, id';
const DROP_CRASHES = `
  DELETE FROM metric_crashes WHERE endpoint_id = ? AND id NOT IN (
    SELECT id FROM metric_crashes WHERE endpoint_id = ? ORDER BY id DESC LIMIT ${MAX_CRASHES}
  )`;
