import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { isTerminal, type Job } from '../../src/contract/job.ts';
import { operations } from '../../src/contract/operations.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import type { Api } from '../platform/support.ts';
import { eventually } from '../platform/support.ts';
import { ended } from './support.ts';

/* Load on a platform that is killed, and what must hold afterwards. Processes and containers have the same expectations. */

const SECONDS_PER_MONTH = 30 * 86_400;

export interface Observed {
  /** IDs of the jobs that were accepted with status 200. */
  readonly accepted: Set<string>;
  /** Jobs that had ended when they were read. */
  readonly seenEnded: Map<string, Job>;
}

/** Submits and reads jobs without a pause until the platform ends. */
export async function submitUntilKilled(
  api: Api,
  endpoint: Endpoint,
  { accepted, seenEnded }: Observed,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { id } = await api.run(endpoint, { do: 'echo', value: accepted.size, ms: Math.floor(random() * 15) });
      accepted.add(id);
      const ids = [...accepted];
      const job = await api.job(endpoint, ids[Math.floor(random() * ids.length)] ?? id);
      if (isTerminal(job.status)) seenEnded.set(job.id, job);
    } catch (error) {
      // A refusal is a failure. A missing response is expected, because the platform was killed.
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

/** Asserts that every accepted job completes, and that results read before a kill are unchanged. */
export async function assertRecovered(api: Api, endpoint: Endpoint, { accepted, seenEnded }: Observed): Promise<void> {
  for (const id of accepted) {
    const job = await ended(api, endpoint, id, 120_000);
    assert.equal(job.status, 'COMPLETED', `${id}: ${JSON.stringify(job)}`);
    const seen = seenEnded.get(id);
    if (seen) assert.deepEqual(job, seen, 'a result changed after it was read');
  }
}

/** Creates the database of a platform with a table for the usage that leaves the ledger. Call it before the platform starts. */
export function keepEndedUsage(databaseFile: string): void {
  openSqliteStore(databaseFile).close();
  const database = new DatabaseSync(databaseFile);
  database.exec(`
    CREATE TABLE ended_usage (source_id, kind, nano_usd_per_month, started_at, ended_at);
    CREATE TRIGGER usage_ended AFTER DELETE ON usage BEGIN
      INSERT INTO ended_usage
        VALUES (old.source_id, old.kind, old.nano_usd_per_month, old.started_at, old.ended_at);
    END`);
  database.close();
}

/**
 * Deletes the endpoint, and asserts that each process was charged once, at most until its platform was killed, and that the charges add up
 * to the bill. The database must have the table of `keepEndedUsage`.
 *
 * @param killedAt times at which platforms were killed, in ms since the epoch, in ascending order; none for processes that outlive them
 * @param stop stops the last platform, so that its database can be read
 * @returns number of charged processes
 */
export async function assertChargedOnce(
  api: Api,
  { id }: Endpoint,
  databaseFile: string,
  killedAt: readonly number[],
  stop: () => Promise<void>,
): Promise<number> {
  await api.call(operations.deleteEndpoint, { parameters: { id } });
  const { metadata } = await eventually(
    'all usage has ended',
    async () => {
      const first = await api.call(operations.listBilling, { query: { lastN: 2, bucketSize: 'month' } });
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const second = await api.call(operations.listBilling, { query: { lastN: 2, bucketSize: 'month' } });
      // Volumes are charged as long as they exist.
      return first.metadata.totals.serverlessCpuAmount === second.metadata.totals.serverlessCpuAmount && second;
    },
    60_000,
  );
  await stop();

  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const intervals = database.prepare("SELECT * FROM ended_usage WHERE kind = 'serverlessCpu'").all() as unknown as {
    source_id: string;
    started_at: number;
    ended_at: number;
    nano_usd_per_month: number;
  }[];
  const open = database.prepare("SELECT source_id FROM usage WHERE kind = 'serverlessCpu'").all();
  database.close();
  assert.deepEqual(open, [], 'usage was never closed');
  assert.equal(
    new Set(intervals.map(({ source_id }) => source_id)).size,
    intervals.length,
    'a process is charged twice',
  );
  let nanoUsd = 0;
  for (const { source_id, started_at, ended_at, nano_usd_per_month } of intervals) {
    assert.ok(ended_at >= started_at, `the usage of ${source_id} ends before its start`);
    const killed = killedAt.find((at) => at >= started_at);
    assert.ok(killed === undefined || ended_at <= killed, `${source_id} is charged after its platform was killed`);
    nanoUsd += Math.ceil((ended_at - started_at) / 1000) * (nano_usd_per_month / SECONDS_PER_MONTH);
  }
  const { serverlessCpuAmount } = metadata.totals;
  assert.equal(Math.round(serverlessCpuAmount * 1e9), nanoUsd);
  return intervals.length;
}
