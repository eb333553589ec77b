import { workerUsage } from '../../domain/usage.ts';
import type { LogStore } from '../logStore.ts';
import type { RunClaim, RunRecord, RunStore, TraceStore } from '../runStore.ts';
import type { GatePortStore, UsageStore } from '../store.ts';
import { batchOf, NOT_REMOVED } from './tableParts.ts';
import { runOfRow, runParameters, type Row } from './rows.ts';
import type { Sealing } from './sealing.ts';
import { insertOf, mapped, type Statements } from './statements.ts';
import type { JobTraceEvent } from '../../domain/jobTraceEvent.ts';
import type { WorkerEventRecord, WorkerTraceEvent } from '../../domain/workerTraceEvent.ts';

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

/** Maximum number of events of the workers of an endpoint. */
const MAX_WORKER_EVENTS = 1_000;
/** Maximum number of events of a job. */
const MAX_JOB_EVENTS = 50;
/** Time in ms that the events of a stopped worker are kept. Those of others are kept for as long as they are among the last ones. */
const KEPT_MS = 48 * 3_600_000;
/** Maximum number of rows that one call removes. */
const BATCH = 500;

/** Events of workers and jobs in SQLite. */
export function sqliteTraces({ all, run, transaction }: Statements): TraceStore {
  const add = ({ endpointId, workerId, release, at, event }: WorkerEventRecord): void =>
    void run(ADD, endpointId, workerId, release, at, event.kind === 'stopped' ? 1 : 0, JSON.stringify(event));
  return {
    addWorkerEvents: (events) =>
      transaction(() => {
        events.forEach(add);
        for (const endpointId of new Set(events.map((event) => event.endpointId)))
          run(DROP_WORKER_EVENTS, endpointId, endpointId);
      }),
    workerEvents: (endpointId) =>
      all('SELECT * FROM worker_events WHERE endpoint_id = ? ORDER BY id', endpointId).flatMap((row) => {
        const event = parsed(row) as WorkerTraceEvent | undefined;
        if (!event) return [];
        const [workerId, release, at] = [row['worker_id'], row['release'], row['at']] as [string, number, number];
        return { endpointId, workerId, release, at, event };
      }),
    stopWorkers: (at, except) => void run(STOP_WORKERS, at, JSON.stringify(except)),
    dropOldWorkers: (now) => run(DROP_OLD, now - KEPT_MS).changes > 0,
    removeWorkers: (endpointId) => run(REMOVE, endpointId).changes > 0,
    addJobEvent: (jobId, event) =>
      transaction(() => {
        if (run(ADD_JOB_EVENT, JSON.stringify(event), jobId).changes > 0) run(DROP_JOB_EVENTS, jobId);
      }),
    jobEvents: (jobId) => all(JOB_EVENTS, jobId).flatMap((row) => (parsed(row) as JobTraceEvent | undefined) ?? []),
  };
}

/** Returns undefined for an event that is not JSON. */
function parsed({ event }: Row): unknown {
  try {
    return JSON.parse(event as string);
  } catch {
    return undefined;
  }
}

const ADD = 'INSERT INTO worker_events (endpoint_id, worker_id, release, at, stopped, event) VALUES (?, ?, ?, ?, ?, ?)';
const DROP_WORKER_EVENTS = `
  DELETE FROM worker_events WHERE endpoint_id = ? AND id <= (
    SELECT id FROM worker_events WHERE endpoint_id = ? ORDER BY id DESC LIMIT 1 OFFSET ${MAX_WORKER_EVENTS}
  )`;
const STOP_WORKERS = `
  INSERT INTO worker_events (endpoint_id, worker_id, release, at, stopped, event)
  SELECT endpoint_id, worker_id, release, ?1, 1, '{"kind":"stopped"}' FROM worker_events
  WHERE id IN (SELECT max(id) FROM worker_events GROUP BY endpoint_id, worker_id)
    AND stopped = 0 AND worker_id NOT IN (SELECT value FROM json_each(?2))`;
const DROP_OLD = `
  DELETE FROM worker_events WHERE id IN (
    SELECT earlier.id FROM worker_events AS last
    JOIN worker_events AS earlier ON earlier.worker_id = last.worker_id AND earlier.id <= last.id
    WHERE last.stopped = 1 AND last.at < ? ORDER BY earlier.id LIMIT ${BATCH}
  )`;
const REMOVE = `DELETE FROM worker_events WHERE id IN (SELECT id FROM worker_events WHERE endpoint_id = ? LIMIT ${BATCH})`;
const ADD_JOB_EVENT = 'INSERT INTO job_events (job, event) SELECT sequence, ?1 FROM jobs WHERE id = ?2';
const OF_JOB = 'job = (SELECT sequence FROM jobs WHERE id = ?1)';
const DROP_JOB_EVENTS = `
  DELETE FROM job_events WHERE ${OF_JOB} AND id <= (
    SELECT id FROM job_events WHERE ${OF_JOB} ORDER BY id DESC LIMIT 1 OFFSET ${MAX_JOB_EVENTS}
  )`;
const JOB_EVENTS = `SELECT event FROM job_events WHERE ${OF_JOB} ORDER BY id`;
