import assert from 'node:assert/strict';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { operations } from '../../src/contract/operations.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { PlatformOptions } from '../../src/platform/daemon/start.ts';
import { sqliteModule } from '../../src/platform/store/sqlite/sqliteModule.ts';
import { cleanUp, dataDirectory, endpointBody, eventually, platformForTest, type Api } from './support.ts';

type Database = InstanceType<ReturnType<typeof sqliteModule>['DatabaseSync']>;

interface Logged {
  readonly kind?: string;
  readonly id?: string;
  readonly reason?: string;
}

/** Records that this version cannot use, because another version accepted them or another program wrote them. */
describe('Unusable stored records', () => {
  afterEach(cleanUp);

  const paused = { workers: { min: 0, max: 0 } };

  /** Creates a data directory with one valid record of each kind, and applies a change to its database. */
  async function dataDirectoryWith(change: (database: Database, ids: { endpoint: string; job: string }) => void) {
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const { id: endpoint } = await api.createEndpoint(paused);
    const body = { templates: [{ name: 't', image: 'i' }], users: [{ name: 'u' }] };
    await api.call(controlOperations.seed, { body });
    const job = 'finished';
    const jobs = [
      { endpoint, id: job, status: 'COMPLETED', output: 1, at: '-1h' },
      { endpoint, id: 'other', status: 'COMPLETED', output: 2, at: '-1h' },
      { endpoint, id: 'waiting', status: 'IN_QUEUE' },
    ];
    const usage = [{ kind: 'podGpu', resource: 'p', usd: 2, at: '-1h' }];
    await api.call(controlOperations.seed, { body: { jobs, usage } });
    await platform.close();
    const database = new (sqliteModule().DatabaseSync)(path.join(dataDir, 'platform.sqlite'));
    change(database, { endpoint, job });
    database.close();
    return { dataDir, endpoint, job };
  }

  /**
   * Starts the platform twice on the data directory, and returns the records that the first start reports.
   *
   * @param count minimum number of reports to wait for. Large tables are checked after the start.
   */
  async function startTwice(dataDir: string, count: number, options: PlatformOptions = {}) {
    const logged: Logged[] = [];
    const sink = new Writable({
      write: (line: Buffer, _, done) => {
        logged.push(JSON.parse(line.toString()) as Logged);
        done();
      },
    });
    const first = await platformForTest({ dataDir, log: pino(sink), ...options });
    const aside = await eventually('unusable records are reported', () => {
      const reports = logged.filter((line) => 'kind' in line && 'reason' in line);
      return reports.length >= count && reports;
    });
    await first.platform.close();
    const { api } = await platformForTest({ dataDir, ...options });
    return { api, aside };
  }

  /** Asserts that all remaining records can be read. */
  async function assertReadable(api: Api, endpoint: string): Promise<void> {
    const { endpoints } = await api.call(operations.listEndpoints);
    for (const { id } of endpoints) {
      await api.call(operations.listEndpointReleases, { parameters: { id } });
      await api.call(operations.listEndpointWorkers, { parameters: { id } });
      await api.call(operations.getEndpointHealth, { parameters: { endpointId: id } });
    }
    await api.call(operations.listTemplates);
    await api.call(operations.listNetworkVolumes);
    await api.call(controlOperations.listAccounts);
    await api.call(controlOperations.listApiKeys);
    for (const bucketSize of ['hour', 'day'] as const)
      await api.call(operations.listBilling, { query: { bucketSize } });
    if (endpoints.some(({ id }) => id === endpoint)) {
      await api.call(operations.getJobStatus, { parameters: { endpointId: endpoint, jobId: 'other' } });
    }
  }

  /** Adds a copy of the existing endpoint under another ID. */
  function addEndpoint(database: Database, id: string, changes: Record<string, unknown>): void {
    const { record } = database.prepare('SELECT record FROM endpoints').get() as { record: string };
    const changed = JSON.stringify({ ...(JSON.parse(record) as object), id, ...changes });
    database.prepare('INSERT INTO endpoints VALUES (?, 1, ?)').run(id, changed);
  }

  const process = {
    image: endpointBody().image,
    cmd: endpointBody().cmd,
    workers: { min: 1, max: 1, idleTimeout: 10 },
  };
  const endpoints: Record<string, [changes: Record<string, unknown>, reason: RegExp]> = {
    'a disk of more than a billion GB': [{ ...process, disk: 1e9 + 1 }, /disk/],
    'more than a million vCPUs': [{ ...process, cpu: [{ id: 'cpu3c', vcpuCount: 1e6 + 1 }] }, /vcpuCount/],
    '2^53 GPUs': [{ ...process, cpu: undefined, gpu: { pools: ['ADA_24'], count: 2 ** 53 } }, /count/],
    'a million workers': [{ workers: { min: 1e6, max: 1e6, idleTimeout: 10 } }, /workers\.min/],
    'a fractional timeout': [{ timeout: 0.5 }, /timeout/],
    'no scaling': [{ scaling: undefined }, /scaling/],
    'an unknown type': [{ type: 'BATCH' }, /type/],
    'another id': [{ id: 'another' }, /id/],
    'a time that is out of range': [{ createdAt: 1e300 }, /createdAt/],
  };
  for (const [what, [changes, reason]] of Object.entries(endpoints)) {
    it(`do not prevent the start: an endpoint with ${what}`, async () => {
      const { dataDir, endpoint } = await dataDirectoryWith((database) => addEndpoint(database, 'unusable', changes));
      const { api, aside } = await startTwice(dataDir, 1);
      assert.deepEqual(
        aside.map(({ kind, id }) => [kind, id]),
        [['endpoints', 'unusable']],
      );
      assert.match(aside[0]?.reason ?? '', reason);
      const { endpoints: left } = await api.call(operations.listEndpoints);
      assert.deepEqual(
        left.map(({ id }) => id),
        [endpoint],
      );
      await assertReadable(api, endpoint);
    });
  }

  it('do not include records with harmless numbers beyond the bounds of requests', async () => {
    const { dataDir, endpoint } = await dataDirectoryWith((database) => {
      const scaling = { type: 'REQUEST_COUNT', requestCount: Number.MAX_SAFE_INTEGER };
      const workers = { min: 0, max: 1e9, idleTimeout: 10 };
      addEndpoint(database, 'large', { ...process, workers, scaling, timeout: 2 ** 52, disk: 1e6 });
    });
    const { api, aside } = await startTwice(dataDir, 0);
    assert.deepEqual(aside, []);
    await assertReadable(api, endpoint);
    const { id } = await api.call(operations.runJob, {
      parameters: { endpointId: 'large' },
      body: { input: { do: 'echo', value: 1 } },
    });
    await eventually('the job runs', async () => {
      const job = await api.call(operations.getJobStatus, { parameters: { endpointId: 'large', jobId: id } });
      return job.status === 'COMPLETED';
    });
  });

  const big = '9007199254740993';
  /** Smallest number that does not fit into a rate-limit header. */
  const sixteenDigits = 10 ** 15;
  const rows: Record<string, [sql: string, kind: string, id: string]> = {
    'an endpoint that is not JSON': [`UPDATE endpoints SET record = '{"id"'`, 'endpoints', '*'],
    'an endpoint that is null': [`UPDATE endpoints SET record = 'null'`, 'endpoints', '*'],
    'a release that is not JSON': [`UPDATE releases SET diff = '['`, 'releases', '*'],
    'a release with a version beyond the safe integers': [`UPDATE releases SET version = ${big}`, 'releases', '*'],
    'an image of a release with a version beyond the safe integers': [
      `UPDATE release_images SET first_version = ${big}`,
      'release_images',
      '*',
    ],
    'a job with a time beyond the safe integers': [
      `UPDATE jobs SET queued_at = ${big} WHERE id = 'finished'`,
      'jobs',
      'finished',
    ],
    'a job with an unknown status': [`UPDATE jobs SET status = 'LOST' WHERE id = 'finished'`, 'jobs', 'finished'],
    'a job whose request is not JSON': [
      `UPDATE job_requests SET request = '{' WHERE sequence = (SELECT sequence FROM jobs WHERE id = 'waiting')`,
      'jobs',
      'waiting',
    ],
    'a job without its request': [
      `DELETE FROM job_requests WHERE sequence = (SELECT sequence FROM jobs WHERE id = 'waiting')`,
      'jobs',
      'waiting',
    ],
    'a running job whose output is not JSON': [
      `UPDATE jobs SET status = 'IN_PROGRESS', output = '{' WHERE id = 'waiting'`,
      'jobs',
      'waiting',
    ],
    'usage without an interval': [
      `INSERT INTO usage (account_id, source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, settled_to)
       VALUES ('owner', 's', 'r', 'podGpu', 1, 0, 0, 0)`,
      'usage',
      '*',
    ],
    'usage with a time that is out of range': [
      `INSERT INTO usage (account_id, source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, settled_to)
       VALUES ('owner', 's', 'r', 'podGpu', 1, 1000, ${big}, ${big})`,
      'usage',
      '*',
    ],
    'sums of an unknown kind': [`UPDATE usage_sums SET kind = 'love'`, 'usage_sums', '*'],
    'a template that is not JSON': [`UPDATE resources SET record = 'x' WHERE kind = 'templates'`, 'resources', '*'],
    'a template of 1e12 GB': [
      `UPDATE resources SET record = json_set(record, '$.disk', 1000000000000) WHERE kind = 'templates'`,
      'resources',
      '*',
    ],
    'an account that is not JSON': [`UPDATE accounts SET record = '' WHERE id <> 'owner'`, 'accounts', '*'],
    'an account with quotas that do not fit a header': [
      `UPDATE accounts SET record = json_set(record, '$.quotas', json('{"minute":${sixteenDigits},"hour":1,"day":1}')) WHERE id <> 'owner'`,
      'accounts',
      '*',
    ],
    'the owner’s account, which is recreated': [
      `UPDATE accounts SET record = '' WHERE id = 'owner'`,
      'accounts',
      'owner',
    ],
    'a run whose handle is not JSON': [
      `INSERT INTO runs (id, worker_id, endpoint_id, started_at, last_seen_at, handle) VALUES ('r', 'w', 'e', 1, 1, '{')`,
      'runs',
      'r',
    ],
    'a worker with a time that is out of range': [`INSERT INTO workers VALUES ('w', 'e', ${big})`, 'workers', 'w'],
    'a webhook with too many attempts': [
      `INSERT INTO webhooks (account_id, job_id, receiver, url, attempts, due_at, body) VALUES ('owner', 'j', 'http://127.0.0.1:9', 'http://127.0.0.1:9/', ${big}, 0, '{}')`,
      'webhooks',
      '*',
    ],
    'an image that never expires': [`INSERT INTO images VALUES ('i', 't', 1, ${big}, x'00')`, 'images', 'i'],
  };
  for (const [what, [sql, kind, id]] of Object.entries(rows)) {
    it(`do not prevent the start: ${what}`, async () => {
      const { dataDir, endpoint } = await dataDirectoryWith((database) => database.exec(sql));
      const { api, aside } = await startTwice(dataDir, 1);
      assert.ok(aside.length > 0, 'the log reports the record');
      for (const record of aside) {
        assert.equal(record.kind, kind);
        if (id !== '*') assert.equal(record.id, id);
        assert.ok(record.reason);
      }
      await assertReadable(api, endpoint);
    });
  }

  it('are set aside after the first response if their table is large', async () => {
    const count = 60_000;
    const { dataDir } = await dataDirectoryWith((database) => {
      const copied = `'copy-' || value, endpoint_id, status, 0, created_at, queued_at, expires_at, 0, 0`;
      database.exec(`
        WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ${count})
        INSERT INTO jobs
          (id, endpoint_id, status, low_priority, created_at, queued_at, expires_at, lost_workers, retries)
          SELECT ${copied} FROM jobs, numbers WHERE jobs.id = 'finished';
        UPDATE jobs SET status = 'LOST' WHERE id = 'copy-${count}'`);
    });
    const events: string[] = [];
    const write = (line: string): void => {
      if ((JSON.parse(line) as Logged).id === `copy-${count}`) events.push('set aside');
    };
    const { api } = await platformForTest({ dataDir, log: pino({}, { write }) });
    await api.call(operations.listEndpoints);
    events.push('answered');
    await eventually('the job is set aside', () => events.includes('set aside'));
    assert.deepEqual(events, ['answered', 'set aside']);
  });

  it('stay in the database for inspection', async () => {
    const { dataDir } = await dataDirectoryWith((database) => addEndpoint(database, 'unusable', { disk: 1e12 }));
    const { platform } = await platformForTest({ dataDir });
    await platform.close();
    const database = new (sqliteModule().DatabaseSync)(path.join(dataDir, 'platform.sqlite'));
    const [row] = database.prepare('SELECT kind, record_id, content FROM quarantine').all();
    database.close();
    assert.deepEqual([row?.['kind'], row?.['record_id']], ['endpoints', 'unusable']);
    const { record } = JSON.parse(row?.['content'] as string) as { record: string };
    assert.equal((JSON.parse(record) as { disk: number }).disk, 1e12);
  });

  it('are set aside when they are read: a finished job whose output is not JSON', async () => {
    const { dataDir, endpoint } = await dataDirectoryWith((database) => {
      database.exec(`UPDATE jobs SET output = '{' WHERE id = 'finished'`);
    });
    const { api } = await platformForTest({ dataDir });
    const parameters = { endpointId: endpoint, jobId: 'finished' };
    await api.refused(404, operations.getJobStatus, { parameters });
    await assertReadable(api, endpoint);
  });

  it('are set aside from the logs', async () => {
    const { dataDir, endpoint } = await dataDirectoryWith(() => undefined);
    const logs = new (sqliteModule().DatabaseSync)(path.join(dataDir, 'logs.sqlite'));
    const insert = logs.prepare(
      'INSERT INTO log_blocks (worker_id, source, first_ts, last_ts, lines, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    const ts = '2026-03-18T14:58:30.000000000Z';
    insert.run('w1', 'container', 'yesterday', ts, 1, 10, Buffer.from('a'));
    insert.run('w2', 'container', ts, ts, 2n ** 60n, 2n ** 62n, Buffer.from('b'));
    insert.run('w3', 'container', ts, ts, 1, 2n ** 62n, Buffer.from('c'));
    logs.close();
    const { api, aside } = await startTwice(dataDir, 3);
    assert.deepEqual(
      aside.map(({ kind }) => kind),
      ['log_blocks', 'log_blocks', 'log_blocks'],
    );
    await assertReadable(api, endpoint);
  });
});
