import { JOB_STATUSES, type JobStatus } from '../../../contract/job.ts';
import type { JobCounts, JobRecord } from '../../domain/job.ts';
import type { Row } from './rows.ts';
import type { Statements } from './statements.ts';

interface Change {
  readonly endpointId: string;
  readonly status: JobStatus;
  jobs: number;
  retries: number;
}

/**
 * How many jobs of each status an endpoint has, kept as jobs change so that to tell it takes the same time however many there are.
 * What a transaction changes is summed up, and written at its end: most that are many have the same few statuses.
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
    /** To be called in a transaction. @param jobs 1 for one more, -1 for one less */
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
    /** None are left. To be called in a transaction. */
    forget: (endpointId: string): void => {
      // What the transaction has changed before belongs to it too.
      write();
      run('DELETE FROM job_counts WHERE endpoint_id = ?', endpointId);
    },
    of: (endpointId: string): JobCounts => {
      // What the transaction that it is asked in has changed counts too.
      write();
      return countsOf(all('SELECT * FROM job_counts WHERE endpoint_id = ?', endpointId));
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
