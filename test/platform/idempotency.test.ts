// Clauses of the interface: Endpoints 2; Errors, invocation status codes.
import assert from 'node:assert/strict';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../../src/contract/job.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { startPlatform } from '../../src/platform/daemon/start.ts';
import { Api, cleanUp, dataDirectory, platformForTest, settableClock } from './support.ts';

const PAUSED = { workers: { min: 0, max: 0 } };
const DAY_MS = 86_400_000;

const submission = (endpoint: Endpoint, key: string, body: object = { input: { n: 1 } }) => ({
  parameters: { endpointId: endpoint.id },
  body,
  headers: { [IDEMPOTENCY_KEY_HEADER]: key },
});
const inQueue = async (api: Api, endpoint: Endpoint): Promise<number> => {
  const { jobs } = await api.call(operations.getEndpointHealth, { parameters: { endpointId: endpoint.id } });
  return jobs.inQueue;
};

describe('Submissions with an Idempotency-Key', () => {
  afterEach(cleanUp);

  it('return the job that the first request created, in its current state', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint(PAUSED);
    const { id } = await api.call(operations.runJob, submission(endpoint, 'row-1'));
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    const again = await api.call(operations.runJob, submission(endpoint, 'row-1'));
    assert.deepEqual([again.id, again.status], [id, 'CANCELLED']);
    const waited = await api.call(operations.runJobSync, submission(endpoint, 'row-1'));
    assert.equal(waited.id, id);
    const other = await api.call(operations.runJob, submission(endpoint, 'row-2'));
    assert.notEqual(other.id, id);
  });

  it('create one job when they are concurrent', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint(PAUSED);
    const jobs = await Promise.all(
      Array.from({ length: 20 }, () => api.call(operations.runJob, submission(endpoint, 'k'))),
    );
    assert.equal(new Set(jobs.map(({ id }) => id)).size, 1);
    assert.equal(await inQueue(api, endpoint), 1);
  });

  it('are refused with 409 if the body differs, without an effect on concurrent submissions', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint(PAUSED);
    await api.call(operations.runJob, submission(endpoint, 'k'));
    const [body, other] = await Promise.all([
      api.refused(409, operations.runJob, submission(endpoint, 'k', { input: { n: 2 } })),
      api.call(operations.runJob, submission(endpoint, 'another')),
    ]);
    assert.equal((body as unknown as { status: string }).status, 'FAILED');
    assert.match(body.error ?? '', /Idempotency-Key/);
    assert.equal(other.status, 'IN_QUEUE');
    assert.equal(await inQueue(api, endpoint), 2);
  });

  it('are separate for each endpoint', async () => {
    const { api } = await platformForTest();
    const [one, two] = [await api.createEndpoint(PAUSED), await api.createEndpoint({ ...PAUSED, name: 'other' })];
    const first = await api.call(operations.runJob, submission(one, 'k'));
    const second = await api.call(operations.runJob, submission(two, 'k', { input: { n: 2 } }));
    assert.notEqual(first.id, second.id);
  });

  it('are refused with 400 if the key is not 1 to 255 visible ASCII characters', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint(PAUSED);
    for (const key of ['', 'two words', 'é', 'x'.repeat(256)])
      await api.refused(400, operations.runJob, submission(endpoint, key));
    for (const key of ['x', '"8e03978e-40d5-43e8-bc93-6894a57f9324"', '~'.repeat(255)])
      await api.call(operations.runJob, submission(endpoint, key));
    assert.equal(await inQueue(api, endpoint), 3);
  });

  it('create a new job once the first one is deleted', async () => {
    const clock = settableClock(Date.now());
    const { api } = await platformForTest({ clock });
    const endpoint = await api.createEndpoint(PAUSED);
    const { id } = await api.call(operations.runJob, submission(endpoint, 'k'));
    clock.set(clock.now() + 2 * DAY_MS);
    const later = await api.call(operations.runJob, submission(endpoint, 'k', { input: { n: 2 } }));
    assert.notEqual(later.id, id);
  });

  it('return the same job after a restart and in an imported snapshot', async () => {
    const dataDir = await dataDirectory();
    const first = await startPlatform({ dataDir });
    const api = new Api(first.announcement);
    const endpoint = await api.createEndpoint(PAUSED);
    const { id } = await api.call(operations.runJob, submission(endpoint, 'k'));
    await first.close();
    const { api: second, platform } = await platformForTest({ dataDir });
    assert.equal((await second.call(operations.runJob, submission(endpoint, 'k'))).id, id);

    const { baseUrl, apiKey } = platform.announcement;
    const headers = { Authorization: `Bearer ${apiKey}` };
    const snapshot = await (await fetch(baseUrl + controlOperations.exportSnapshot.path, { headers })).arrayBuffer();
    const imported = await fetch(baseUrl + controlOperations.importSnapshot.path, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': 'application/vnd.sqlite3' },
      body: snapshot,
    });
    assert.ok(imported.ok, await imported.text());
    assert.equal((await second.call(operations.runJob, submission(endpoint, 'k'))).id, id);
    await second.refused(409, operations.runJob, submission(endpoint, 'k', { input: { n: 2 } }));
  });
});
