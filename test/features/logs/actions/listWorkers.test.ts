import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { listWorkers } from '../../../../src/features/logs/actions/listWorkers.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { cleanUp, endpointBody, eventually, platformForTest } from '../../../platform/support.ts';
import { createClient } from '../../../../src/client/client.ts';
import { named, worker, workers } from '../../endpoints/sample.ts';

const PAGES = [['a', 'b', 'c', 'd', 'e', 'f', 'g'], ['h', 'i', 'j', 'k', 'l', 'm', 'n'], ['o']];
const ALL = PAGES.flat();

/** A service whose list of endpoints has three pages. Each endpoint has one worker. */
function paged(workersOf: (id: string, answer: () => void) => void): Script {
  return ({ path }, response) => {
    const { pathname, searchParams } = new URL(path, 'http://service');
    const [, , , id = '', part] = pathname.split('/');
    if (part === 'workers') {
      workersOf(id, () => json(response, 200, { ...workers(), workers: [worker(`worker-${id}`)] }));
      return;
    }
    const page = Number(searchParams.get('cursor') ?? 0);
    const pagination = { nextCursor: page + 1 < PAGES.length ? String(page + 1) : null };
    json(response, 200, { endpoints: PAGES[page]?.map((name) => named(name)), pagination });
  };
}

const signal = new AbortController().signal;

describe('listWorkers', () => {
  it('lists the workers of the endpoints on every page, in the order of the endpoints', async () => {
    await using server = await startScriptedServer(paged((_, answer) => answer()));
    const listed = await listWorkers(server.client, { signal });
    assert.deepEqual(
      listed.map(({ endpoint, worker: { id } }) => [endpoint.name, id]),
      ALL.map((id) => [id, `worker-${id}`]),
    );
  });

  it('reads the workers of six endpoints at a time and reports the progress', async () => {
    const held: (() => void)[] = [];
    const progress: string[] = [];
    await using server = await startScriptedServer(paged((_, answer) => void held.push(answer)));
    const listing = listWorkers(server.client, {
      signal,
      onProgress: (done, total) => progress.push(`${done} of ${total}`),
    });
    for (let answered = 0; answered < ALL.length; answered++) {
      const expected = Math.min(answered + 6, ALL.length);
      await eventually('all allowed requests are open', () => held.length >= expected);
      assert.equal(held.length, expected);
      held[answered]?.();
    }
    assert.equal((await listing).length, ALL.length);
    assert.deepEqual(
      progress,
      ALL.map((_, index) => `${index + 1} of ${ALL.length}`),
    );
  });

  it('stops reading when it is canceled', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer(paged(() => controller.abort()));
    await assert.rejects(
      listWorkers(server.client, { signal: controller.signal }),
      (error) => error instanceof ApiError && error.kind === 'canceled',
    );
    assert.ok(server.received.filter(({ path }) => path.endsWith('/workers')).length <= 6);
  });

  it('fails if the workers of one endpoint cannot be read', async () => {
    await using server = await startScriptedServer(({ path }, response) => {
      if (path.includes('/workers')) json(response, 403, { title: 'No', status: 403, detail: 'not allowed' });
      else json(response, 200, { endpoints: [named('a')] });
    });
    await assert.rejects(listWorkers(server.client, { signal }), /not allowed/);
  });
});

describe('listWorkers on the local platform', () => {
  after(cleanUp);

  it('lists only the workers of the given endpoints', async () => {
    const { platform } = await platformForTest();
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const create = (name: string) =>
      client.createEndpoint({ body: endpointBody({ name, workers: { min: 1, max: 1 } }) });
    const [one] = await Promise.all([create('one'), create('other')]);
    const names = async (endpoints?: Parameters<typeof listWorkers>[1]['endpoints']) =>
      (await listWorkers(client, { endpoints, signal })).map(({ endpoint }) => endpoint.name).sort();
    await eventually('both endpoints have a worker', async () => (await names()).length === 2);
    assert.deepEqual(await names(), ['one', 'other']);
    assert.deepEqual(await names([one]), ['one']);
  });
});
