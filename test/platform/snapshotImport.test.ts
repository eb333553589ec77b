import assert from 'node:assert/strict';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { openResources } from '../../src/platform/resources/resources.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { afterwards, type Api, cleanUp, dataDirectory, endpointBody, platformForTest } from './support.ts';

const { exportSnapshot, importSnapshot } = controlOperations;

const download = async (api: Api) => Buffer.from(await (await api.fetch(exportSnapshot)).arrayBuffer());

async function upload(api: Api, body: Uint8Array, query: Record<string, string> = {}) {
  const response = await api.fetch(importSnapshot, { query }, { body: new Uint8Array(body) });
  return { status: response.status, text: await response.text() };
}

/** Opens a snapshot so that its schema can be changed too. */
const EDITABLE = { readOnly: false, defensive: false };

/** Returns a modified snapshot. */
async function modifySnapshot(snapshot: Uint8Array, sql: string): Promise<Buffer> {
  const file = path.join(await dataDirectory(), 'changed.sqlite');
  await writeFile(file, snapshot);
  const database = new DatabaseSync(file, EDITABLE);
  database.exec(sql);
  database.close();
  return readFile(file);
}

/** Starts a platform with one resource of each kind. */
async function startWithResources() {
  const dataDir = await dataDirectory();
  const { api } = await platformForTest({ dataDir });
  const volume = { name: 'v', size: 10, dataCenter: 'EU-RO-1' };
  const { id: volumeId } = await api.call(operations.createNetworkVolume, { body: volume });
  await api.call(operations.createGlobalVolume, { body: { name: 'g' } });
  await api.call(operations.createTemplate, { body: { name: 't', image: 'i' } });
  await api.call(operations.createRegistry, { body: { name: 'r', username: 'u', password: 'p' } });
  const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
  await api.runSync(endpoint, { do: 'print', lines: 2 });
  return { dataDir, api, volumeId, endpoint };
}

describe('Import of a snapshot', () => {
  afterEach(cleanUp);

  it('refuses IDs that point outside the directories of volumes', async () => {
    const { dataDir, api, volumeId } = await startWithResources();
    const precious = path.join(dataDir, 'precious');
    await mkdir(precious);
    const snapshot = await download(api);
    for (const sql of [
      `UPDATE resources SET record = json_set(record, '$.id', '../precious') WHERE id = '${volumeId}'`,
      `UPDATE resources SET id = '../precious', record = json_set(record, '$.id', '../precious') WHERE id = '${volumeId}'`,
    ]) {
      const { status, text } = await upload(api, await modifySnapshot(snapshot, sql));
      assert.equal(status, 400, text);
      assert.match(text, /resources.*id/);
    }
    await access(precious);
    await api.call(operations.getNetworkVolume, { parameters: { id: volumeId } });
  });

  it('refuses invalid IDs, paths, and amounts in every table', async () => {
    const { api } = await startWithResources();
    const snapshot = await download(api);
    for (const [table, sql] of [
      ['endpoints', `UPDATE endpoints SET id = '../x'`],
      ['endpoints', `UPDATE endpoints SET record = json_set(record, '$.id', 'another1')`],
      ['endpoints', `UPDATE endpoints SET record = 'no JSON'`],
      ['endpoints', `UPDATE endpoints SET record = json_set(record, '$.accountId', '../x')`],
      ['endpoints', `UPDATE endpoints SET record = json_set(record, '$.workers.max', -1)`],
      [
        'endpoints',
        `UPDATE endpoints SET record = json_set(record, '$.mounts.network', json('[{"volumeId":"../x","path":"/v"}]'))`,
      ],
      [
        'endpoints',
        `UPDATE endpoints SET record = json_set(record, '$.mounts.network', json('[{"volumeId":"abcd1234ef","path":"v"}]'))`,
      ],
      ['releases', `UPDATE releases SET id = '../x'`],
      ['releases', `UPDATE releases SET diff = '{}'`],
      ['release_images', `UPDATE release_images SET digest = 'latest'`],
      ['release_images', `UPDATE release_images SET endpoint_id = '../x'`],
      ['pulled_images', `INSERT INTO pulled_images VALUES ('../x', 1)`],
      ['workers', `UPDATE workers SET id = '../x'`],
      ['runs', `UPDATE runs SET handle = '{'`],
      ['runs', `UPDATE runs SET id = 'a' || char(0) || 'b'`],
      ['jobs', `UPDATE jobs SET id = '../x'`],
      ['jobs', `UPDATE jobs SET status = 'DONE'`],
      ['jobs', `UPDATE jobs SET expires_at = -1`],
      ['jobs', `UPDATE jobs SET created_at = ${2n ** 60n}`],
      ['jobs', `UPDATE jobs SET output = '{'`],
      ['job_requests', `UPDATE job_requests SET request = '[]'`],
      ['job_requests', `UPDATE job_requests SET request = '{"input":1,"webhook":"file:///etc/passwd"}'`],
      ['job_chunks', `INSERT INTO job_chunks (job_id, output) VALUES ('j', '{')`],
      ['images', `INSERT INTO images VALUES ('../x', 'image/png', 1, 2, x'00')`],
      ['images', `INSERT INTO images VALUES ('x.png', 'text/html', 1, 2, x'00')`],
      ['resources', `UPDATE resources SET kind = 'others' WHERE kind = 'templates'`],
      ['resources', `UPDATE resources SET account_id = '../x'`],
      ['resources', `UPDATE resources SET record = json_set(record, '$.size', 1e300) WHERE kind = 'networkVolumes'`],
      ['resources', `UPDATE resources SET id = 'x', record = json_set(record, '$.id', 'x') WHERE kind = 'registries'`],
      ['accounts', `UPDATE accounts SET id = '../x'`],
      ['accounts', `UPDATE accounts SET record = json_set(record, '$.kind', 'god')`],
      ['api_keys', `INSERT INTO api_keys VALUES ('../x', 'owner', '{}')`],
      ['team_members', `INSERT INTO team_members VALUES ('../x', 'y')`],
      ['usage', `UPDATE usage SET kind = 'others'`],
      ['usage', `UPDATE usage SET nano_usd_per_month = ${2n ** 62n}`],
      ['usage_sums', `INSERT INTO usage_sums VALUES ('owner', 'minute', '', 1, 'endpoint', 1, 0)`],
      ['usage_sums', `INSERT INTO usage_sums VALUES ('owner', 'hour', '', 1, 'endpoint', 1, -1)`],
      ['log_blocks', `UPDATE log_blocks SET source = 'others'`],
      ['log_blocks', `UPDATE log_blocks SET last_ts = 'later'`],
      ['log_blocks', `UPDATE log_blocks SET lines = -1`],
    ] as const) {
      const { status, text } = await upload(api, await modifySnapshot(snapshot, sql));
      assert.equal(status, 400, `${sql}: ${text}`);
      assert.ok(text.includes(table), `${sql}: ${text}`);
    }
    assert.equal((await upload(api, snapshot)).status, 204);
  });

  it('refuses triggers, views, virtual tables, and generated columns', async () => {
    const { api } = await startWithResources();
    const snapshot = await download(api);
    for (const sql of [
      'ALTER TABLE workers RENAME TO others; CREATE VIEW workers AS SELECT * FROM others',
      'CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM jobs; END',
      'CREATE VIEW unheard_of AS SELECT 1',
      "DROP TABLE workers; CREATE TABLE workers (id TEXT, endpoint_id TEXT, created_at INTEGER, more AS (id || 'x'))",
      'DROP TABLE workers; CREATE VIRTUAL TABLE workers USING fts5(id, endpoint_id, created_at)',
    ]) {
      const { status, text } = await upload(api, await modifySnapshot(snapshot, sql));
      assert.equal(status, 400, `${sql}: ${text}`);
      assert.match(text, /does not match the schema of its version/);
    }
  });

  it('recounts jobs', async () => {
    const { api, endpoint } = await startWithResources();
    const snapshot = await modifySnapshot(await download(api), 'UPDATE job_counts SET jobs = 1000000');
    assert.equal((await upload(api, snapshot)).status, 204);
    const health = await api.call(operations.getEndpointHealth, { parameters: { endpointId: endpoint.id } });
    assert.equal(health.jobs.completed, 1);
  });

  it('includes the logs', async () => {
    const { api, endpoint } = await startWithResources();
    const snapshot = await download(api);
    const [worker] = await api.workers(endpoint);
    assert.ok(worker);
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    assert.deepEqual(await upload(api, snapshot), { status: 204, text: '' });
    await api.logsUntil(endpoint, worker.id, ({ line }) => line.includes('started'), { query: { source: 'system' } });
  });

  it('is refused if its logs have another version', async () => {
    const { api } = await startWithResources();
    const other = 'UPDATE snapshot_logs_version SET version = 1';
    const { status, text } = await upload(api, await modifySnapshot(await download(api), other));
    assert.equal(status, 400, text);
    assert.match(text, /another version wrote the snapshot .*version 1,/);
  });

  it('rewrites every row, so that invalid indexes are not imported', async () => {
    const { api } = await startWithResources();
    const snapshot = path.join(await dataDirectory(), 'snapshot.sqlite');
    const root = `(SELECT rootpage FROM sqlite_master WHERE name = 'hollow')`;
    const hollow = `
      CREATE INDEX hollow ON workers (endpoint_id) WHERE 0;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET rootpage = ${root} WHERE name = 'workers_by_endpoint';
      DELETE FROM sqlite_master WHERE name = 'hollow'`;
    await writeFile(snapshot, await modifySnapshot(await download(api), hollow));
    const file = path.join(await dataDirectory(), 'platform.sqlite');
    openSqliteStore(file, { contents: { snapshot, secrets: 'drop', start: false, mayStart: () => false } }).close();
    const database = new DatabaseSync(file, { readOnly: true });
    const problems = database.prepare('PRAGMA integrity_check').all();
    database.close();
    assert.deepEqual(problems.map(Object.values), [['ok']]);
  });

  it('reports any damage as a problem', async () => {
    const { api, endpoint } = await startWithResources();
    const snapshot = await download(api);
    const damaged = (work: (bytes: Buffer) => unknown): Buffer => {
      const bytes = Buffer.from(snapshot);
      work(bytes);
      return bytes;
    };
    const misspelled = snapshot.toString('latin1').replaceAll('CREATE TABLE workers', 'CREATX TABLE workers');
    for (const [what, bytes] of [
      ['an invalid statement in the schema', Buffer.from(misspelled, 'latin1')],
      ['no version', damaged((all) => all.writeInt32BE(0, 60))],
      ['a version below the minimum', damaged((all) => all.writeInt32BE(-1, 60))],
    ] as const) {
      const { status, text } = await upload(api, bytes);
      assert.equal(status, 400, `${what}: ${text}`);
      assert.match(text, /the snapshot cannot be used/, what);
    }
    await api.call(operations.getEndpoint, { parameters: { id: endpoint.id } });
  });

  it('pauses endpoints by default until workers are requested', async () => {
    const { api, endpoint } = await startWithResources();
    const snapshot = await download(api);
    const target = await platformForTest();
    assert.equal((await upload(target.api, snapshot, { secrets: 'drop' })).status, 204);
    const parameters = { id: endpoint.id };
    const { workers } = await target.api.call(operations.getEndpoint, { parameters });
    assert.deepEqual([workers.min, workers.max], [0, 0]);
    const { id: jobId } = await target.api.run(endpoint, { do: 'echo', value: 3 });
    assert.deepEqual(await target.api.workers(endpoint), []);
    await target.api.call(operations.updateEndpoint, { parameters, body: { workers: { max: 1 } } });
    assert.equal((await target.api.jobWithStatus(endpoint, jobId, 'COMPLETED')).output, 3);
  });

  it('starts endpoints immediately on request', async () => {
    const { api, endpoint } = await startWithResources();
    const snapshot = await download(api);
    const target = await platformForTest();
    assert.equal((await upload(target.api, snapshot, { secrets: 'drop', start: 'true' })).status, 204);
    await target.api.worker(endpoint, 'IDLE');
    assert.equal((await target.api.runSync(endpoint, { do: 'echo', value: 4 })).output, 4);
  });

  it('drops pending webhooks unless a start is requested', async () => {
    let calls = 0;
    const receiver = createServer((_incoming, response) => {
      calls++;
      response.writeHead(503).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => receiver.once('listening', resolve));
    afterwards(() => new Promise((resolve) => receiver.close(resolve)));
    const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const { id: jobId } = await api.run(endpoint, {}, { webhook });
    const answered = new Promise((resolve) => receiver.once('request', resolve));
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId } });
    await answered;
    const snapshot = await download(api);
    const before = calls;
    assert.equal((await upload(api, snapshot)).status, 204);
    const file = path.join(await dataDirectory(), 'after.sqlite');
    await writeFile(file, await download(api));
    const database = new DatabaseSync(file, { readOnly: true });
    assert.equal(database.prepare('SELECT count(*) AS count FROM webhooks').get()?.['count'], 0);
    database.close();
    assert.equal(calls, before);
  });

  it('keeps secrets on the same data directory, and fails elsewhere unless secrets are dropped', async () => {
    const dataDir = await dataDirectory();
    const { api } = await platformForTest({ dataDir });
    const env = { TOKEN: 'the value' };
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 }, env });
    await api.run(endpoint, {}, { webhook: 'http://user:password@127.0.0.1:1/', s3Config: { accessSecret: 's' } });
    const snapshot = await download(api);
    const parameters = { id: endpoint.id };
    assert.equal((await upload(api, snapshot)).status, 204);
    assert.deepEqual((await api.call(operations.getEndpoint, { parameters })).env, env);

    const other = await platformForTest();
    const refused = await upload(other.api, snapshot);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /encrypted with the key of another.*secrets=drop/);
    assert.deepEqual((await other.api.call(operations.listEndpoints)).endpoints, []);
    assert.equal((await upload(other.api, snapshot, { secrets: 'drop' })).status, 204);
    assert.deepEqual((await other.api.call(operations.getEndpoint, { parameters })).env, {});
    const health = await other.api.call(operations.getEndpointHealth, { parameters: { endpointId: endpoint.id } });
    assert.equal(health.jobs.inQueue, 1);
  });

  it('pauses process endpoints of other accounts unless they are allowed', async () => {
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    const { id: accountId } = await api.call(controlOperations.createUser, { body: { name: 'Ada' } });
    const { key } = await api.call(controlOperations.createApiKey, { body: { name: 'key', accountId } });
    const headers = { Authorization: `Bearer ${key}` };
    const { id } = await api.call(operations.createEndpoint, {
      body: endpointBody({ workers: { min: 0, max: 2 } }),
      headers,
    });
    const snapshot = await download(api);
    const max = async (target: Api) => {
      assert.equal((await upload(target, snapshot, { start: 'true' })).status, 204);
      return (await target.call(operations.getEndpoint, { parameters: { id }, headers })).workers.max;
    };
    assert.equal(await max(api), 2);
    assert.equal(await max((await platformForTest()).api), 0);
  });

  it('cannot move a volume directory, even if an invalid ID gets into the store', () => {
    const store = openSqliteStore(':memory:');
    afterwards(() => Promise.resolve().then(() => store.close()));
    const resources = openResources(store, systemClock);
    store.resources.of('owner').globalVolumes.insert({ id: '../x', name: 'n', createdAt: 1 });
    const mounts = { network: [], global: [{ volumeId: '../x', path: '/v' }] };
    assert.throws(() => resources.mountsOf({ accountId: 'owner', mounts }), /is not a volume ID/);
  });
});
