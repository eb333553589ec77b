import assert from 'node:assert/strict';
import { createClient } from '../../../../src/client/client.ts';
import { ApiError } from '../../../../src/client/apiError.ts';
import {
  readStart,
  measureStart,
  MeasurementRefusal,
} from '../../../../src/features/endpoints/starts/actions/readStart.ts';
import { cleanUp, eventually, platformForTest } from '../../../platform/support.ts';

describe('the starts of workers', () => {
  afterEach(cleanUp);

  const setUp = async () => {
    const { api, platform } = await platformForTest();
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    return { api, client };
  };
  const nothing = (): void => undefined;

  it('have proposals with the measured cold starts of the endpoint', async () => {
    const { api, client } = await setUp();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    await api.runSync(endpoint, { do: 'echo', value: 1 });
    const { id: workerId } = (await api.workers(endpoint))[0] ?? assert.fail('no worker');
    const { start, proposals } = await readStart(client, {
      ...{ workerId, endpointId: endpoint.id, endpoint, usdPerHour: 1 },
    });
    const [cold] = start.spans.filter(({ kind }) => kind === 'coldStart');
    assert.equal(cold?.workerId, workerId);
    for (const { cost } of proposals) if (cost) assert.equal(cost.coldStarts, 1);
  });

  it('are measured with a further worker, whose imports are listed', async () => {
    const { api, client } = await setUp();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const { signal } = new AbortController();
    const { workerId, spans, otherImports } = await measureStart(client.context, endpoint.id, {
      signal,
      onProgress: nothing,
    });
    const listed = spans.filter(({ kind }) => kind === 'importing').length;
    assert.ok(listed + (otherImports?.count ?? 0) > 0);
    const { start } = await readStart(client, {
      ...{ workerId, endpointId: endpoint.id, endpoint, usdPerHour: undefined },
    });
    assert.deepEqual(start.spans, spans);
  });

  it('are refused with the problem', async () => {
    const { api, client } = await setUp();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    const { signal } = new AbortController();
    await assert.rejects(
      measureStart(client.context, endpoint.id, { signal, onProgress: nothing }),
      (error) => error instanceof MeasurementRefusal && error.problem === 'noWorkers',
    );
  });

  it('are canceled with the worker', async () => {
    const { api, client } = await setUp();
    const endpoint = await api.createEndpoint({
      ...{ workers: { min: 0, max: 1 }, cmd: [process.execPath, '-e', 'setInterval(() => undefined, 1000)'] },
    });
    const cancel = new AbortController();
    await assert.rejects(
      measureStart(client.context, endpoint.id, { signal: cancel.signal, onProgress: () => cancel.abort() }),
      (error) => error instanceof ApiError && error.kind === 'canceled',
    );
    await eventually('end of the worker', async () => (await api.workers(endpoint)).length === 0);
  });
});
