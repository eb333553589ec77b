import assert from 'node:assert/strict';
import { createClient } from '../../src/client/client.ts';
import { backoffMs } from '../../src/client/retry.ts';
import { jumpingClock } from './fakeClock.ts';
import { json, startScriptedServer, type Script } from './scriptedServer.ts';

/** Creates a client of a server with one script per request. The last script repeats. */
async function clientOf(...scripts: Script[]) {
  const server = await startScriptedServer((request, response) =>
    (scripts.length > 1 ? scripts.shift() : scripts[0])?.(request, response),
  );
  const { clock, slept } = jumpingClock(9_000);
  return { ...server, slept, client: createClient({ connection: server.connection, fetch, clock, random: () => 0.5 }) };
}

const down: Script = (_, response) => json(response, 503, { error: 'down' });
const hangUp: Script = (_, response) => void response.destroy();
const job: Script = (_, response) => json(response, 200, { id: 'j', status: 'IN_QUEUE' });
const gone: Script = (_, response) => json(response, 404, { error: 'not found' });

describe('a call with a temporary failure', () => {
  it('is repeated with growing delays until it succeeds', async () => {
    await using server = await clientOf(down, hangUp, (_, response) => json(response, 408, { error: 'slow' }), job);
    const { client, slept } = server;
    assert.equal((await client.getJobStatus({ endpointId: 'e', jobId: 'j' })).id, 'j');
    assert.deepEqual(slept, [150, 300, 600]);
  });

  it('fails after three repetitions', async () => {
    await using server = await clientOf(down);
    const { client } = server;
    await assert.rejects(client.getJobStatus({ endpointId: 'e', jobId: 'j' }), { kind: 'server', message: 'down' });
    assert.equal(server.received.length, 4);
  });

  it('waits for the Retry-After of any server error', async () => {
    for (const status of [500, 503, 507]) {
      await using server = await clientOf((_, response) => {
        response.setHeader('Retry-After', '5');
        json(response, status, { status: 'FAILED', error: 'the disk is full' });
      }, job);
      const { client, slept } = server;
      await client.getJobStatus({ endpointId: 'e', jobId: 'j' });
      assert.deepEqual(slept, [5_000]);
    }
  });

  it('is not repeated if it submits a job, which the service might have accepted', async () => {
    const body = { input: {} };
    for (const script of [down, hangUp]) {
      await using server = await clientOf(script);
      const { client } = server;
      await assert.rejects(client.runJob({ endpointId: 'e', body }));
      await assert.rejects(client.runJobSync({ endpointId: 'e', body }));
      await assert.rejects(client.retryJob({ endpointId: 'e', jobId: 'j' }));
      await assert.rejects(client.purgeQueue({ endpointId: 'e' }));
      await assert.rejects(client.streamJob({ endpointId: 'e', jobId: 'j' }));
      assert.equal(server.received.length, 5);
    }
  });

  it('is repeated if it submits a job with a key on a platform that honors keys', async () => {
    await using server = await clientOf(hangUp, down, job);
    const options = { connection: server.connection, fetch, random: () => 0 };
    const submission = [{ endpointId: 'e', body: { input: {} } }, { idempotencyKey: 'row-1' }] as const;
    const local = createClient({ ...options, honorsIdempotencyKeys: true });
    assert.equal((await local.runJob(...submission)).id, 'j');
    assert.deepEqual(
      server.received.map(({ headers }) => headers['idempotency-key']),
      ['row-1', 'row-1', 'row-1'],
    );

    await using other = await clientOf(hangUp, job);
    await assert.rejects(other.client.runJob(...submission), { kind: 'network' });
    assert.equal(other.received.length, 1, 'a lost response stays ambiguous');
  });

  it('is repeated after a timeout if it submits a job with a key on a platform that honors keys', async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await clientOf(() => arrived.resolve(), job);
    const jumping = jumpingClock(9_000).clock;
    let limits = 0;
    // The time limit of the first attempt passes once the server has the request.
    const sleep: typeof jumping.sleep = (ms, signal) =>
      ms === 60_000 && limits++ === 0 ? arrived.promise : jumping.sleep(ms, signal);
    const clock = { ...jumping, sleep };
    const client = createClient({ connection: server.connection, fetch, clock, honorsIdempotencyKeys: true });
    const { id } = await client.runJob({ endpointId: 'e', body: { input: {} } }, { idempotencyKey: 'k' });
    assert.deepEqual([id, server.received.length], ['j', 2]);
  });

  it('is repeated if it cancels a job, because a lost cancellation costs money', async () => {
    await using server = await clientOf(hangUp, job);
    const { client } = server;
    await client.cancelJob({ endpointId: 'e', jobId: 'j' });
    assert.equal(server.received.length, 2);
  });

  it('treats a missing resource as deleted if the response to an earlier attempt was lost', async () => {
    await using server = await clientOf(hangUp, gone);
    const { client } = server;
    await client.deleteEndpoint({ id: 'e' });
    await using never = await clientOf(gone);
    await assert.rejects(never.client.deleteEndpoint({ id: 'e' }), { kind: 'notFound' });
  });

  it('can be canceled during a delay', async () => {
    const cancel = new AbortController();
    await using server = await startScriptedServer((_, response) => {
      json(response, 503, { error: 'down' });
      response.on('close', () => cancel.abort());
    });
    const client = createClient({ connection: server.connection, fetch, random: () => 1 });
    await assert.rejects(client.listEndpoints({}, { signal: cancel.signal }), { kind: 'canceled' });
    assert.equal(server.received.length, 1);
  });
});

describe('the delay before a repetition', () => {
  it('is random below a bound that doubles up to a limit', () => {
    const backoff = { firstMs: 100, lastMs: 1_000 };
    const bounds = [0, 1, 2, 3, 4, 5].map((failures) => backoffMs(failures, () => 1, backoff));
    assert.deepEqual(bounds, [100, 200, 400, 800, 1_000, 1_000]);
    assert.equal(
      backoffMs(3, () => 0, backoff),
      0,
    );
  });
});
