import assert from 'node:assert/strict';
import { listAll } from '../../src/client/listAll.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const worker = (id: string) => ({ id, status: 'IDLE', isStale: false, gpuCount: 0 });
const summary = { running: 0, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 0 };

describe('a whole list', () => {
  it('is read page by page for as long as there is a next one', async () => {
    const pages = [
      { workers: [worker('a')], summary, pagination: { nextCursor: 'x/y', hasNextPage: true } },
      { workers: [worker('b')], summary, pagination: { nextCursor: null, hasNextPage: false } },
    ];
    await using server = await startScriptedServer((_, response) => json(response, 200, pages.shift()));
    const workers = await listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers');
    assert.deepEqual(
      workers.map(({ id }) => id),
      ['a', 'b'],
    );
    assert.deepEqual(
      server.received.map(({ path }) => path),
      ['/v2/serverless/e/workers', '/v2/serverless/e/workers?cursor=x%2Fy'],
    );
  });

  it('is one call where the service does not page', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, { workers: [], summary }));
    assert.deepEqual(await listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers'), []);
    assert.equal(server.received.length, 1);
  });

  it('that goes round in a circle is an error', async () => {
    const page = { workers: [], summary, pagination: { nextCursor: 'again' } };
    await using server = await startScriptedServer((_, response) => json(response, 200, page));
    await assert.rejects(listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers'), { kind: 'server' });
    assert.equal(server.received.length, 2);
  });
});
