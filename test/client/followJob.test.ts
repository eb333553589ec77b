import assert from 'node:assert/strict';
import { createClient } from '../../src/client/client.ts';
import type { Clock } from '../../src/client/clock.ts';
import { followJob } from '../../src/client/followJob.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const address = { endpointId: 'e', jobId: 'j' };

/** Creates a clock that ends and records short sleeps. Longer sleeps, such as time limits of requests, never end. */
function recordingClock(slept: number[]): Clock {
  return {
    now: () => 0,
    sleep: (ms, signal) =>
      ms > 10_000
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
        : Promise.resolve(void slept.push(ms)),
  };
}

describe('following a job', () => {
  it('yields each change once and ends with the terminal state', async () => {
    const answers = [
      { id: 'j', status: 'IN_QUEUE' },
      { id: 'j', status: 'IN_QUEUE' },
      { id: 'j', status: 'IN_QUEUE' },
      { id: 'j', status: 'IN_PROGRESS', workerId: 'w' },
      { id: 'j', status: 'IN_PROGRESS', workerId: 'w', output: '50 %' },
      { id: 'j', status: 'COMPLETED', workerId: 'w', output: { done: true } },
    ];
    const slept: number[] = [];
    await using server = await startScriptedServer((_, response) => json(response, 200, answers.shift()));
    const client = createClient({ connection: server.connection, fetch, clock: recordingClock(slept) });
    const seen: unknown[] = [];
    for await (const { status, output } of followJob(client, address)) seen.push([status, output]);
    assert.deepEqual(seen, [
      ['IN_QUEUE', undefined],
      ['IN_PROGRESS', undefined],
      ['IN_PROGRESS', '50 %'],
      ['COMPLETED', { done: true }],
    ]);
    assert.deepEqual(slept, [250, 375, 562.5, 250, 250], 'intervals grow while nothing changes');
  });

  it('throws the error of a failed status request', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 404, { error: 'job not found' }));
    await assert.rejects(followJob(server.client, address).next(), { kind: 'notFound', message: 'job not found' });
  });

  it('stops between two polls when it is canceled', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 200, { id: 'j', status: 'IN_QUEUE' }),
    );
    const cancel = new AbortController();
    const following = followJob(server.client, address, cancel.signal);
    await following.next();
    const next = following.next();
    cancel.abort();
    await assert.rejects(next, { kind: 'canceled' });
  });
});
