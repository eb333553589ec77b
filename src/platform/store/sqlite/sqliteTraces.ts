import type { JobTraceEvent } from '../../domain/jobTraceEvent.ts';
import type { WorkerEventRecord, WorkerTraceEvent } from '../../domain/workerTraceEvent.ts';
import type { TraceStore } from '../traceStore.ts';
import type { Row } from './rows.ts';
import type { Statements } from './statements.ts';

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
