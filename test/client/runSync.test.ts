// Clauses of the interface: Endpoints 4.
import assert from 'node:assert/strict';
import { createClient } from '../../src/client/client.ts';
import type { Clock } from '../../src/client/clock.ts';
import { runSync } from '../../src/client/runSync.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const body = { input: { text: 'hi' } };

/** Clock that advances only in the delays between polls. Longer sleeps end at their time, or with their signal. */
function pollingClock(): Clock {
  let now = 0;
  const due = new Map<() => void, number>();
  return {
    now: () => now,
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      if (ms <= 3_000) {
        now += ms;
        for (const [resolve, at] of due) if (at <= now) resolve();
        return new Promise((resolve) => setImmediate(resolve));
      }
      return new Promise((resolve, reject) => {
        due.set(resolve, now + ms);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  };
}

describe('running a job and waiting for it', () => {
  it('returns a result within the timeout', async () => {
    const answer = { id: 'sync-1', status: 'COMPLETED', output: 'HI' };
    await using server = await startScriptedServer((_, response) => json(response, 200, answer));
    assert.deepEqual(await runSync(server.client, { endpointId: 'e', body }), answer);
    const { path, body: sent = '' } = server.received[0] ?? {};
    assert.equal(path, '/queue/v2/e/runsync?wait=10000');
    assert.deepEqual(JSON.parse(sent), body);
  });

  it('obtains the ID with a short first wait, and then follows the job', async () => {
    const answers = [
      { id: 'sync-1', status: 'IN_QUEUE' },
      { id: 'sync-1', status: 'IN_PROGRESS', output: '50 %' },
      { id: 'sync-1', status: 'COMPLETED', output: 'HI' },
    ];
    await using server = await startScriptedServer((_, response) => json(response, 200, answers.shift()));
    const clock = pollingClock();
    const client = createClient({ connection: server.connection, fetch, clock });
    const seen: string[] = [];
    const job = await runSync(client, { endpointId: 'e', body }, { onJob: ({ status }) => seen.push(status) });
    assert.equal(job.output, 'HI');
    assert.deepEqual(seen, ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']);
    assert.equal(server.received[1]?.path, '/queue/v2/e/status/sync-1');
  });

  it('returns the unfinished job after 60 s, or after the timeout of the endpoint', async () => {
    for (const timeout of [undefined, 5_000, 200_000]) {
      const clock = pollingClock();
      await using server = await startScriptedServer((_, response) =>
        json(response, 200, { id: 'sync-1', status: 'IN_QUEUE' }),
      );
      const client = createClient({ connection: server.connection, fetch, clock });
      const job = await runSync(client, { endpointId: 'e', body, timeout });
      assert.deepEqual(job, { id: 'sync-1', status: 'IN_QUEUE' });
      const late = clock.now() - (timeout ?? 60_000);
      assert.ok(late >= 0 && late <= 3_000, `${late} ms late`);
    }
  });

  it('throws an error with the ID if polling fails or is canceled', async () => {
    await using server = await startScriptedServer(({ method }, response) =>
      method === 'POST'
        ? json(response, 200, { id: 'sync-1', status: 'IN_QUEUE' })
        : json(response, 404, { error: 'job not found' }),
    );
    await assert.rejects(runSync(server.client, { endpointId: 'e', body }), { kind: 'notFound', jobId: 'sync-1' });
    const cancel = new AbortController();
    const run = runSync(
      server.client,
      { endpointId: 'e', body },
      { signal: cancel.signal, onJob: () => cancel.abort() },
    );
    await assert.rejects(run, { kind: 'canceled', jobId: 'sync-1' });
  });

  it('does not submit again if the response to the submission is lost', async () => {
    await using server = await startScriptedServer((_, response) => void response.destroy());
    await assert.rejects(runSync(server.client, { endpointId: 'e', body }), { kind: 'network', jobId: undefined });
    assert.equal(server.received.length, 1);
  });
});
