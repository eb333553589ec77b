import assert from 'node:assert/strict';
import { cpSync, statSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { pino } from 'pino';
import { createEndpoint } from '../../../src/platform/domain/endpoint.ts';
import { createJob, transition, type JobRecord } from '../../../src/platform/domain/job.ts';
import { HOUR_MS } from '../../../src/platform/domain/metering.ts';
import { Removal } from '../../../src/platform/endpoints/removal.ts';
import { JobQueue } from '../../../src/platform/queue/jobQueue.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import { sqliteModule } from '../../../src/platform/store/sqlite/sqliteModule.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { afterwards, cleanUp, dataDirectory, eventually, manualClock } from '../support.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');

function addEndpoint(store: Store, id: string): void {
  const owner = { accountId: 'owner', now: NOW, findTemplate: () => undefined, exists: () => true };
  const scaling = { type: 'QUEUE_DELAY', queueDelay: 1 } as const;
  const body = { name: id, type: 'QUEUE', image: 'i', scaling, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] } as const;
  store.endpoints.insert(createEndpoint({ ...body, cpu: [...body.cpu] }, { id, ...owner, mayRunProcesses: true }));
}

type Kind = 'waiting' | 'running' | 'done';

function addJob(store: Store, endpointId: string, id: string, { kind, webhook }: { kind: Kind; webhook: boolean }) {
  const request = { input: { id }, ...(webhook ? { webhook: 'http://127.0.0.1/' } : {}) };
  let job: JobRecord = createJob(request, { id, endpointId, now: NOW });
  if (kind !== 'waiting') job = transition(job, { kind: 'taken', workerId: 'w' }, NOW) ?? job;
  if (kind === 'done') job = transition(job, { kind: 'finished', output: 'out' }, NOW) ?? job;
  store.jobs.insert(job, request);
  store.jobs.appendChunk(id, 'chunk');
}

/** A queue and a removal on a store, as of one platform process. */
function begin(store: Store) {
  const clock = manualClock(NOW);
  const clocks = { clock, realClock: clock };
  const ignored = () => undefined;
  const queue = new JobQueue(store, clocks, { onSubmitted: ignored, onExpired: ignored, onWebhook: ignored });
  const log = pino({ enabled: false });
  const removal = new Removal({ store, jobs: queue, realClock: clock, log, isClosing: () => false });
  return { queue, removal };
}

const allIn = (file: string, sql: string): unknown[] => {
  const database = new (sqliteModule().DatabaseSync)(file, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .flatMap((row) => Object.values(row));
  } finally {
    database.close();
  }
};

describe('Removal of deleted endpoints', () => {
  afterEach(cleanUp);

  it('ends the waits for jobs first, and lets other work run between its transactions', async () => {
    const store = openSqliteStore(':memory:');
    afterwards(() => Promise.resolve().then(() => store.close()));
    addEndpoint(store, 'e');
    for (let n = 0; n < 1_000; n++) addJob(store, 'e', `job-${n}`, { kind: 'waiting', webhook: false });
    const { queue, removal } = begin(store);
    const last = queue.get('e', 'job-999');
    const found: number[] = [];
    const waiting = queue.waitFor(last, 60_000, new AbortController().signal).then(({ status }) => {
      found.push(store.jobs.unfinishedRemoved('e').length);
      return status;
    });
    store.endpoints.delete('e');
    removal.add('e');
    assert.equal(await waiting, 'CANCELLED');
    assert.ok((found[0] ?? 0) > 0, 'the wait ended before all jobs were removed');
    let turns = 0;
    await eventually('the endpoint is removed', () => {
      turns++;
      return store.endpoints.removed().length === 0;
    });
    assert.ok(turns > 0);
    assert.equal(store.jobs.getRemoved('job-0'), undefined);
  });

  it('keeps the write-ahead log small, so that no commit copies many pages', async () => {
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    const filled = openSqliteStore(file);
    filled.transaction(() => {
      addEndpoint(filled, 'e');
      for (let n = 0; n < 12_000; n++) addJob(filled, 'e', `job-${n}`, { kind: 'done', webhook: false });
    });
    filled.close();
    const store = openSqliteStore(file);
    afterwards(() => Promise.resolve().then(() => store.close()));
    const { removal } = begin(store);
    store.endpoints.delete('e');
    removal.add('e');
    await eventually('the endpoint is removed', () => store.endpoints.removed().length === 0);
    // SQLite reuses the file from its start, and does not shorten it.
    const { size } = statSync(`${file}-wal`);
    assert.ok(size < 4 * 1_048_576, `${size} bytes`);
  });

  it('expires a job of a deleted endpoint as canceled', () => {
    const store = openSqliteStore(':memory:');
    afterwards(() => Promise.resolve().then(() => store.close()));
    addEndpoint(store, 'e');
    store.jobs.insert(
      { ...createJob({ webhook: 'http://127.0.0.1/' }, { id: 'j', endpointId: 'e', now: NOW }), expiresAt: NOW },
      {
        ...{ input: {}, webhook: 'http://127.0.0.1/' },
      },
    );
    store.endpoints.delete('e');
    begin(store).queue.watchExpiry();
    const { status } = JSON.parse(store.webhooks.body(store.webhooks.next()?.id ?? 0)) as { status?: string };
    assert.equal(status, 'CANCELLED');
    assert.equal(store.jobs.getRemoved('j'), undefined);
  });

  it('accepts the IDs of removed jobs and endpoints again', () => {
    const store = openSqliteStore(':memory:');
    afterwards(() => Promise.resolve().then(() => store.close()));
    addEndpoint(store, 'e');
    addEndpoint(store, 'other');
    for (const id of ['a', 'b']) addJob(store, 'e', id, { kind: 'waiting', webhook: false });
    const { queue, removal } = begin(store);
    store.endpoints.delete('e');
    removal.add('e');
    const again = createJob({}, { id: 'a', endpointId: 'other', now: NOW });
    queue.importJobs([{ record: again, request: { input: {} } }]);
    assert.equal(queue.get('other', 'a').status, 'IN_QUEUE');
    removal.finish('e');
    addEndpoint(store, 'e');
    assert.throws(() => queue.get('e', 'b'));
    assert.deepEqual(store.endpoints.removed(), []);
  });

  it('continues after a kill at any step, and loses and repeats nothing', async () => {
    const job = fc.record({
      endpoint: fc.constantFrom('deleted', 'also', 'kept'),
      kind: fc.constantFrom<Kind>('waiting', 'running', 'done'),
      webhook: fc.boolean(),
    });
    const jobs = fc.array(job, { maxLength: 12 });
    // Many finished jobs need several steps.
    const property = fc.asyncProperty(jobs, fc.nat(250), fc.array(fc.nat(4), { maxLength: 6 }), removedOnce);
    await fc.assert(property, { numRuns: 25 });
  });

  async function removedOnce(
    jobs: readonly { readonly endpoint: string; readonly kind: Kind; readonly webhook: boolean }[],
    finished: number,
    kills: readonly number[],
  ): Promise<void> {
    let directory = await dataDirectory();
    const open = (): Store => openSqliteStore(path.join(directory, 'platform.sqlite'));
    let store = open();
    for (const id of ['deleted', 'also', 'kept']) addEndpoint(store, id);
    store.runs.insertWorker({ id: 'w', endpointId: 'deleted', createdAt: NOW });
    const run = { id: 'r', endpointId: 'deleted', workerId: 'w', handle: null, startedAt: NOW, lastSeenAt: NOW };
    store.runs.insert({ ...run, resource: 'cpu', nanoUsdPerSecond: 20_000, diskGb: 5 });
    store.runs.end('r', NOW + 60_000);
    const ts = '2026-03-01T00:00:00.000000000Z';
    const blocks = [{ source: 'system', firstTs: ts, lastTs: ts, lines: ['line'] }] as const;
    store.logs.append([{ workerId: 'w', endpointId: 'deleted', blocks }]);
    jobs.forEach((added, index) => addJob(store, added.endpoint, `job-${index}`, added));
    for (let n = 0; n < finished; n++) addJob(store, 'deleted', `done-${n}`, { kind: 'done', webhook: false });
    const bill = () => {
      const query = { grain: 'hour', from: NOW, to: NOW + HOUR_MS, of: 'account' } as const;
      return [...store.usage.sums({ ...query, kinds: ['serverlessCpu', 'serverlessDisk'] }, NOW + HOUR_MS)];
    };
    const billed = bill();
    for (const id of ['deleted', 'also']) store.endpoints.delete(id);
    for (const turns of [...kills, Infinity]) {
      const { removal } = begin(store);
      removal.recover();
      for (let turn = 0; turn < turns && store.endpoints.removed().length > 0; turn++) await nextTurn();
      assert.deepEqual(bill(), billed);
      // The files of an open database are those that a killed process leaves.
      const killed = directory;
      if (turns !== Infinity) cpSync(killed, (directory = await dataDirectory()), { recursive: true });
      removal.close();
      store.close();
      if (turns !== Infinity) store = open();
    }
    const file = path.join(directory, 'platform.sqlite');

    const kept = jobs.flatMap(({ endpoint }, index) => (endpoint === 'kept' ? `job-${index}` : []));
    assert.deepEqual(allIn(file, 'SELECT id FROM jobs ORDER BY sequence'), kept);
    assert.deepEqual(allIn(file, 'SELECT job_id FROM job_chunks ORDER BY sequence'), kept);
    assert.deepEqual(allIn(file, 'SELECT count(*) FROM job_requests'), [kept.length]);
    assert.deepEqual(allIn(file, 'SELECT sum(jobs) FROM job_counts'), [kept.length || null]);
    assert.deepEqual(allIn(file, 'SELECT id FROM workers'), []);
    assert.deepEqual(allIn(path.join(path.dirname(file), 'logs.sqlite'), 'SELECT id FROM log_blocks'), []);
    const canceled = jobs.flatMap(({ endpoint, kind, webhook }, index) =>
      endpoint !== 'kept' && kind !== 'done' && webhook ? `owner job-${index}` : [],
    );
    const webhooks = allIn(file, `SELECT account_id || ' ' || job_id FROM webhooks`);
    assert.deepEqual(webhooks.sort(), canceled.sort());
  }
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
