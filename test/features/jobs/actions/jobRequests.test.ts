import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { JobRequestStore, storableRequest } from '../../../../src/features/jobs/actions/jobRequests.ts';

const request = { input: { prompt: 'hello' } };

/** Failures of the file system fail the test. */
const storeIn = (directory: string) =>
  new JobRequestStore(directory, (error) => {
    throw error;
  });

describe('Stored job requests', () => {
  let directory: string;
  let store: JobRequestStore;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-requests-'));
    store = storeIn(path.join(directory, 'requests'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const files = async () => (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.json'));

  it('are read again, also by a new store', async () => {
    await store.put('local', 'j1', request);
    assert.deepEqual(await store.get('local', 'j1'), request);
    assert.deepEqual(await storeIn(path.join(directory, 'requests')).get('local', 'j1'), request);
    assert.equal(await store.get('local', 'j2'), undefined);
    assert.equal(await store.get('other', 'j1'), undefined);
  });

  it('never contain the S3 settings', async () => {
    await store.put('local', 'j1', { ...request, s3Config: { accessId: 'id', accessSecret: 'top-secret' } });
    assert.deepEqual(await store.get('local', 'j1'), request);
    const [file = ''] = await files();
    assert.doesNotMatch(await readFile(path.join(directory, file), 'utf8'), /top-secret/);
  });

  it('are refused if a value looks like a secret', async () => {
    const token = `hf_${'aB3'.repeat(12)}`;
    const refused = [
      { input: { deep: [{ note: `use ${token}` }] } },
      { input: { api_key: 'k3Jx9Qz7Lm2Vb8Nc5Ty1Ws' } },
      { ...request, webhook: 'https://me:pass@example.com/hook' },
    ];
    for (const one of refused) {
      await store.put('local', 'j1', one);
      assert.deepEqual(storableRequest(one), { reason: 'secret' });
    }
    assert.deepEqual(await files(), []);
  });

  it('are refused over 64 KiB', async () => {
    const large = { input: { text: 'x'.repeat(64 * 1024) } };
    await store.put('local', 'j1', large);
    assert.deepEqual(storableRequest(large), { reason: 'tooLarge' });
    assert.deepEqual(await files(), []);
  });

  it('replace an earlier request of the job, also if they are refused', async () => {
    await store.put('local', 'j1', request);
    await store.put('local', 'j1', { input: { text: 'x'.repeat(64 * 1024) } });
    assert.equal(await store.get('local', 'j1'), undefined);
  });

  it('are limited to the last 200 of a connection', async () => {
    for (let index = 0; index < 203; index++) await store.put('local', `j${index}`, request);
    await store.put('other', 'j', request);
    assert.equal((await files()).length, 201);
    for (const id of ['j0', 'j1', 'j2']) assert.equal(await store.get('local', id), undefined);
    assert.deepEqual(await store.get('local', 'j3'), request);
  });

  it('are deleted with their jobs and with their connections', async () => {
    for (const [connection, job] of [
      ['local', 'j1'],
      ['local', 'j2'],
      ['gone', 'j3'],
    ] as const)
      await store.put(connection, job, request);
    await store.remove('local', ['j1', 'unknown']);
    await store.keepOnly(['local']);
    assert.equal((await files()).length, 1);
    assert.deepEqual(await store.get('local', 'j2'), request);
  });

  it('stay inside their directory for any ID', async () => {
    await store.put('..', '../../outside', request);
    assert.deepEqual(await store.get('..', '../../outside'), request);
    assert.ok((await files()).every((name) => name.startsWith('requests')));
    assert.equal((await readdir(directory)).length, 1);
  });

  it('are ignored if their file is broken', async () => {
    await store.put('local', 'j1', request);
    const [file = ''] = await files();
    await writeFile(path.join(directory, file), '{');
    assert.equal(await store.get('local', 'j1'), undefined);
  });
});

describe('Storable request', () => {
  it('keeps the webhook and the policy', () => {
    const all = { ...request, webhook: 'https://example.com/hook', policy: { ttl: 60_000 } };
    assert.deepEqual(storableRequest(all), { request: all });
  });
});
