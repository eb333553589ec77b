import { JOB_STATUSES, type JobRequest, type JobStatus } from '../../contract/job.ts';
import { jobOfRow, jobParameters, jobState, type Row } from './rows.ts';
import { insertOf, mapped, type Statements } from './statements.ts';
import type { JobCounts, JobStore } from './store.ts';

/** The jobs of the store in SQLite, and the chunks of output that have not been asked for yet. */
export function sqliteJobs(statements: Statements): JobStore {
  const { one, all, run, transaction } = statements;
  return {
    insertJob: (job, request) =>
      transaction(() => {
        statements.prepare(INSERT_JOB).run(jobParameters(job));
        run('INSERT INTO job_requests VALUES (?, ?)', job.id, JSON.stringify(request));
      }),
    updateJob: (job) => void statements.prepare(UPDATE_JOB).run(jobState(job)),
    getJob: (endpointId, id) =>
      mapped(one('SELECT * FROM jobs WHERE endpoint_id = ? AND id = ?', endpointId, id), jobOfRow),
    getRequest: (jobId) => {
      const row = one('SELECT request FROM job_requests WHERE job_id = ?', jobId);
      if (!row) throw new Error(`there is no request of job ${jobId}`);
      return JSON.parse(row['request'] as string) as JobRequest;
    },
    deleteJob: (id) =>
      transaction(() => {
        run('DELETE FROM job_chunks WHERE job_id = ?', id);
        run('DELETE FROM job_requests WHERE job_id = ?', id);
        run('DELETE FROM jobs WHERE id = ?', id);
      }),
    queuedJobs: (endpointId, limit) => all(QUEUED, endpointId, limit).map(jobOfRow),
    queuedSince: (endpointId, limit) => all(QUEUED_SINCE, endpointId, limit).map((row) => row['queued_at'] as number),
    jobIds: (endpointId, status, { queuedBy = Number.MAX_SAFE_INTEGER, limit = -1 }) =>
      all(JOB_IDS, endpointId, status, queuedBy, limit).map((row) => row['id'] as string),
    countJobs: (endpointId) => jobCounts(all('SELECT * FROM job_counts WHERE endpoint_id = ?', endpointId)),
    expiredJobs: (now, limit) =>
      all('SELECT id, endpoint_id FROM jobs WHERE expires_at <= ? ORDER BY expires_at LIMIT ?', now, limit).map(
        (row) => ({
          id: row['id'] as string,
          endpointId: row['endpoint_id'] as string,
        }),
      ),
    nextExpiry: () => (one('SELECT min(expires_at) AS next FROM jobs')?.['next'] as number | null) ?? undefined,

    appendChunk: (jobId, output) =>
      run('INSERT INTO job_chunks (job_id, output) VALUES (?, ?)', jobId, JSON.stringify(output)),
    takeChunks: (jobId, maxLength = Infinity) =>
      transaction(() => {
        const taken: unknown[] = [];
        let length = 0;
        let last = 0;
        for (const { sequence, output } of statements.prepare(CHUNKS).iterate(jobId) as Iterable<ChunkRow>) {
          length += output.length;
          if (taken.length > 0 && length > maxLength) break;
          taken.push(JSON.parse(output));
          last = sequence;
        }
        if (taken.length > 0) run('DELETE FROM job_chunks WHERE job_id = ? AND sequence <= ?', jobId, last);
        return taken;
      }),
  };
}

interface ChunkRow {
  readonly sequence: number;
  readonly output: string;
}

const QUEUED = `
  SELECT * FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' ORDER BY queued_at, rowid LIMIT ?`;
const QUEUED_SINCE = `
  SELECT queued_at FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND low_priority = 0
  ORDER BY queued_at LIMIT ?`;
const JOB_IDS = `
  SELECT id FROM jobs WHERE endpoint_id = ? AND status = ? AND queued_at <= ? ORDER BY queued_at, rowid LIMIT ?`;
const CHUNKS = 'SELECT sequence, output FROM job_chunks WHERE job_id = ? ORDER BY sequence';

const JOB_STATE = [
  ...['status', 'ttl', 'queued_at', 'started_at', 'finished_at', 'expires_at', 'worker_id', 'lost_workers', 'retries'],
  ...['output', 'error'],
];
const JOB_COLUMNS = ['id', 'endpoint_id', 'execution_timeout', 'low_priority', 'webhook', 'created_at', ...JOB_STATE];
const INSERT_JOB = insertOf('jobs', JOB_COLUMNS);
// Columns that do not change are left out: naming one costs the indexes it is in.
const UPDATE_JOB = `UPDATE jobs SET ${JOB_STATE.map((name) => `${name} = :${name}`).join(', ')} WHERE id = :id`;

function jobCounts(rows: readonly Row[]): JobCounts {
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
