import { OWNER_ACCOUNT_ID } from '../../domain/account.ts';
import {
  chargesBy,
  DAY_MS,
  HOUR_MS,
  owedBefore,
  startOf,
  type Charge,
  type UnsettledUsage,
  type UsageKind,
} from '../../domain/metering.ts';
import { joinAmount, splitAmount, type NanoUsd } from '../../domain/money.ts';
import type { Row } from './rows.ts';
import type { Statements } from './statements.ts';
import type { UsageQuery, UsageStore } from '../usageStore.ts';

/**
 * Usage in SQLite. A ledger has a row per usage and charge. Sums per hour and per day exist for each resource and for the whole account.
 * They change in the transaction that changes the ledger, so a report reads only sums, regardless of the ledger's length.
 */
export function sqliteUsage({ transaction, eachExact, run }: Statements): UsageStore {
  const addToSums = ({ accountId = OWNER_ACCOUNT_ID, kind, resourceId, nanoUsd, at }: Charge): void => {
    for (const [grain, length] of GRAINS) {
      const start = startOf(length, at);
      const { dollars, nano } = splitAmount(nanoUsd);
      run(ADD_TO_SUM, accountId, grain, resourceId, start, kind, nano, dollars);
      run(ADD_TO_SUM, accountId, grain, ACCOUNT, start, kind, nano, dollars);
    }
  };

  /** Adds the cost of a row up to `until` to the sums, at most `MAX_HOURS` hours per call. */
  const settleRow = (id: bigint, usage: UnsettledUsage, until: number): void => {
    const { accountId } = usage;
    const to = Math.min(until, startOf(HOUR_MS, usage.settledTo) + MAX_HOURS * HOUR_MS);
    for (const charge of chargesBy(HOUR_MS, usage, usage.settledTo, to)) addToSums({ ...charge, accountId });
    if (to !== usage.endedAt) run('UPDATE usage SET settled_to = ? WHERE id = ?', to, id);
    else run('UPDATE usage SET settled_to = ?, nano_usd = ? WHERE id = ?', to, storable(owedBefore(usage, to)), id);
  };

  return {
    start: ({ accountId = OWNER_ACCOUNT_ID, sourceId, resourceId, kind, nanoUsdPerMonth, stepMs, startedAt }) => {
      if (nanoUsdPerMonth > 0n)
        run(INSERT_USAGE, accountId, sourceId, resourceId, kind, nanoUsdPerMonth, stepMs, startedAt, startedAt);
    },
    end: (sourceId, endedAt) =>
      transaction(() => {
        for (const row of [...eachExact(`${UNSETTLED} AND source_id = ? AND ended_at IS NULL`, sourceId)]) {
          const usage = usageOfRow(row);
          // If the clock was set back, existing charges stay.
          const end = Math.max(endedAt, usage.settledTo);
          run('UPDATE usage SET ended_at = ? WHERE id = ?', end, row['id'] as bigint);
          settleRow(row['id'] as bigint, { ...usage, endedAt: end }, end);
        }
      }),
    record: (charge) =>
      transaction(() => {
        const { accountId = OWNER_ACCOUNT_ID, resourceId, kind, at, nanoUsd } = charge;
        run(INSERT_CHARGE, resourceId, kind, at, nanoUsd, accountId);
        addToSums(charge);
      }),
    settle: (now) =>
      transaction(() => {
        const hour = startOf(HOUR_MS, now);
        let rows: Row[];
        let last = 0n;
        do {
          rows = [...eachExact(TO_SETTLE, last, hour)];
          for (const row of rows) {
            const usage = usageOfRow(row);
            last = row['id'] as bigint;
            settleRow(last, usage, usage.endedAt ?? hour);
          }
        } while (rows.length === BATCH);
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
    for (const row of eachExact(`${UNSETTLED} AND account_id = ?`, accountId)) {
      const usage = usageOfRow(row);
      if (!kinds.includes(usage.kind) || (typeof of === 'object' && usage.resourceId !== of.resourceId)) continue;
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
/** Maximum number of ledger rows in memory. */
const BATCH = 1000;
/** Maximum number of hours of a row that one call adds to the sums. Until the next call, queries compute the remaining hours. */
const MAX_HOURS = 1_000;

const MAX_NANO_USD = 2n ** 63n - 1n;

/** Caps the cost of a ledger row at the column's maximum. The cost is informational, and nothing is computed from it. */
const storable = (amount: NanoUsd): NanoUsd => (amount > MAX_NANO_USD ? MAX_NANO_USD : amount);

const INSERT_USAGE = `
  INSERT INTO usage (account_id, source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, settled_to)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_CHARGE = `
  INSERT INTO usage
    (account_id, source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, ended_at, settled_to, nano_usd)
  VALUES (?5, '', ?1, ?2, 0, 1, ?3, ?3, ?3, ?4)`;
/** Unsettled usage. The total cost is set once all of it is in the sums. */
const UNSETTLED = 'SELECT * FROM usage WHERE nano_usd IS NULL';
const TO_SETTLE = `${UNSETTLED} AND id > ? AND (ended_at IS NOT NULL OR settled_to < ?) ORDER BY id LIMIT ${BATCH}`;
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
