import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { createEndpoint } from '../../src/platform/domain/endpoint.ts';
import { templateWith } from '../../src/platform/domain/template.ts';
import { createJob } from '../../src/platform/domain/job.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { migrate } from '../../src/platform/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../src/platform/store/sqlite/migrations.ts';
import { sqliteModule } from '../../src/platform/store/sqlite/sqliteModule.ts';
import { type Api, cleanUp, dataDirectory, endpointBody, platformForTest } from './support.ts';

/** Part of every secret value in these tests. */
const SECRET = 'xK7-not-for-your-eyes';
/** No server listens at this address, so the webhook stays pending. */
const WEBHOOK = `http://user:${SECRET}-password@127.0.0.1:1/hook?token=${SECRET}-token`;
const s3Config = { accessId: 'id', accessSecret: `${SECRET}-s3`, bucketName: 'b' };
const paused = { workers: { min: 0, max: 0 } };

describe('Secrets at rest', () => {
  afterEach(cleanUp);

  it('are neither in a file of the data directory nor in a snapshot', async () => {
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const { id } = await api.createEndpoint({ ...paused, env: { TOKEN: `${SECRET}-1` } });
    await api.call(operations.updateEndpoint, { parameters: { id }, body: { env: { TOKEN: `${SECRET}-2` } } });
    const template = { name: 't', image: 'i', serverless: true, env: { TOKEN: `${SECRET}-3` } };
    const { id: templateId } = await api.call(operations.createTemplate, { body: template });
    await api.call(operations.updateTemplate, { parameters: { id: templateId }, body: { env: { A: `${SECRET}-4` } } });
    await api.call(operations.createRegistry, { body: { name: 'r', username: 'u', password: `${SECRET}-5` } });
    const job = async (): Promise<string> => {
      const body = { input: {}, webhook: WEBHOOK, s3Config };
      return (await api.call(operations.runJob, { parameters: { endpointId: id }, body })).id;
    };
    await job();
    // The webhook of this job is pending.
    await api.call(operations.cancelJob, { parameters: { endpointId: id, jobId: await job() } });
    const snapshot = Buffer.from(await (await api.fetch(controlOperations.exportSnapshot)).arrayBuffer());
    assert.ok(!snapshot.includes(SECRET), 'the snapshot');
    assert.deepEqual(await filesWith(dataDir, SECRET), []);
    await platform.close();
    assert.deepEqual(await filesWith(dataDir, SECRET), []);

    const again = await platformForTest({ dataDir });
    await assertSecrets(again.api, id, { env: `${SECRET}-2`, templateId, templateEnv: `${SECRET}-4` });
  });

  it('of the previous release are encrypted, and leave no plain text behind', async () => {
    const dataDir = await dataDirectory();
    const database = new (sqliteModule().DatabaseSync)(path.join(dataDir, 'platform.sqlite'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4');
    migrate(database, MIGRATIONS.slice(0, LAST_RELEASE));
    const endpoint = createEndpoint(endpointBody({ ...paused, env: { TOKEN: `${SECRET}-2` } }), {
      ...{
        id: 'endpoint1',
        accountId: 'owner',
        now: 1,
        findTemplate: () => undefined,
        exists: () => true,
        mayRunProcesses: true,
      },
    });
    const template = templateWith({ id: 'template01', name: 't', image: 'i', env: { A: `${SECRET}-4` } });
    const request = { input: { n: 1 }, webhook: WEBHOOK, s3Config, policy: { ttl: 600_000_000 } };
    const insert = {
      endpoint: database.prepare('INSERT INTO endpoints VALUES (?, 1, ?)'),
      template: database.prepare(`INSERT INTO resources (kind, id, record) VALUES ('templates', ?, ?)`),
      request: database.prepare('INSERT INTO job_requests VALUES (?, ?)'),
      job: database.prepare(`INSERT INTO jobs (sequence, id, endpoint_id, status, low_priority, created_at, queued_at, expires_at,
        lost_workers, retries, webhook) VALUES (?, ?, 'endpoint1', 'IN_QUEUE', 0, ?, ?, ?, 0, 0, ?)`),
      webhook: database.prepare(
        `INSERT INTO webhooks (job_id, receiver, url, attempts, due_at, body) VALUES ('j', ?, ?, 0, ?, ?)`,
      ),
    };
    insert.endpoint.run('endpoint1', JSON.stringify(endpoint));
    insert.template.run('template01', JSON.stringify(template));
    const now = Date.now();
    for (let sequence = 1; sequence <= 400; sequence++) {
      insert.job.run(sequence, `job-${sequence}`, now, now, now + 600_000_000, WEBHOOK);
      insert.request.run(sequence, JSON.stringify(request));
    }
    insert.webhook.run(`http://user:${SECRET}`, WEBHOOK, now + 600_000, JSON.stringify({ id: 'j', webhook: WEBHOOK }));
    // Deleted rows stay in free pages.
    database.exec('DELETE FROM jobs WHERE sequence > 100; DELETE FROM job_requests WHERE sequence > 100');
    database.close();
    assert.notDeepEqual(await filesWith(dataDir, SECRET), [], 'the secrets were plain text before');

    const { platform, api } = await platformForTest({ dataDir });
    assert.deepEqual(await filesWith(dataDir, SECRET), []);
    await assertSecrets(api, 'endpoint1', { env: `${SECRET}-2`, templateId: 'template01', templateEnv: `${SECRET}-4` });
    await platform.close();
    assert.deepEqual(await filesWith(dataDir, SECRET), []);
  });

  it('are decrypted unchanged, even next to a member named $sealed', () => {
    const store = openSqliteStore(':memory:');
    const job = createJob({ webhook: WEBHOOK }, { id: 'j', endpointId: 'e', now: 1 });
    const request = { input: { n: 1 }, s3Config, webhook: WEBHOOK, $sealed: 'a member of the caller', last: true };
    store.jobs.insert(job, request);
    assert.deepEqual(store.jobs.request('j'), request);
    assert.deepEqual(Object.keys(store.jobs.request('j')), Object.keys(request));
    assert.equal(store.jobs.get('e', 'j')?.notifies, true);
    store.close();
  });
});

/** Number of migration steps in the previous release. */
const LAST_RELEASE = MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE quarantine'));

async function assertSecrets(
  api: Api,
  id: string,
  expected: { readonly env: string; readonly templateId: string; readonly templateEnv: string },
): Promise<void> {
  const { env } = await api.call(operations.getEndpoint, { parameters: { id } });
  assert.deepEqual(env, { TOKEN: expected.env });
  const template = await api.call(operations.getTemplate, { parameters: { id: expected.templateId } });
  assert.deepEqual(template.env, { A: expected.templateEnv });
}

/** Returns the files below a directory that contain the text. */
async function filesWith(directory: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    if ((await readFile(path.join(entry.parentPath, entry.name))).includes(text)) found.push(entry.name);
  }
  return found;
}
