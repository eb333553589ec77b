import { JOB_STATUSES, type JobStatus } from '../../contract/job.ts';
import { jobOfRow, jobParameters, type Row } from './rows.ts';
import { insertOf, mapped, type Statements } from './statements.ts';
import type { JobCounts, JobStore } from './store.ts';

/** The jobs of the store in SQLite, and the chunks of output that have not been asked for yet. */
export function sqliteJobs(statements: Statements): JobStore {
  const { one, all, run, transaction } = statements;
  return {
    insertJob: (job) => void statements.prepare(INSERT_JOB).run(jobParameters(job)),
    updateJob: (job) => void statements.prepare(UPDATE_JOB).run(jobParameters(job)),
    getJob: (endpointId, id) =>
      mapped(one('SELECT * FROM jobs WHERE endpoint_id = ? AND id = ?', endpointId, id), jobOfRow),
    nextQueuedJob: (endpointId) =>
      mapped(one(`${QUEUED} ORDER BY queued_at, rowid LIMIT 1`, endpointId, 'IN_QUEUE'), jobOfRow),
    queuedSince: (endpointId, limit) =>
      all(QUEUED_SINCE, endpointId, 'IN_QUEUE', limit).map((row) => row['queued_at'] as number),
    listJobs: (endpointId, status) => all(`${QUEUED} ORDER BY queued_at, rowid`, endpointId, status).map(jobOfRow),
    countJobs: (endpointId) => jobCounts(all(COUNT_JOBS, endpointId)),
    removeExpiredJobs: (now) =>
      transaction(() => {
        const expired = all('SELECT * FROM jobs WHERE expires_at <= ?', now).map(jobOfRow);
        for (const { id } of expired) {
          run('DELETE FROM job_chunks WHERE job_id = ?', id);
          run('DELETE FROM jobs WHERE id = ?', id);
        }
        return expired;
      }),
    nextExpiry: () => (one('SELECT min(expires_at) AS next FROM jobs')?.['next'] as number | null) ?? undefined,

    appendChunk: (jobId, output) =>
      run('INSERT INTO job_chunks (job_id, output) VALUES (?, ?)', jobId, JSON.stringify(output)),
    takeChunks: (jobId) =>
      transaction(() => {
        const chunks = all('SELECT output FROM job_chunks WHERE job_id = ? ORDER BY sequence', jobId);
        if (chunks.length > 0) run('DELETE FROM job_chunks WHERE job_id = ?', jobId);
        return chunks.map(({ output }) => JSON.parse(output as string) as unknown);
      }),
  };
}

const QUEUED = 'SELECT * FROM jobs WHERE endpoint_id = ? AND status = ?';
const QUEUED_SINCE = `
  SELECT queued_at FROM jobs WHERE endpoint_id = ? AND status = ? AND low_priority = 0 ORDER BY queued_at LIMIT ?`;
const COUNT_JOBS =
  'SELECT status, count(*) AS jobs, sum(retries) AS retries FROM jobs WHERE endpoint_id = ? GROUP BY status';

const JOB_COLUMNS = [
  ...['id', 'endpoint_id', 'status', 'low_priority', 'created_at', 'queued_at', 'started_at', 'finished_at'],
  ...['expires_at', 'worker_id', 'lost_workers', 'retries', 'request', 'output', 'error'],
];
const INSERT_JOB = insertOf('jobs', JOB_COLUMNS);
const UPDATE_JOB = `UPDATE jobs SET ${JOB_COLUMNS.map((name) => `${name} = :${name}`).join(', ')} WHERE id = :id`;

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
