import { workerUsage } from '../../domain/usage.ts';
import type { LogStore } from '../logStore.ts';
import type { RunRecord, RunStore } from '../runStore.ts';
import type { UsageStore } from '../usageStore.ts';
import { batchOf, NOT_REMOVED } from './removedRows.ts';
import { runOfRow, runParameters } from './rows.ts';
import { insertOf, mapped, type Statements } from './statements.ts';

interface RunParts {
  readonly usage: UsageStore;
  readonly logs: LogStore;
}

/** Workers and their runs in SQLite. */
export function sqliteRuns({ one, all, each, run, transaction }: Statements, { usage, logs }: RunParts): RunStore {
  const putRun = (record: RunRecord): void => void run(PUT_RUN, runParameters(record));
  return {
    removeWorkers: (endpointId) => {
      const workers = batchOf(each(REMOVED, endpointId));
      // The logs are in another database. A worker is removed after its logs, so that none of them is left after a crash.
      for (const { id } of workers) if (logs.remove(id as string)) return true;
      const ids = JSON.stringify(workers.map(({ id }) => id));
      run('DELETE FROM workers WHERE id IN (SELECT value FROM json_each(?))', ids);
      return workers.length > 0;
    },
    insertWorker: ({ id, endpointId, createdAt }) =>
      run('INSERT OR IGNORE INTO workers VALUES (?, ?, ?)', id, endpointId, createdAt),
    getWorker: (endpointId, id) =>
      mapped(one('SELECT * FROM workers WHERE endpoint_id = ? AND id = ?', endpointId, id), (row) => ({
        id,
        endpointId,
        createdAt: row['created_at'] as number,
      })),
    announce: putRun,
    insert: (record) =>
      transaction(() => {
        putRun(record);
        for (const begun of workerUsage(record, record)) usage.start(begun);
      }),
    touch: (now) => run('UPDATE runs SET last_seen_at = ?', now),
    end: (id, endedAt) =>
      transaction(() => {
        run('DELETE FROM runs WHERE id = ?', id);
        usage.end(id, endedAt);
      }),
    listOpen: () => all('SELECT * FROM runs').map(runOfRow),
  };
}

const REMOVED = `SELECT id, 0 AS bytes FROM workers WHERE endpoint_id = ? AND NOT ${NOT_REMOVED}`;
const RUN_COLUMNS = ['id', 'worker_id', 'endpoint_id', 'handle', 'started_at', 'last_seen_at'];
const PUT_RUN = insertOf('runs', RUN_COLUMNS).replace('INSERT', 'INSERT OR REPLACE');
