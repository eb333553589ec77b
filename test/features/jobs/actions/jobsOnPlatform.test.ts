import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import { createClient } from '../../../../src/client/client.ts';
import { systemClock } from '../../../../src/client/clock.ts';
import { JobStream, type StreamEvent } from '../../../../src/features/jobs/actions/jobStream.ts';
import { runToEnd } from '../../../../src/features/jobs/actions/submitJob.ts';
import { cleanUp, fixtures, platformForTest } from '../../../platform/support.ts';
import { submitting } from './world.ts';

describe('Jobs on the local platform', () => {
  afterEach(cleanUp);

  async function world() {
    const { platform, api } = await platformForTest();
    const { id } = await api.createEndpoint({
      image: `process:${path.join(fixtures, 'results')}`,
      cmd: [process.execPath, 'handler.mjs'],
    });
    const client = createClient({ connection: platform.announcement, fetch });
    const { services } = submitting(client, systemClock);
    const options = { kind: 'run' as const, signal: new AbortController().signal };
    const order = (input: Record<string, unknown>) => ({ endpointId: id, endpointName: 'test', body: { input } });
    return { client, services, options, order, endpointId: id };
  }

  it('return their output, with run and with runsync', async () => {
    const { services, options, order } = await world();
    const input = { do: 'echo', value: 7 };
    assert.equal((await runToEnd(order(input), services, options))?.output, 7);
    assert.equal((await runToEnd(order(input), services, { ...options, kind: 'runSync', limitMs: 20_000 }))?.output, 7);
  });

  it('stream the chunks of their worker in order', async () => {
    const { client, order, endpointId } = await world();
    const values = ['a', { b: 1 }, 'c'];
    const { id } = await client.runJob({ endpointId, body: order({ do: 'stream', values, pauseMs: 20 }).body });
    const outputs: unknown[] = [];
    const onEvent = (event: StreamEvent) => {
      if (event.kind === 'chunks') outputs.push(...event.outputs);
    };
    await new JobStream({ client, address: { endpointId, jobId: id }, onEvent }).start();
    assert.deepEqual(outputs, values);
  });

  it('are canceled on the platform if they never end', async () => {
    const { services, options, order } = await world();
    const abort = new AbortController();
    const onState = ({ status }: { status: string }) => {
      if (status === 'IN_PROGRESS') abort.abort();
    };
    const job = await runToEnd(order({ do: 'wait' }), services, { ...options, onState, signal: abort.signal });
    assert.equal(job?.status, 'CANCELLED');
  });
});
