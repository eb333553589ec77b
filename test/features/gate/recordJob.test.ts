import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createClient } from '../../../src/client/client.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { isTerminal, type JobRequest } from '../../../src/contract/job.ts';
import { readLocalJob } from '../../../src/features/gate/actions/readLocalJob.ts';
import { prepareRecording, removeRecording, writeRecording } from '../../../src/features/gate/actions/recordJob.ts';
import { readRecordings, requestOfRecording } from '../../../src/features/gate/actions/readRecordings.ts';
import { cleanUp, eventually, fixtures, platformForTest } from '../../platform/support.ts';

describe('A job of the local platform', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-record-'));
  });
  afterEach(async () => {
    await cleanUp();
    await rm(folder, { recursive: true, force: true });
  });

  const manifest = () => path.join(folder, 'results.endpoint.yaml');

  async function world(request: JobRequest) {
    const { platform, api } = await platformForTest();
    const { id: endpointId } = await api.createEndpoint({
      image: `process:${path.join(fixtures, 'results')}`,
      cmd: [process.execPath, 'handler.mjs'],
      env: { API_TOKEN: 'correct-horse', MODE: 'fast' },
    });
    const client = createClient({ connection: platform.announcement, fetch });
    const { id: jobId } = await client.runJob({ endpointId, body: request });
    const secrets = new Map([['API_TOKEN', 'correct-horse']]);
    const job = { endpointId, jobId, request, submittedAt: 0, manifest: manifest(), secrets };
    return { api, client, job, services: { client, isLocal: true } };
  }

  it('is recorded with its result and its worker, and without secrets, webhook, and S3 settings', async () => {
    const value = { token: 'opensesame', text: 'with correct-horse', large: 'x'.repeat(9_000) };
    const { client, job, services } = await world({
      input: { do: 'echo', value },
      webhook: 'http://127.0.0.1:9/correct-horse',
      s3Config: { accessSecret: 'correct-horse' },
      policy: { ttl: 600_000 },
    });
    await eventually('the job has ended', async () => isTerminal((await client.getJobStatus(job)).status));
    await writeRecording(await prepareRecording(job, services));
    const names = await readdir(path.join(folder, 'results.recordings'));
    assert.deepEqual(names.sort(), [`${job.jobId}.1.txt`, `${job.jobId}.recording.json`]);
    for (const name of names) {
      const text = await readFile(path.join(folder, 'results.recordings', name), 'utf8');
      assert.doesNotMatch(text, /correct-horse|opensesame|webhook|s3Config/);
    }
    const { recordings, problems } = await readRecordings(manifest());
    assert.deepEqual(problems, []);
    const [recording] = recordings;
    assert.ok(recording);
    const { recorded } = recording;
    assert.equal(recorded.endpoint, 'test');
    assert.equal(recorded.result.status, 'COMPLETED');
    assert.deepEqual(recorded.result.output, {
      token: { $secret: 'VALUE_TOKEN' },
      text: 'with …',
      large: {
        $file: `${job.jobId}.1.txt`,
        sha256: (recorded.result.output as { large: { sha256: string } }).large.sha256,
      },
    });
    assert.deepEqual(recorded.worker.environment, ['API_TOKEN', 'MODE']);
    assert.equal(recorded.worker.release, 1);
    assert.equal(path.resolve(folder, recorded.worker.image.slice('process:'.length)), path.join(fixtures, 'results'));
    assert.equal(recorded.local, undefined);
    const valueOf = (name: string) => (name === 'VALUE_TOKEN' ? 'opensesame' : 'with correct-horse');
    assert.deepEqual(await requestOfRecording(recording, valueOf), {
      input: { do: 'echo', value },
      policy: { ttl: 600_000 },
    });
    await removeRecording(recording.file);
    assert.deepEqual(await readdir(path.join(folder, 'results.recordings')), []);
  });

  it('is recorded with the request that the platform received, if nobody else has it', async () => {
    const sent = { input: { do: 'echo', value: 1 }, policy: { ttl: 600_000 } } as const;
    const { client, job, services } = await world(sent);
    await eventually('the job has ended', async () => isTerminal((await client.getJobStatus(job)).status));
    const received = await readLocalJob(client, job);
    assert.ok(received);
    assert.equal(received.release, 1);
    const { recorded, text } = await prepareRecording({ ...job, ...received }, services);
    assert.deepEqual((JSON.parse(text) as typeof recorded).request, sent);
    assert.equal(recorded.submittedAt, new Date(received.submittedAt).toISOString());
    assert.equal(await readLocalJob(client, { ...job, jobId: 'unknown' }), undefined);
  });

  it('is refused until it has ended', async () => {
    const { client, job, services } = await world({ input: { do: 'wait' } });
    await assert.rejects(prepareRecording(job, services), /has not ended/);
    await client.cancelJob({ endpointId: job.endpointId, jobId: job.jobId });
    assert.equal((await prepareRecording(job, services)).recorded.result.status, 'CANCELLED');
  });

  it('is recorded with its error, and with the faults and the clock of the platform', async () => {
    const { api, client, job, services } = await world({ input: { do: 'raise' } });
    await eventually('the job has ended', async () => isTerminal((await client.getJobStatus(job)).status));
    await api.call(controlOperations.addFault, { body: { operation: 'runJob', status: 503, detail: 'correct-horse' } });
    await api.call(controlOperations.setClock, { body: { advanceMs: 60_000 } });
    const { recorded, text } = await prepareRecording(job, services);
    assert.equal(recorded.result.status, 'FAILED');
    assert.match(String(recorded.result.error), /no prompt/);
    assert.equal(Math.round((recorded.local?.clockOffsetMs ?? 0) / 1_000), 60);
    assert.equal(recorded.local?.faults.length, 1);
    assert.doesNotMatch(text, /correct-horse/);
  });

  it('replaces its earlier recording and the files of it', async () => {
    const { client, job, services } = await world({ input: { do: 'echo', value: 'x'.repeat(9_000) } });
    await eventually('the job has ended', async () => isTerminal((await client.getJobStatus(job)).status));
    await writeRecording(await prepareRecording(job, services));
    const prepared = await prepareRecording(job, services);
    await writeRecording({ ...prepared, files: [] });
    assert.deepEqual(await readdir(path.dirname(prepared.file)), [path.basename(prepared.file)]);
  });
});
