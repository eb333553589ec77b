import { workerUsage } from '../../domain/usage.ts';
import type { LogStore } from '../logStore.ts';
import type { RunClaim, RunRecord, RunStore } from '../runStore.ts';
import type { GatePortStore, UsageStore } from '../store.ts';
import { batchOf, NOT_REMOVED } from './tableParts.ts';
import { runOfRow, runParameters, type Row } from './rows.ts';
import type { Sealing } from './sealing.ts';
import { insertOf, mapped, type Statements } from './statements.ts';

interface RunParts {
  readonly usage: UsageStore;
  readonly logs: LogStore;
  readonly sealing: Sealing;
}

/** Workers and their runs in SQLite. */
export function sqliteRuns(
  { one, all, each, run, transaction }: Statements,
  { usage, logs, sealing }: RunParts,
): RunStore {
  const putRun = (record: RunRecord): void => {
    const { id, claim } = record;
    run(PUT_RUN, { ...runParameters(record), claim: claim ? sealing.stringify('claims', id, claim) : null });
  };
  const recordOf = (row: Row): RunRecord => {
    const record = runOfRow(row);
    const { claim } = row;
    return claim === null ? record : { ...record, claim: claimOf(sealing, record.id, claim as string) };
  };
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
    setClaim: (id, changes) =>
      run('UPDATE runs SET claim = json_patch(claim, ?) WHERE id = ?', JSON.stringify(changes), id),
    disown: (id) => run('UPDATE runs SET claim = NULL WHERE id = ?', id),
    touch: (now) => run('UPDATE runs SET last_seen_at = ?', now),
    end: (id, endedAt) =>
      transaction(() => {
        run('DELETE FROM runs WHERE id = ?', id);
        usage.end(id, endedAt);
      }),
    listOpen: () => all('SELECT * FROM runs').map(recordOf),
  };
}

const REMOVED = `SELECT id, 0 AS bytes FROM workers WHERE endpoint_id = ? AND NOT ${NOT_REMOVED}`;
/** Returns undefined for a damaged claim. The process is then ended. */
function claimOf({ parse }: Sealing, id: string, json: string): RunClaim | undefined {
  try {
    return parse('claims', id, json) as RunClaim;
  } catch {
    return undefined;
  }
}

const RUN_COLUMNS = ['id', 'worker_id', 'endpoint_id', 'handle', 'started_at', 'last_seen_at', 'claim'];
const PUT_RUN = insertOf('runs', RUN_COLUMNS).replace('INSERT', 'INSERT OR REPLACE');

/** Ports of the worker gate in SQLite. */
export function sqliteGatePorts({ one, run }: Statements): GatePortStore {
  return {
    get: (address) =>
      mapped(one('SELECT port FROM gate_ports WHERE address = ?', address), ({ port }) => port as number),
    set: (address, port) => run('INSERT OR REPLACE INTO gate_ports VALUES (?, ?)', address, port),
  };
}
