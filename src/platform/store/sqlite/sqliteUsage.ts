import { OWNER_ACCOUNT_ID } from '../../domain/account.ts';
import {
  chargesBy,
  DAY_MS,
  HOUR_MS,
  startOf,
  type Charge,
  type UnsettledUsage,
  type UsageKind,
} from '../../domain/metering.ts';
import { joinAmount, splitAmount, type NanoUsd } from '../../domain/money.ts';
import type { Row } from './rows.ts';
import type { Statements } from './statements.ts';
import type { UsageQuery, UsageStore } from '../store.ts';

/**
 * Usage in SQLite. The ledger has a row for each usage that is not settled. Sums per hour and per day exist for each resource and for the
 * whole account. They change in the transaction that changes the ledger. Settled usage is only in the sums, so the ledger stays small.
 */
export function sqliteUsage({ transaction, eachExact, run }: Statements): UsageStore {
  /**
   * Moves the cost of a row before `until` from the ledger to the sums, at most `hours` hours of it. Deletes the row once all of it has
   * moved.
   */
  const settleRow = (row: Row, until: number, hours: number, sums: ChangedSums): void => {
    const usage = usageOfRow(row);
    const to = Math.min(until, startOf(HOUR_MS, usage.settledTo) + hours * HOUR_MS);
    for (const charge of chargesBy(HOUR_MS, usage, usage.settledTo, to))
      sums.add({ ...charge, accountId: usage.accountId });
    if (to === usage.endedAt) run('DELETE FROM usage WHERE id = ?', row['id'] as bigint);
    else run('UPDATE usage SET settled_to = ? WHERE id = ?', to, row['id'] as bigint);
  };

  return {
    start: ({ accountId = OWNER_ACCOUNT_ID, sourceId, resourceId, kind, nanoUsdPerMonth, stepMs, startedAt }) => {
      if (nanoUsdPerMonth > 0n)
        run(INSERT_USAGE, accountId, sourceId, resourceId, kind, nanoUsdPerMonth, stepMs, startedAt, startedAt);
    },
    end: (sourceId, endedAt) =>
      transaction(() => {
        // If the clock was set back, existing charges stay.
        run(END_USAGE, endedAt, sourceId);
        const sums = new ChangedSums();
        for (const row of [...eachExact('SELECT * FROM usage WHERE source_id = ?', sourceId)])
          if (row['ended_at'] !== null) settleRow(row, Number(row['ended_at']), BATCH, sums);
        sums.write(run);
      }),
    record: (charge) =>
      transaction(() => {
        const sums = new ChangedSums();
        sums.add(charge);
        sums.write(run);
      }),
    settle: (now) =>
      transaction(() => {
        const hour = startOf(HOUR_MS, now);
        const rows = [...eachExact(DUE, hour)];
        const sums = new ChangedSums();
        for (const row of rows) settleRow(row, Number(row['ended_at'] ?? hour), Math.ceil(BATCH / rows.length), sums);
        sums.write(run);
        return rows.length > 0;
      }),
    *sums(query, now) {
      const { accountId = OWNER_ACCOUNT_ID, grain, from, to, of } = query;
      const kinds = JSON.stringify(query.kinds);
      const sums =
        of === 'eachResource'
          ? eachExact(SUMS_OF_EACH, accountId, grain, from, to, kinds)
          : eachExact(SUMS_OF_ONE, accountId, grain, of === 'account' ? ACCOUNT : of.resourceId, from, to, kinds);
      for (const row of sums) yield sumOfRow(row);
      yield* accrued(query, now);
    },
  };

  /** Yields costs that are owed and not in the sums yet. */
  function* accrued(
    { accountId = OWNER_ACCOUNT_ID, grain, from, to, kinds, of }: UsageQuery,
    now: number,
  ): Generator<Charge> {
    const rows =
      typeof of === 'object'
        ? eachExact(`${OF_ACCOUNT} AND resource_id = ?`, accountId, of.resourceId)
        : eachExact(OF_ACCOUNT, accountId);
    for (const row of rows) {
      const usage = usageOfRow(row);
      if (!kinds.includes(usage.kind)) continue;
      const resourceId = of === 'account' ? ACCOUNT : usage.resourceId;
      const end = Math.min(usage.endedAt ?? now, to);
      yield* chargesBy(LENGTHS[grain], { ...usage, resourceId }, Math.max(usage.settledTo, from), end);
    }
  }
}

const LENGTHS = { hour: HOUR_MS, day: DAY_MS } as const;
const GRAINS = Object.entries(LENGTHS);

/** Resource ID of the sums of the whole account. No resource has an empty ID. */
const ACCOUNT = '';
/**
 * Number of hours that one call adds to the sums, so that it takes a few milliseconds. Until the next call, queries compute the remaining
 * hours.
 */
const BATCH = 100;

type SumKey = [accountId: string, grain: string, resourceId: string, start: number, kind: UsageKind];

/** Charges of one transaction, added up so that it writes each sum once. */
class ChangedSums {
  readonly #sums = new Map<string, { readonly key: SumKey; nanoUsd: NanoUsd }>();

  add({ accountId = OWNER_ACCOUNT_ID, kind, resourceId, nanoUsd, at }: Charge): void {
    for (const [grain, length] of GRAINS) {
      for (const id of [resourceId, ACCOUNT]) {
        const key: SumKey = [accountId, grain, id, startOf(length, at), kind];
        const name = JSON.stringify(key);
        const sum = this.#sums.get(name);
        if (sum) sum.nanoUsd += nanoUsd;
        else this.#sums.set(name, { key, nanoUsd });
      }
    }
  }

  write(run: Statements['run']): void {
    for (const { key, nanoUsd } of this.#sums.values()) {
      const { dollars, nano } = splitAmount(nanoUsd);
      run(ADD_TO_SUM, ...key, nano, dollars);
    }
  }
}

const INSERT_USAGE = `
  INSERT INTO usage (account_id, source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, settled_to)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const END_USAGE = 'UPDATE usage SET ended_at = max(?, settled_to) WHERE source_id = ? AND ended_at IS NULL';
const OF_ACCOUNT = 'SELECT * FROM usage WHERE account_id = ?';
const DUE = `SELECT * FROM usage WHERE settled_to < ? ORDER BY settled_to LIMIT ${BATCH}`;
/** Stores whole dollars in a separate column, so that neither column can overflow. */
const ADD_TO_SUM = `
  INSERT INTO usage_sums (account_id, grain, resource_id, start, kind, nano_usd, usd) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    usd = usd + excluded.usd + (nano_usd + excluded.nano_usd) / 1000000000,
    nano_usd = (nano_usd + excluded.nano_usd) % 1000000000`;
const OF_KINDS = 'kind IN (SELECT value FROM json_each(?))';
const SUMS_OF_ONE = `
  SELECT * FROM usage_sums WHERE account_id = ? AND grain = ? AND resource_id = ? AND start >= ? AND start < ? AND ${OF_KINDS}`;
/** Skips from resource to resource in the index instead of scanning all sums of a grain. */
const SUMS_OF_EACH = `
  WITH RECURSIVE resources (id) AS (
    SELECT min(resource_id) FROM usage_sums WHERE account_id = ?1 AND grain = ?2 AND resource_id > '${ACCOUNT}'
    UNION ALL
    SELECT (SELECT min(resource_id) FROM usage_sums WHERE account_id = ?1 AND grain = ?2 AND resource_id > id)
    FROM resources WHERE id IS NOT NULL
  )
  SELECT usage_sums.* FROM resources CROSS JOIN usage_sums
  WHERE account_id = ?1 AND grain = ?2 AND resource_id = id AND start >= ?3 AND start < ?4
    AND kind IN (SELECT value FROM json_each(?5))`;

function sumOfRow(row: Row): Charge {
  return {
    resourceId: row['resource_id'] as string,
    at: Number(row['start']),
    kind: row['kind'] as UsageKind,
    nanoUsd: joinAmount(row['usd'] as bigint, row['nano_usd'] as bigint),
  };
}

function usageOfRow(row: Row): UnsettledUsage {
  return {
    accountId: row['account_id'] as string,
    sourceId: row['source_id'] as string,
    resourceId: row['resource_id'] as string,
    kind: row['kind'] as UsageKind,
    nanoUsdPerMonth: row['nano_usd_per_month'] as bigint,
    stepMs: Number(row['step_ms']),
    startedAt: Number(row['started_at']),
    endedAt: row['ended_at'] === null ? undefined : Number(row['ended_at']),
    settledTo: Number(row['settled_to']),
  };
}
