import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { launch } from './launch.ts';
import { Api, cleanUp, dataDirectory, endpointBody, eventually, platformForTest } from './support.ts';

const REMOVED = 'removed the jobs and logs of a deleted endpoint';

const seedJobs = async (api: Api, { id }: Endpoint, count: number): Promise<void> => {
  const job = { endpoint: id, status: 'COMPLETED', output: 'x'.repeat(200) };
  await api.call(controlOperations.seed, { body: { jobs: Array.from({ length: count }, () => job) } });
};

describe('A deleted endpoint with many jobs', () => {
  afterEach(cleanUp);

  it('is gone at once, while other callers receive responses between the removals of its jobs', async () => {
    const events: string[] = [];
    const write = (line: string): void => {
      if (line.includes(REMOVED)) events.push('removed');
    };
    const log = pino({ level: 'info' }, { write });
    const { api } = await platformForTest({ log });
    const [doomed, other] = [await api.createEndpoint({ workers: { min: 0, max: 0 } }), await api.createEndpoint()];
    await seedJobs(api, doomed, 20_000);
    await api.call(operations.deleteEndpoint, { parameters: { id: doomed.id } });
    events.push('deleted');
    await api.refused(404, operations.getEndpoint, { parameters: { id: doomed.id } });
    await api.refused(404, operations.runJob, { parameters: { endpointId: doomed.id }, body: { input: {} } });
    const { jobs } = await api.call(operations.getEndpointHealth, { parameters: { endpointId: other.id } });
    assert.equal(jobs.completed, 0);
    events.push('answered');
    await eventually('the jobs are removed', () => events.includes('removed'));
    assert.deepEqual(events, ['deleted', 'answered', 'removed']);
  });

  it('stays gone after a kill, and the next start removes the rest of its jobs', async () => {
    const dataDir = await dataDirectory();
    const args = ['--json', '--data-dir', dataDir, '--api-key', 'test'];
    const database = path.join(dataDir, 'platform.sqlite');
    const first = launch(args);
    const api = new Api(await first.announcement());
    const body = endpointBody({ workers: { min: 0, max: 0 } });
    const doomed = await api.call(operations.createEndpoint, { body });
    await seedJobs(api, doomed, 30_000);
    await api.call(operations.deleteEndpoint, { parameters: { id: doomed.id } });
    first.kill('SIGKILL');
    await first.exit;
    assert.ok(rowsIn(database, 'jobs') > 0, 'the response did not wait for the removal');

    const next = launch(args);
    const again = new Api(await next.announcement());
    await again.refused(404, operations.getEndpoint, { parameters: { id: doomed.id } });
    await eventually('the jobs are removed', () => next.stderr().includes(REMOVED));
    next.kill('SIGTERM');
    assert.equal((await next.exit).code, 0);
    for (const table of ['jobs', 'job_requests', 'job_counts', 'removed_endpoints']) {
      assert.equal(rowsIn(database, table), 0, table);
    }
  });
});

function rowsIn(file: string, table: string): number {
  const database = new DatabaseSync(file);
  try {
    return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']);
  } finally {
    database.close();
  }
}
