import { JOB_STATUSES, type JobStatus } from '../../../contract/job.ts';
import type { JobCounts, JobRecord } from '../../domain/job.ts';
import { NOT_REMOVED } from './removedRows.ts';
import type { Row } from './rows.ts';
import type { Statements } from './statements.ts';

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
export function sqliteJobCounts({ all, run, atEnd }: Statements) {
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
