import assert from 'node:assert/strict';
import { BODY_LIMIT_BYTES } from '../../src/client/answer.ts';
import { listAll, MAX_PAGES } from '../../src/client/listAll.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const worker = (id: string) => ({ id, status: 'IDLE', isStale: false, gpuCount: 0 });
const summary = { running: 0, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 0 };

describe('listAll', () => {
  it('reads all pages', async () => {
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

  it('makes one call to a service without paging', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, { workers: [], summary }));
    assert.deepEqual(await listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers'), []);
    assert.equal(server.received.length, 1);
  });

  it('fails with a code if the cursors form a cycle', async () => {
    const page = { workers: [], summary, pagination: { nextCursor: 'again' } };
    await using server = await startScriptedServer((_, response) => json(response, 200, page));
    await assert.rejects(listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers'), {
      kind: 'server',
      code: 'listTooLong',
    });
    assert.equal(server.received.length, 2);
  });

  it('fails with a code after the maximum number of pages', async () => {
    let page = 0;
    await using server = await startScriptedServer((_, response) =>
      json(response, 200, { workers: [], summary, pagination: { nextCursor: `page-${++page}` } }),
    );
    await assert.rejects(listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers'), {
      kind: 'server',
      code: 'listTooLong',
    });
    assert.equal(server.received.length, MAX_PAGES);
  });

  it('fails once its pages together exceed the size limit of a response', async () => {
    const filler = 'x'.repeat(BODY_LIMIT_BYTES / 4);
    let page = 0;
    await using server = await startScriptedServer((_, response) =>
      json(response, 200, { workers: [], summary, filler, pagination: { nextCursor: `page-${++page}` } }),
    );
    await assert.rejects(listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers'), {
      kind: 'server',
      code: 'tooLarge',
    });
    assert.equal(server.received.length, 4);
  });

  it('reads a page with more entries than a function call can have arguments', async () => {
    const workers = Array.from({ length: 150_000 }, () => worker('a'));
    await using server = await startScriptedServer((_, response) => json(response, 200, { workers, summary }));
    const all = await listAll(server.client, 'listEndpointWorkers', { id: 'e' }, 'workers');
    assert.equal(all.length, workers.length);
  });
});
