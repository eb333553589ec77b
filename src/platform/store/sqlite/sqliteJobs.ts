import { type JobRequest, JOB_STATUSES, type JobStatus } from '../../../contract/job.ts';
import type { JobRecord, JobCounts } from '../../domain/job.ts';
import type { LargeJson } from '../../domain/largeJson.ts';
import { isInvalidTime, type Quarantine } from './quarantine.ts';
import { batchOf, NOT_REMOVED } from './tableParts.ts';
import {
  JOB_COLUMNS,
  countedOf,
  endedJobOfRow,
  jobChanges,
  jobOfRow,
  jobValues,
  optionalText,
  type LargeReferences,
  type Row,
} from './rows.ts';
import type { Sealing } from './sealing.ts';
import { mapped, type Statements } from './statements.ts';
import type { JobStore, KeyedJob } from '../jobStore.ts';

interface JobParts {
  readonly sealing: Sealing;
  readonly quarantine: Pick<Quarantine, 'setAside' | 'usableJob'>;
  readonly largeValues: LargeReferences;
}

/** Jobs in SQLite, and the chunks of output that have not been read yet. */
export function sqliteJobs(statements: Statements, { sealing, quarantine, largeValues }: JobParts): JobStore {
  const { one, all, each, run, transaction } = statements;
  const counts = sqliteJobCounts(statements);
  const { usableJob } = quarantine;
  /** Reads part of a job. Sets the job aside if the part is unreadable, and returns undefined. */
  const readableIn = <T>(row: Row, reason: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch {
      quarantine.setAside('jobs', reason, 'id = ?', row['id'] as string);
      return undefined;
    }
  };
  const readable = (row: Row): JobRecord | undefined =>
    readableIn(row, 'cannot be read: its output or its error is not JSON', () => jobOfRow(row, largeValues));
  const requestOf = (jobId: string, { request: text, large_input: large }: Row): JobRequest => {
    const request = sealing.parse('requests', jobId, text as string) as JobRequest;
    return large === null ? request : { ...request, input: largeInput(largeValues.read(large as string)) };
  };
  return {
    insert: (job, request, key) =>
      transaction(() => {
        const large = largeValues.refer(request.input);
        const { lastInsertRowid } = key
          ? run(INSERT_KEYED_JOB, ...jobValues(job), large, key.key, key.digest)
          : run(INSERT_JOB, ...jobValues(job), large);
        // A placeholder keeps the order of the members.
        const stored = large === null ? request : { ...request, input: null };
        run('INSERT INTO job_requests VALUES (?, ?)', lastInsertRowid, sealing.stringify('requests', job.id, stored));
        counts.add(job, 1);
      }),
    withKey: (endpointId, key) =>
      mapped(one(KEYED_JOB, endpointId, key), ({ id, request_digest: digest }) => ({ id, digest }) as KeyedJob),
    update: (before, after) =>
      transaction(() => {
        const changes = jobChanges(before, after, largeValues);
        const columns = Object.keys(changes);
        if (columns.length === 0) return;
        const set = columns.map((column) => `${column} = ?`).join(', ');
        run(`UPDATE jobs SET ${set} WHERE id = ?`, ...Object.values(changes), after.id);
        counts.add(before, -1);
        counts.add(after, 1);
      }),
    get: (endpointId, id) =>
      mapped(one(`${jobIf(usableJob())} AND endpoint_id = ? AND ${NOT_REMOVED}`, id, endpointId), readable),
    has: (id) => one(`SELECT 1 FROM jobs WHERE id = ? AND ${NOT_REMOVED}`, id) !== undefined,
    runBy: (id) => {
      const row = one('SELECT worker_id, endpoint_id FROM jobs WHERE id = ? AND worker_id IS NOT NULL', id);
      return row && { workerId: row['worker_id'] as string, endpointId: row['endpoint_id'] as string };
    },
    traced: (id) => {
      const row = one('SELECT endpoint_id, trace_parent FROM jobs WHERE id = ?', id);
      return row && { id, endpointId: row['endpoint_id'] as string, traceParent: optionalText(row['trace_parent']) };
    },
    request: (jobId) => {
      const row = one('SELECT request, large_input FROM jobs JOIN job_requests USING (sequence) WHERE id = ?', jobId);
      if (!row) throw new Error(`job ${jobId} has no request`);
      return requestOf(jobId, row);
    },
    delete: (id) =>
      transaction(() => {
        run('DELETE FROM job_chunks WHERE job_id = ?', id);
        const row = one('DELETE FROM jobs WHERE id = ? RETURNING *', id);
        if (!row) return;
        run('DELETE FROM job_requests WHERE sequence = ?', row['sequence'] as number);
        run('DELETE FROM job_events WHERE job = ?', row['sequence'] as number);
        counts.add(countedOf(row), -1);
      }),
    unfinishedRemoved: (endpointId) =>
      batchOf(each(`${REMOVED} AND ${usableJob()} AND status IN ('IN_QUEUE', 'IN_PROGRESS')`, endpointId)).map(
        identityOf,
      ),
    getRemoved: (id) => mapped(one(`${jobIf(usableJob())} AND NOT ${NOT_REMOVED}`, id), readable),
    deleteRemoved: (endpointId) =>
      transaction(() => {
        const jobs = batchOf(each(REMOVED, endpointId));
        const ids = JSON.stringify(jobs.map(({ id }) => id as string));
        const chunks = sequencesOf(batchOf(each(CHUNK_SIZES, ids)));
        run('DELETE FROM job_chunks WHERE sequence IN (SELECT value FROM json_each(?))', chunks);
        if (one(`SELECT 1 ${CHUNKS_OF_JOBS} LIMIT 1`, ids)) return true;
        const sequences = sequencesOf(jobs);
        run('DELETE FROM job_requests WHERE sequence IN (SELECT value FROM json_each(?))', sequences);
        run('DELETE FROM job_events WHERE job IN (SELECT value FROM json_each(?))', sequences);
        run('DELETE FROM jobs WHERE sequence IN (SELECT value FROM json_each(?))', sequences);
        if (jobs.length > 0) return true;
        counts.forget(endpointId);
        return false;
      }),
    queued: (endpointId, limit) => all(queuedIf(usableJob()), endpointId, limit).flatMap((row) => readable(row) ?? []),
    queuedWithRequests: (endpointId, limit) =>
      all(queuedWithRequestsIf(usableJob()), endpointId, limit).flatMap((row) => {
        const job = readable(row);
        const request = job && readableIn(row, UNREADABLE_REQUEST, () => requestOf(job.id, row));
        return job && request ? { job, request } : [];
      }),
    queuedSince: (endpointId, limit) => all(QUEUED_SINCE, endpointId, limit).map((row) => row['queued_at'] as number),
    lastQueuedAt: (endpointId) => (one(LAST_QUEUED, endpointId)?.['queued_at'] as number | undefined) ?? 0,
    ids: (endpointId, status, { queuedBy = Number.MAX_SAFE_INTEGER, limit = -1 }) =>
      all(JOB_IDS, endpointId, status, queuedBy, limit).map((row) => row['id'] as string),
    beginPurge: (endpointId, queuedBy) => void run(BEGIN_PURGE, endpointId, queuedBy),
    purging: () =>
      all('SELECT endpoint_id, queued_by FROM purged_queues').map((row) => ({
        endpointId: row['endpoint_id'] as string,
        queuedBy: row['queued_by'] as number,
      })),
    endPurge: (endpointId) => void run('DELETE FROM purged_queues WHERE endpoint_id = ?', endpointId),
    count: counts.of,
    waiting: () => new Map(all(WAITING).map((row) => [row['endpoint_id'] as string, row['jobs'] as number])),
    ended: (endpointId, { from, to }, limit) =>
      all(endedIf(usableJob()), endpointId, from, to, limit).map(endedJobOfRow),
    expired: (now, limit) =>
      batchOf(each(`${SIZES} WHERE expires_at <= ? AND ${usableJob()} ORDER BY expires_at`, now), limit).map(
        identityOf,
      ),
    nextExpiry: () => one(nextExpiryIf(usableJob()))?.['expires_at'] as number | undefined,

    appendChunk: (jobId, output) =>
      run('INSERT INTO job_chunks (job_id, output) VALUES (?, ?)', jobId, JSON.stringify(output)),
    chunks: (jobId, maxLength) => {
      const chunks: unknown[] = [];
      const unreadable: number[] = [];
      let length = 0;
      let last = 0;
      for (const { sequence, output } of each(CHUNKS, jobId) as Iterable<unknown> as Iterable<ChunkRow>) {
        length += output.length;
        if (chunks.length > 0 && length > maxLength) break;
        last = sequence;
        try {
          chunks.push(JSON.parse(output));
        } catch {
          unreadable.push(sequence);
        }
      }
      for (const sequence of unreadable) quarantine.setAside('job_chunks', 'is not JSON', 'sequence = ?', sequence);
      return { chunks, last };
    },
    deleteChunks: (jobId, last = Number.MAX_SAFE_INTEGER) =>
      run('DELETE FROM job_chunks WHERE job_id = ? AND sequence <= ?', jobId, last),
  };
}

const identityOf = (row: Row): Pick<JobRecord, 'id' | 'endpointId'> => ({
  id: row['id'] as string,
  endpointId: row['endpoint_id'] as string,
});

const sequencesOf = (rows: readonly Row[]): string => JSON.stringify(rows.map((row) => row['sequence'] as number));

/** The schema of a request knows only whole inputs. */
const largeInput = (value: LargeJson): JobRequest['input'] => value as unknown as JobRequest['input'];

interface ChunkRow {
  readonly sequence: number;
  readonly output: string;
}

const jobIf = (usable: string): string => `SELECT * FROM jobs WHERE id = ? AND ${usable}`;
const queuedIf = (usable: string): string => `
  SELECT * FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND ${usable} ORDER BY queued_at, sequence LIMIT ?`;
const queuedWithRequestsIf = (usable: string): string => `
  SELECT jobs.*, request FROM jobs JOIN job_requests USING (sequence) WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND ${usable}
  ORDER BY queued_at, jobs.sequence LIMIT ?`;
const UNREADABLE_REQUEST = 'cannot be read: its request is not JSON, or cannot be decrypted';
/** The index contains this column. */
const USABLE_TIME = `NOT (${isInvalidTime('queued_at')})`;
const QUEUED_SINCE = `
  SELECT queued_at FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND low_priority = 0 AND ${USABLE_TIME}
  ORDER BY queued_at LIMIT ?`;
const LAST_QUEUED = `
  SELECT queued_at FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND ${USABLE_TIME}
  ORDER BY queued_at DESC LIMIT 1`;
const nextExpiryIf = (usable: string): string =>
  `SELECT expires_at FROM jobs WHERE ${usable} ORDER BY expires_at LIMIT 1`;
const WAITING = `SELECT endpoint_id, jobs FROM job_counts WHERE status = 'IN_QUEUE' AND jobs > 0 AND ${NOT_REMOVED}`;
/** The index contains the columns of the inner query, so jobs that are not among the slowest are not read. */
const endedIf = (usable: string): string => `
  SELECT id, status, created_at, started_at, finished_at, worker_id, release FROM jobs
  WHERE ${NOT_REMOVED} AND ${usable} AND sequence IN (
    SELECT sequence FROM jobs WHERE endpoint_id = ? AND finished_at >= ? AND finished_at < ?
    ORDER BY finished_at - created_at DESC, sequence LIMIT ?
  ) ORDER BY finished_at - created_at DESC, sequence`;
const BEGIN_PURGE = `
  INSERT INTO purged_queues VALUES (?, ?) ON CONFLICT DO UPDATE SET queued_by = max(queued_by, excluded.queued_by)`;
const JOB_IDS = `
  SELECT id FROM jobs WHERE endpoint_id = ? AND status = ? AND queued_at <= ? ORDER BY queued_at, sequence LIMIT ?`;
const SIZES = `
  SELECT jobs.sequence, id, endpoint_id, ifnull(octet_length(output), 0) + ifnull(octet_length(request), 0) AS bytes
  FROM jobs LEFT JOIN job_requests USING (sequence)`;
const REMOVED = `${SIZES} WHERE endpoint_id = ? AND NOT ${NOT_REMOVED}`;
const CHUNKS_OF_JOBS = 'FROM job_chunks WHERE job_id IN (SELECT value FROM json_each(?))';
const CHUNK_SIZES = `SELECT sequence, octet_length(output) AS bytes ${CHUNKS_OF_JOBS}`;
const insertJob = (columns: readonly string[]): string =>
  `INSERT INTO jobs (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
const INSERT_JOB = insertJob([...JOB_COLUMNS, 'large_input']);
const INSERT_KEYED_JOB = insertJob([...JOB_COLUMNS, 'large_input', 'submission_key', 'request_digest']);
const KEYED_JOB = `SELECT id, request_digest FROM jobs WHERE endpoint_id = ? AND submission_key = ? AND ${NOT_REMOVED}`;
const CHUNKS = 'SELECT sequence, output FROM job_chunks WHERE job_id = ? ORDER BY sequence';

interface Change {
  readonly endpointId: string;
  readonly status: JobStatus;
  jobs: number;
  retries: number;
}

/**
 * Number of jobs per status of each endpoint. The counts are maintained as jobs change, so that reading them takes constant time. The
 * changes of a transaction are added up in memory and written at its end, because they mostly concern the same few statuses.
 */
function sqliteJobCounts({ all, run, atEnd }: Statements) {
  const changes = new Map<string, Change>();

  const write = (): void => {
    for (const { endpointId, status, jobs, retries } of changes.values()) {
      if (jobs !== 0 || retries !== 0) run(ADD, endpointId, status, jobs, retries);
    }
    changes.clear();
  };
  atEnd(write, () => changes.clear());

  return {
    /** Call this in a transaction. @param jobs 1 for an added job, -1 for a removed one */
    add: (
      { endpointId, status, retries }: Pick<JobRecord, 'endpointId' | 'status' | 'retries'>,
      jobs: 1 | -1,
    ): void => {
      const key = `${status} ${endpointId}`;
      let change = changes.get(key);
      if (!change) changes.set(key, (change = { endpointId, status, jobs: 0, retries: 0 }));
      change.jobs += jobs;
      change.retries += jobs * retries;
    },
    /** Deletes the counts of an endpoint. Call this in a transaction. */
    forget: (endpointId: string): void => {
      // Earlier changes of the transaction must not be written after the deletion.
      write();
      run('DELETE FROM job_counts WHERE endpoint_id = ?', endpointId);
    },
    of: (endpointId: string): JobCounts => {
      // The result includes earlier changes of the current transaction.
      write();
      return countsOf(all(`SELECT * FROM job_counts WHERE endpoint_id = ? AND ${NOT_REMOVED}`, endpointId));
    },
  };
}

const ADD = `
  INSERT INTO job_counts VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs, retries = retries + excluded.retries`;

function countsOf(rows: readonly Row[]): JobCounts {
  const counts = { ...Object.fromEntries(JOB_STATUSES.map((status) => [status, 0])), retries: 0 } as Record<
    JobStatus | 'retries',
    number
  >;
  for (const row of rows) {
    counts[row['status'] as JobStatus] = row['jobs'] as number;
    counts.retries += row['retries'] as number;
  }
  return counts;
}
