import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, dataDirectory, platformForTest } from './support.ts';

describe('Export of a snapshot', () => {
  afterEach(cleanUp);

  it('does not delay other callers', async () => {
    const { api } = await platformForTest({ dataDir: await dataDirectory() });
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const job = { endpoint: endpoint.id, status: 'COMPLETED', output: 'x'.repeat(500) };
    await api.call(controlOperations.seed, { body: { jobs: Array.from({ length: 20_000 }, () => job) } });
    const order: string[] = [];
    const exported = api.fetch(controlOperations.exportSnapshot).then((response) => {
      order.push('snapshot');
      return response.arrayBuffer();
    });
    for (let n = 0; n < 3; n++) {
      await api.call(operations.getEndpointHealth, { parameters: { endpointId: endpoint.id } });
      order.push('answer');
    }
    assert.ok((await exported).byteLength > 1_000_000);
    assert.deepEqual(order, ['answer', 'answer', 'answer', 'snapshot']);
  });
});
