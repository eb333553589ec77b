import assert from 'node:assert/strict';
import path from 'node:path';
import { operations } from '../../src/contract/operations.ts';
import { billingReport } from '../../src/platform/domain/billingReport.ts';
import { resolveWindow, type BillingWindow } from '../../src/platform/domain/buckets.ts';
import { chargesBy, DAY_MS, HOUR_MS, type Charge, type Usage } from '../../src/platform/domain/metering.ts';
import { imageEditCharge, volumeUsage, workerUsage } from '../../src/platform/domain/usage.ts';
import { startPlatform } from '../../src/platform/daemon/start.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { sqliteModule } from '../../src/platform/store/sqlite/sqliteModule.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { settableClock } from '../platform/support.ts';
import { temporaryFolder } from './children.ts';
import { measureInTurns, report } from './compare.ts';
import { median } from './load.ts';

const SIZES = [1_000, 10_000, 100_000];
/** Maximum number of rows for the alternative, whose time grows with the rows. More rows would take minutes. */
const MAX_ROWS_READ = 10_000;
const ROUNDS = 5;
const NOW = Date.parse('2026-11-20T12:34:56Z');
const YEAR = { bucketSize: 'hour', startTime: '2025-11-21T00:00:00Z' } as const;
const ENDPOINTS = 20;
const VOLUMES = 5;

/**
 * Measures how the time for an hourly bill of one year grows with the usage. The alternative reads all rows for each bill, without HTTP.
 * `by endpoint` is the daily report for each serverless endpoint.
 */
export async function run(): Promise<void> {
  for (const rows of SIZES) {
    const folder = temporaryFolder();
    const file = path.join(folder, 'platform.sqlite');
    const everyRow = path.join(folder, 'every-row.sqlite');
    const perSecond = fill(file, everyRow, rows);
    const { bill, each, total } = await bills(folder);
    const name = `bill of ${rows.toLocaleString('en')} rows of usage`;
    const note = `${median(each).toFixed(0)} ms by endpoint; ${Math.round(perSecond)} rows/s written`;
    if (rows > MAX_ROWS_READ) report({ name, unit: 'ms', ours: bill, note });
    else {
      const { every } = await measureInTurns({ every: () => milliseconds(() => naiveBill(everyRow, total)) }, ROUNDS);
      report({ name: `${name} / every row`, unit: 'ms', ours: bill, alternative: every, note });
    }
  }
}

/**
 * Writes usage for the past year with the same calls as the platform, and all its rows into a second file. Returns the number of rows
 * written per second.
 */
function fill(file: string, everyRow: string, rows: number): number {
  const random = randomBelow();
  const store = openSqliteStore(file);
  const written: BilledRow[] = [];
  const start = performance.now();
  for (let volume = 0; volume < VOLUMES; volume++) {
    const usage = volumeUsage({ id: `volume${volume}`, size: 100, type: 'STANDARD' }, NOW - 365 * DAY_MS);
    store.usage.start(usage);
    written.push({ ...usage, endedAt: null, nanoUsd: null });
  }
  while (written.length < rows) {
    store.transaction(() => {
      for (let inBatch = 0; inBatch < 1000 && written.length < rows; inBatch++)
        written.push(...addUsage(store, written.length, random));
    });
  }
  while (store.usage.settle(NOW));
  const seconds = (performance.now() - start) / 1000;
  store.close();
  writeRows(everyRow, written);
  return rows / seconds;
}

/** Writes the usage of an edited image, or of a worker that ran for up to an hour. Returns its rows. */
function addUsage(store: Store, index: number, random: (below: number) => number): BilledRow[] {
  const at = NOW - random(365 * DAY_MS);
  if (random(5) === 0) {
    const charge = imageEditCharge('image-edit', at);
    store.usage.record(charge);
    return [{ ...charge, sourceId: '', nanoUsdPerMonth: 0n, stepMs: 1, startedAt: at, endedAt: at }];
  }
  const id = `run${index}`;
  const usage = workerUsage(
    { id, endpointId: `endpoint${random(ENDPOINTS)}`, startedAt: at },
    { resource: random(2) === 0 ? 'gpu' : 'cpu', nanoUsdPerSecond: 310_000, diskGb: 5 },
  );
  for (const begun of usage) store.usage.start(begun);
  const endedAt = Math.min(NOW, at + random(3_600_000));
  store.usage.end(id, endedAt);
  return usage.map((begun) => ({ ...begun, endedAt, nanoUsd: null }));
}

type BilledRow = Usage & { readonly endedAt: number | null; readonly nanoUsd: bigint | null };

function writeRows(file: string, rows: readonly BilledRow[]): void {
  const database = new (sqliteModule().DatabaseSync)(file);
  database.exec(`
    BEGIN;
    CREATE TABLE usage (
      source_id TEXT, resource_id TEXT, kind TEXT, nano_usd_per_month INTEGER, step_ms INTEGER, started_at INTEGER, ended_at INTEGER,
      nano_usd INTEGER
    )`);
  const insert = database.prepare('INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const { sourceId, resourceId, kind, nanoUsdPerMonth, stepMs, startedAt, endedAt, nanoUsd } of rows)
    insert.run(sourceId, resourceId, kind, nanoUsdPerMonth, stepMs, startedAt, endedAt, nanoUsd);
  database.exec('COMMIT');
  database.close();
}

/** Requests the bills over HTTP. Resolves with their durations in ms, and their total. */
async function bills(dataDir: string): Promise<{ bill: number[]; each: number[]; total: number }> {
  const platform = await startPlatform({ dataDir, clock: settableClock(NOW) });
  try {
    const { baseUrl, apiKey } = platform.announcement;
    const get = async (path: string, query: Record<string, string>): Promise<string> => {
      const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(query).toString()}`, {
        headers: { Authorization: `Bearer ${apiKey}` },
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text;
    };
    const times = { bill: [] as number[], each: [] as number[] };
    let text = '';
    for (let round = 0; round < ROUNDS; round++) {
      let start = performance.now();
      text = await get(operations.listBilling.path, YEAR);
      times.bill.push(performance.now() - start);
      start = performance.now();
      await get(operations.listServerlessBilling.path, { ...YEAR, bucketSize: 'day' });
      times.each.push(performance.now() - start);
    }
    const { metadata } = operations.listBilling.success.body.parse(JSON.parse(text));
    return { ...times, total: metadata.totals.totalAmount };
  } finally {
    await platform.close();
  }
}

/** Computes the bill from all rows that overlap the time window, split by hour. The total must be equal. */
function naiveBill(file: string, total: number): void {
  const database = new (sqliteModule().DatabaseSync)(file);
  const window = resolveWindow(YEAR, NOW);
  const report = billingReport((start, end) => readAll(database, { ...window, start, end }), window);
  for (const batch of report.batches) assert.ok(batch.length > 0);
  assert.equal(report.metadata().totals.totalAmount, total);
  database.close();
}

type Row = Omit<Usage & Charge, 'nanoUsd' | 'nanoUsdPerMonth'> & {
  readonly endedAt: number | null;
  readonly nanoUsdPerMonth: number;
  readonly nanoUsd: number | null;
};

function* readAll(
  database: InstanceType<ReturnType<typeof sqliteModule>['DatabaseSync']>,
  window: BillingWindow,
): Generator<Charge> {
  const sql = `
    SELECT source_id AS sourceId, resource_id AS resourceId, kind, nano_usd_per_month AS nanoUsdPerMonth,
      step_ms AS stepMs, started_at AS startedAt, ended_at AS endedAt, nano_usd AS nanoUsd
    FROM usage WHERE started_at < ? AND (ended_at IS NULL OR ended_at >= ?)`;
  for (const row of database.prepare(sql).iterate(window.end, window.start)) {
    const { nanoUsdPerMonth, nanoUsd, ...rest } = row as unknown as Row;
    const usage = { ...rest, nanoUsdPerMonth: BigInt(nanoUsdPerMonth), nanoUsd: BigInt(nanoUsd ?? 0) };
    if (usage.nanoUsdPerMonth === 0n) yield { ...usage, at: usage.startedAt };
    else
      yield* chargesBy(
        HOUR_MS,
        usage,
        Math.max(usage.startedAt, window.start),
        Math.min(usage.endedAt ?? NOW, window.end),
      );
  }
}

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Returns a function that generates integers below a bound. The sequence is the same in each run. */
function randomBelow(): (below: number) => number {
  let seed = 1;
  return (below) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return Math.floor((seed / 2_147_483_647) * below);
  };
}
