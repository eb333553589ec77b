import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { createJob } from '../../src/platform/domain/job.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { type Api, cleanUp, dataDirectory, platformForTest } from './support.ts';

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
