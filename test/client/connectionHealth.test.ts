import assert from 'node:assert/strict';
import { createClient } from '../../src/client/client.ts';
import { openWorkerLogStream } from '../../src/client/workerLogStream.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const list = (signal?: AbortSignal) => [{}, { retries: 0, ...(signal && { signal }) }] as const;

describe('The health of a connection', () => {
  it('is the failure of the latest request until a request succeeds', async () => {
    let status = 401;
    await using server = await startScriptedServer((_, response) => json(response, status, { endpoints: [] }));
    const { client } = server;
    const seen: (string | undefined)[] = [];
    client.health.onDidChange(() => seen.push(client.health.problem?.kind));
    await assert.rejects(client.listEndpoints(...list()));
    await assert.rejects(client.listEndpoints(...list()));
    status = 200;
    await client.listEndpoints(...list());
    await client.listEndpoints(...list());
    assert.deepEqual(seen, ['unauthorized', undefined]);
  });

  it('is that of an unreachable platform after the first attempt, before the retries', async () => {
    const server = await startScriptedServer((_, response) => json(response, 200, { endpoints: [] }));
    await server[Symbol.asyncDispose]();
    const { health, listEndpoints } = server.client;
    const kinds: (string | undefined)[] = [];
    health.onDidChange(() => kinds.push(health.problem?.kind));
    await assert.rejects(listEndpoints({}, { retries: 1 }));
    assert.deepEqual(kinds, ['network']);
  });

  it('ignores errors of a single request, cancellations, and invocations that take long', async () => {
    await using server = await startScriptedServer(({ path }, response) => {
      if (path.includes('serverless')) json(response, 404, {});
    });
    const { client } = server;
    await assert.rejects(client.listEndpoints(...list()));
    await assert.rejects(client.getJobStatus({ endpointId: 'e', jobId: 'j' }, { signal: AbortSignal.abort() }));
    await assert.rejects(client.runJobSync({ endpointId: 'e', body: { input: {} } }, { timeout: 1 }));
    assert.equal(client.health.problem, undefined);
  });

  it('is noticed by a stream of logs', async () => {
    const server = await startScriptedServer((_, response) => json(response, 200, {}));
    await server[Symbol.asyncDispose]();
    const client = createClient({ connection: server.connection, fetch: globalThis.fetch });
    const failed = new Promise<void>((resolve) => client.health.onDidChange(resolve));
    const close = openWorkerLogStream(client.context, {
      ...{ id: 'e', workerId: 'w', onLine: () => undefined, onError: () => undefined },
    });
    await failed;
    close();
    assert.equal(client.health.problem?.kind, 'network');
  });
});
