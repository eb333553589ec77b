import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { Api, cleanUp, dataDirectory, platformForTest } from './support.ts';

const { createApiKey, createUser, exportSnapshot, importSnapshot } = controlOperations;

async function totalOf(api: Api): Promise<number> {
  const { metadata } = await api.call(operations.listBilling, { query: { bucketSize: 'day', lastN: 1 } });
  return metadata.totals.totalAmount;
}

/* The steps of docs/team.md. */
describe('A backup of a platform', () => {
  afterEach(cleanUp);

  it('is taken while jobs run, and brings accounts, secrets, jobs, logs, and bills to another data directory', async () => {
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const { id: accountId } = await api.call(createUser, { body: { name: 'Ada' } });
    const { key } = await api.call(createApiKey, { body: { name: 'laptop', accountId } });
    const env = { TOKEN: 'the value' };
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 }, env });
    const ended = await api.runSync(endpoint, { do: 'print', lines: 2 });
    const running = await api.run(endpoint, { do: 'hang' });
    await api.jobWithStatus(endpoint, running.id, 'IN_PROGRESS');
    const waiting = await api.run(endpoint, { do: 'pid' });
    const billed = await totalOf(api);
    assert.ok(billed > 0);
    const snapshot = await (await api.fetch(exportSnapshot)).arrayBuffer();
    await platform.close();

    const elsewhere = await dataDirectory();
    await copyFile(path.join(dataDir, 'secrets.key'), path.join(elsewhere, 'secrets.key'));
    const { api: restored } = await platformForTest({ dataDir: elsewhere });
    const { status } = await restored.fetch(importSnapshot, { query: { start: 'true' } }, { body: snapshot });
    assert.equal(status, 204);

    const parameters = { id: endpoint.id };
    assert.deepEqual((await restored.call(operations.getEndpoint, { parameters })).env, env);
    assert.deepEqual((await restored.job(endpoint, ended.id)).output, ended.output);
    const workerId = ended.workerId ?? '';
    await restored.logsUntil(endpoint, workerId, ({ line }) => line.includes('line 2'));
    assert.ok((await totalOf(restored)) >= billed);
    const user = new Api({ ...restored.addresses, apiKey: key });
    assert.deepEqual((await user.call(operations.listEndpoints)).endpoints, []);
    await restored.jobWithStatus(endpoint, running.id, 'IN_PROGRESS');
    await restored.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: running.id } });
    await restored.jobWithStatus(endpoint, waiting.id, 'COMPLETED');
  });
});
