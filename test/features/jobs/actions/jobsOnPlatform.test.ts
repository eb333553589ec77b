import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import { createClient } from '../../../../src/client/client.ts';
import { systemClock } from '../../../../src/client/clock.ts';
import { followStream } from '../../../../src/features/jobs/actions/followStream.ts';
import { submitAndFollow } from '../../../../src/features/jobs/actions/submitAndFollow.ts';
import { submitAndWait } from '../../../../src/features/jobs/actions/submitAndWait.ts';
import { cleanUp, fixtures, platformForTest } from '../../../platform/support.ts';

describe('Jobs on the local platform', function () {
  this.timeout(30_000);
  afterEach(cleanUp);

  async function world() {
    const { platform, api } = await platformForTest();
    const { id } = await api.createEndpoint({
      image: `process:${path.join(fixtures, 'results')}`,
      cmd: [process.execPath, 'handler.mjs'],
    });
    const client = createClient({ connection: platform.announcement, fetch });
    const options = {
      client,
      clock: systemClock,
      signal: new AbortController().signal,
      isConnected: () => true,
      observer: { seen: () => undefined, waiting: () => undefined, canceling: () => undefined },
      record: () => undefined,
    };
    const order = (input: Record<string, unknown>) => ({ endpointId: id, endpointName: 'test', body: { input } });
    return { client, options, order, endpointId: id };
  }

  it('return their output, with run and with runsync', async () => {
    const { options, order } = await world();
    const input = { do: 'echo', value: 7 };
    assert.equal((await submitAndFollow(order(input), options))?.output, 7);
    assert.equal((await submitAndWait(order(input), 20_000, options))?.output, 7);
  });

  it('stream the chunks of their worker in order', async () => {
    const { client, order, endpointId } = await world();
    const values = ['a', { b: 1 }, 'c'];
    const { id } = await client.runJob({ endpointId, body: order({ do: 'stream', values, pauseMs: 20 }).body });
    const outputs: unknown[] = [];
    await followStream({
      client,
      address: { endpointId, jobId: id },
      signal: new AbortController().signal,
      lives: () => true,
      onEvent: (event) => {
        if (event.kind === 'chunks') outputs.push(...event.outputs);
      },
    });
    assert.deepEqual(outputs, values);
  });

  it('are canceled on the platform if they never end', async () => {
    const { options, order } = await world();
    const abort = new AbortController();
    const observer = {
      ...options.observer,
      seen: ({ status }: { status: string }) => {
        if (status === 'IN_PROGRESS') abort.abort();
      },
    };
    const job = await submitAndFollow(order({ do: 'wait' }), { ...options, observer, signal: abort.signal });
    assert.equal(job?.status, 'CANCELLED');
  });
});
