import assert from 'node:assert/strict';
import path from 'node:path';
import fc from 'fast-check';
import { billingReport } from '../../../../src/platform/domain/billingReport.ts';
import { resolveWindow } from '../../../../src/platform/domain/buckets.ts';
import { DAY_MS, HOUR_MS, startOf, USAGE_KINDS, type Usage } from '../../../../src/platform/domain/metering.ts';
import { workerUsage } from '../../../../src/platform/domain/usage.ts';
import { migrate } from '../../../../src/platform/store/sqlite/migrate.ts';
import { SCHEMA } from '../../../../src/platform/store/sqlite/schema.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import { sqliteUsage } from '../../../../src/platform/store/sqlite/sqliteUsage.ts';
import { statementsOf, type Statements } from '../../../../src/platform/store/sqlite/statements.ts';
import type { Store } from '../../../../src/platform/store/store.ts';
import { repeatBatches } from '../../../../src/platform/time/pacing.ts';
import { cleanUp, dataDirectory, manualClock } from '../../support.ts';

const YEAR_START = Date.parse('2025-01-01T00:00:00Z');
const YEAR_END = Date.parse('2026-01-01T00:00:00Z');

const usage = (sourceId: string, startedAt: number): Usage => ({
  ...{ sourceId, resourceId: 'r', kind: 'serverlessCpu', nanoUsdPerMonth: 2_592_000n, stepMs: 1000, startedAt },
});

/** One process of a worker: a start or a thaw, and the following freeze or end. */
interface Stretch {
  readonly endpointId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly nanoUsdPerSecond: number;
}

const stretch = (longest: number): fc.Arbitrary<Stretch> =>
  fc
    .record({
      endpointId: fc.constantFrom('a', 'b', 'c'),
      startedAt: fc.integer({ min: YEAR_START, max: YEAR_END - 1 }),
      length: fc.integer({ min: 0, max: longest }),
      nanoUsdPerSecond: fc.integer({ min: 0, max: 3_000_000 }),
    })
    .map(({ length, ...rest }) => ({ ...rest, endedAt: Math.min(YEAR_END, rest.startedAt + length) }));

interface Interruption {
  readonly at: number;
  readonly does: 'settle' | 'restart';
}

const interruption = fc.record({
  at: fc.integer({ min: YEAR_START, max: YEAR_END }),
  does: fc.constantFrom('settle', 'settle', 'restart'),
}) as fc.Arbitrary<Interruption>;

type Amounts = Map<string, bigint>;

function add(amounts: Amounts, key: string, nanoUsd: bigint): void {
  if (nanoUsd > 0n) amounts.set(key, (amounts.get(key) ?? 0n) + nanoUsd);
}

/** Adds up every step of every stretch in the hour in which it begins. */
function unrolled(stretches: readonly Stretch[]): Amounts {
  const amounts: Amounts = new Map();
  for (const { endpointId, startedAt, endedAt, nanoUsdPerSecond } of stretches) {
    for (const [kind, stepMs, nanoUsd] of [
      ['serverlessCpu', 1000, BigInt(nanoUsdPerSecond)],
      ['serverlessDisk', 300_000, NANO_USD_PER_DISK_STEP],
    ] as const) {
      const steps = new Map<number, bigint>();
      for (let at = startedAt; at < endedAt; at += stepMs) {
        const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
        steps.set(hour, (steps.get(hour) ?? 0n) + 1n);
      }
      for (const [hour, count] of steps) add(amounts, `${hour} ${endpointId} ${kind}`, count * nanoUsd);
    }
  }
  return amounts;
}

/** Moves amounts to the buckets that their keys belong to. */
function inBuckets(amounts: Amounts, bucketOf: (at: number, rest: string) => string): Record<string, bigint> {
  const buckets: Amounts = new Map();
  for (const [key, nanoUsd] of amounts) {
    const [at, ...rest] = key.split(' ');
    add(buckets, bucketOf(Number(at), rest.join(' ')), nanoUsd);
  }
  return Object.fromEntries(buckets);
}

/** A step of five minutes costs a whole number of nano-dollars. */
const DISK_GB = 864;
const NANO_USD_PER_DISK_STEP = 10_000_000n;

/** Plays the stretches in order of time, with settlements and restarts in between. Returns the store. */
function play(open: () => Store, stretches: readonly Stretch[], interruptions: readonly Interruption[]): Store {
  let store = open();
  const events = [
    ...interruptions.map(({ at, does }) => ({
      at,
      run: () => {
        if (does === 'settle') store.usage.settle(at);
        else {
          store.close();
          store = open();
        }
      },
    })),
    ...stretches.flatMap(({ endpointId, startedAt, endedAt, nanoUsdPerSecond }, index) => [
      {
        at: startedAt,
        run: () => {
          const run = { id: `${index}`, endpointId, startedAt };
          for (const begun of workerUsage(run, { resource: 'cpu', nanoUsdPerSecond, diskGb: DISK_GB }))
            store.usage.start(begun);
        },
      },
      { at: endedAt, run: () => store.usage.end(`${index}`, endedAt) },
    ]),
  ];
  events.sort((one, other) => one.at - other.at);
  for (const { run } of events) run();
  return store;
}

/** Returns the sums of each resource, by grain. */
function stored(store: Store, grain: 'hour' | 'day'): Record<string, bigint> {
  const amounts: Amounts = new Map();
  const query = { grain, from: YEAR_START, to: YEAR_END, of: 'eachResource', kinds: USAGE_KINDS } as const;
  for (const { at, resourceId, kind, nanoUsd } of store.usage.sums(query, YEAR_END))
    add(amounts, `${startOf(LENGTHS[grain], at)} ${resourceId} ${kind}`, nanoUsd);
  return Object.fromEntries(amounts);
}

const LENGTHS = { hour: HOUR_MS, day: DAY_MS };
const monthOf = (at: number): string =>
  new Date(Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth())).toISOString();

const isoOf = (at: number): string => new Date(at).toISOString();

/** Returns the dollars of the months, as the bills report them. */
function billedMonths(store: Store): Record<string, number> {
  const query = { bucketSize: 'month', startTime: isoOf(YEAR_START), endTime: isoOf(YEAR_END) } as const;
  const window = resolveWindow(query, YEAR_END);
  const sums = (from: number, to: number) =>
    store.usage.sums({ grain: 'day', from, to, of: 'account', kinds: USAGE_KINDS }, YEAR_END);
  const months: Record<string, number> = {};
  for (const records of billingReport(sums, window).batches)
    for (const { startTime, totalAmount } of records) if (totalAmount > 0) months[startTime] = totalAmount;
  return months;
}

function assertBilled(store: Store, stretches: readonly Stretch[]): void {
  const hours = unrolled(stretches);
  for (const grain of ['hour', 'day'] as const)
    assert.deepEqual(
      stored(store, grain),
      inBuckets(hours, (at, rest) => `${startOf(LENGTHS[grain], at)} ${rest}`),
    );
  const months = Object.entries(inBuckets(hours, monthOf));
  assert.deepEqual(
    billedMonths(store),
    Object.fromEntries(months.map(([month, nanoUsd]) => [month, Number(nanoUsd) / 1e9])),
  );
}

describe('Usage ledger', () => {
  afterEach(cleanUp);

  it('bills to the nano-dollar, regardless of freezes, restarts, and the times of settlements', async () => {
    const directory = await dataDirectory();
    let runs = 0;
    const property = fc.property(
      fc.array(stretch(3 * DAY_MS), { maxLength: 6 }),
      fc.array(interruption, { maxLength: 30 }),
      (stretches, interruptions) => {
        const file = path.join(directory, `${runs++}.sqlite`);
        const store = play(() => openSqliteStore(file), stretches, interruptions);
        try {
          assertBilled(store, stretches);
        } finally {
          store.close();
        }
      },
    );
    fc.assert(property, { numRuns: 10 });
  });

  it('bills a year of 1,000 workers to the nano-dollar', () => {
    const stretches = fc.sample(stretch(2 * HOUR_MS), 2_000);
    const settlements = fc.sample(interruption, 500).map(({ at }): Interruption => ({ at, does: 'settle' }));
    const memory = openSqliteStore(':memory:');
    const store = play(() => memory, stretches, settlements);
    assertBilled(store, stretches);
    store.close();
  });

  /** Returns the usage of a database in memory, with the database and the statements that the usage runs. */
  function openUsage() {
    const database = new (sqliteModule().DatabaseSync)(':memory:');
    migrate(database, SCHEMA);
    const statements = statementsOf(database);
    const ran: string[] = [];
    const recorded =
      <Rest extends unknown[], Result>(run: (sql: string, ...rest: Rest) => Result) =>
      (sql: string, ...rest: Rest): Result => {
        ran.push(sql);
        return run(sql, ...rest);
      };
    const recording: Statements = {
      ...statements,
      eachExact: recorded(statements.eachExact),
      run: recorded(statements.run),
    };
    const rows = (): number => (database.prepare('SELECT count(*) AS rows FROM usage').get() as { rows: number }).rows;
    return { database, ran, rows, ledger: sqliteUsage(recording) };
  }

  it('contains no settled usage', () => {
    const { ledger, rows } = openUsage();
    ledger.record({ kind: 'endpoint', resourceId: 'image-edit', nanoUsd: 20n, at: YEAR_START });
    assert.equal(rows(), 0);
    ledger.start(usage('short', YEAR_START));
    ledger.start(usage('long', YEAR_START));
    assert.equal(rows(), 2);
    ledger.end('short', YEAR_START + HOUR_MS);
    ledger.end('long', YEAR_END);
    assert.equal(rows(), 1, 'a long usage is settled in parts');
    while (ledger.settle(YEAR_END));
    assert.equal(rows(), 0);
  });

  it('settles a bounded number of hours per call', () => {
    const { ledger, ran } = openUsage();
    for (let worker = 0; worker < 1_000; worker++) ledger.start(usage(`${worker}`, YEAR_START));
    const HOURS = 3;
    let [calls, most] = [0, 0];
    for (let more = true; more; calls++) {
      ran.length = 0;
      more = ledger.settle(YEAR_START + HOURS * HOUR_MS);
      most = Math.max(most, ran.length);
    }
    assert.ok(calls > (1_000 * HOURS) / 200, `${calls} calls`);
    assert.ok(most < 1_000, `${most} statements in a call`);
  });

  it('reads and changes only the rows of a question, through an index', () => {
    const { database, ledger, ran } = openUsage();
    ledger.start(usage('one', YEAR_START));
    ledger.start(usage('other', YEAR_START));
    ledger.settle(YEAR_START + 2 * HOUR_MS);
    ledger.end('one', YEAR_START + 2 * HOUR_MS);
    const query = { grain: 'day', from: YEAR_START, to: YEAR_END, kinds: USAGE_KINDS } as const;
    for (const group of ['account', 'eachResource', { resourceId: 'r' }] as const)
      assert.notDeepEqual([...ledger.sums({ ...query, of: group }, YEAR_END)], []);
    const plans = ran.flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]);
    assert.ok(plans.length > 0);
    assert.deepEqual(
      plans.map(({ detail }) => detail).filter((detail) => /SCAN usage|TEMP B-TREE/.test(detail)),
      [],
    );
  });

  it('is settled in batches with pauses once an hour has passed', () => {
    const { ledger, database } = openUsage();
    const clock = manualClock(YEAR_START);
    for (let worker = 0; worker < 1_000; worker++) ledger.start(usage(`${worker}`, YEAR_START));
    const due = (): unknown =>
      database.prepare('SELECT count(*) AS due FROM usage WHERE settled_to < ?').get(YEAR_START + HOUR_MS)?.['due'];
    const stop = repeatBatches({ clock, realClock: clock }, () => ledger.settle(clock.now()));
    clock.advance(HOUR_MS);
    assert.equal(due(), 900);
    clock.advance(1_000);
    assert.equal(due(), 0);
    stop();
    clock.advance(2 * HOUR_MS);
    assert.equal(due(), 0);
    assert.equal(ledger.settle(clock.now()), true, 'nothing is settled after the stop');
  });
});
