import type { JobRequest } from '../../../contract/job.ts';
import type { JobRecord } from '../../domain/job.ts';
import type { LargeJson } from '../../domain/largeJson.ts';
import type { Quarantine } from './quarantine.ts';
import { JOB_COLUMNS, countedOf, jobChanges, jobOfRow, jobValues, type LargeReferences, type Row } from './rows.ts';
import { sqliteJobCounts } from './sqliteJobCounts.ts';
import type { Sealing } from './sealing.ts';
import { mapped, type Statements } from './statements.ts';
import type { JobStore, KeyedJob } from '../jobStore.ts';

interface JobParts {
  readonly sealing: Sealing;
  readonly quarantine: Pick<Quarantine, 'setAside'>;
  readonly largeValues: LargeReferences;
}

/** Jobs in SQLite, and the chunks of output that have not been read yet. */
export function sqliteJobs(statements: Statements, { sealing, quarantine, largeValues }: JobParts): JobStore {
  const { one, all, each, run, transaction } = statements;
  const counts = sqliteJobCounts(statements);
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
      mapped(one('SELECT * FROM jobs WHERE endpoint_id = ? AND id = ?', endpointId, id), readable),
    has: (id) => one('SELECT 1 FROM jobs WHERE id = ?', id) !== undefined,
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
        counts.add(countedOf(row), -1);
      }),
    deleteOf: (endpointId) =>
      transaction(() => {
        run('DELETE FROM job_chunks WHERE job_id IN (SELECT id FROM jobs WHERE endpoint_id = ?)', endpointId);
        run('DELETE FROM job_requests WHERE sequence IN (SELECT sequence FROM jobs WHERE endpoint_id = ?)', endpointId);
        run('DELETE FROM jobs WHERE endpoint_id = ?', endpointId);
        counts.forget(endpointId);
      }),
    queued: (endpointId, limit) => all(QUEUED, endpointId, limit).flatMap((row) => readable(row) ?? []),
    queuedWithRequests: (endpointId, limit) =>
      all(QUEUED_WITH_REQUESTS, endpointId, limit).flatMap((row) => {
        const job = readable(row);
        const request = job && readableIn(row, UNREADABLE_REQUEST, () => requestOf(job.id, row));
        return job && request ? { job, request } : [];
      }),
    queuedSince: (endpointId, limit) => all(QUEUED_SINCE, endpointId, limit).map((row) => row['queued_at'] as number),
    lastQueuedAt: (endpointId) => (one(LAST_QUEUED, endpointId)?.['last'] as number | null) ?? 0,
    ids: (endpointId, status, { queuedBy = Number.MAX_SAFE_INTEGER, limit = -1 }) =>
      all(JOB_IDS, endpointId, status, queuedBy, limit).map((row) => row['id'] as string),
    count: counts.of,
    expired: (now, limit) =>
      all('SELECT id, endpoint_id FROM jobs WHERE expires_at <= ? ORDER BY expires_at LIMIT ?', now, limit).map(
        (row) => ({
          id: row['id'] as string,
          endpointId: row['endpoint_id'] as string,
        }),
      ),
    nextExpiry: () => (one('SELECT min(expires_at) AS next FROM jobs')?.['next'] as number | null) ?? undefined,

    appendChunk: (jobId, output) =>
      run('INSERT INTO job_chunks (job_id, output) VALUES (?, ?)', jobId, JSON.stringify(output)),
    chunks: (jobId, maxLength) => {
      const chunks: unknown[] = [];
      let length = 0;
      let last = 0;
      for (const { sequence, output } of each(CHUNKS, jobId) as Iterable<unknown> as Iterable<ChunkRow>) {
        length += output.length;
        if (chunks.length > 0 && length > maxLength) break;
        chunks.push(JSON.parse(output));
        last = sequence;
      }
      return { chunks, last };
    },
    deleteChunks: (jobId, last = Number.MAX_SAFE_INTEGER) =>
      run('DELETE FROM job_chunks WHERE job_id = ? AND sequence <= ?', jobId, last),
  };
}

/** The schema of a request knows only whole inputs. */
const largeInput = (value: LargeJson): JobRequest['input'] => value as unknown as JobRequest['input'];

interface ChunkRow {
  readonly sequence: number;
  readonly output: string;
}

const QUEUED = `
  SELECT * FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' ORDER BY queued_at, sequence LIMIT ?`;
const QUEUED_WITH_REQUESTS = `
  SELECT jobs.*, request FROM jobs JOIN job_requests USING (sequence) WHERE endpoint_id = ? AND status = 'IN_QUEUE'
  ORDER BY queued_at, jobs.sequence LIMIT ?`;
const UNREADABLE_REQUEST = 'cannot be read: its request is not JSON, or cannot be decrypted';
const QUEUED_SINCE = `
  SELECT queued_at FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND low_priority = 0
  ORDER BY queued_at LIMIT ?`;
const LAST_QUEUED = `
  SELECT max(queued_at) AS last FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE'`;
const JOB_IDS = `
  SELECT id FROM jobs WHERE endpoint_id = ? AND status = ? AND queued_at <= ? ORDER BY queued_at, sequence LIMIT ?`;
const insertJob = (columns: readonly string[]): string =>
  `INSERT INTO jobs (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
const INSERT_JOB = insertJob([...JOB_COLUMNS, 'large_input']);
const INSERT_KEYED_JOB = insertJob([...JOB_COLUMNS, 'large_input', 'submission_key', 'request_digest']);
const KEYED_JOB = 'SELECT id, request_digest FROM jobs WHERE endpoint_id = ? AND submission_key = ?';
const CHUNKS = 'SELECT sequence, output FROM job_chunks WHERE job_id = ? ORDER BY sequence';
