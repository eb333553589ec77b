import assert from 'node:assert/strict';
import { cleanUp, platformForTest } from '../support.ts';
import { kindsOf, spanOf, traceOf } from './support.ts';

describe('Trace of a job', () => {
  afterEach(cleanUp);

  it('shows the cold start that it waited for, and its attempt', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const job = await api.runSync(endpoint, { do: 'echo', value: 1 });
    const trace = await traceOf(api, endpoint, job.id);
    const kinds = kindsOf(trace).filter((kind) => kind !== 'waitingForWorker');
    assert.deepEqual(kinds, ['queued', 'coldStart', 'creating', 'loading', 'running']);
    assert.equal(spanOf(trace, 'running').outcome, 'ok');
  });
});
