import assert from 'node:assert/strict';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { OPENAI_PATH } from '../../src/contract/openAi.ts';
import { puppet, type Puppet } from './puppet.ts';
import { cleanUp, eventually, platformForTest, type Api } from './support.ts';

interface TakenJob {
  readonly id: string;
  readonly input: { readonly openai_route: string; readonly openai_input?: unknown };
}

describe('the OpenAI-compatible API of a queue endpoint', () => {
  let api: Api;
  let endpoint: Endpoint;
  let worker: Puppet;

  before(async () => {
    ({ api } = await platformForTest());
    endpoint = await api.createEndpoint({
      workers: { min: 1, max: 1 },
      cmd: [process.execPath, 'puppet.mjs'],
    });
    worker = await puppet(api, endpoint);
  });

  after(cleanUp);

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${api.addresses.queueUrl}/${endpoint.id}${OPENAI_PATH}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${api.addresses.apiKey}`, 'Content-Type': 'application/json' },
    });
  const post = (body: unknown, signal: AbortSignal | null = null) =>
    call('/v1/chat/completions', { method: 'POST', body: JSON.stringify(body), signal });
  const taken = async () => (await worker.take()) as TakenJob;
  const output = (value: unknown) => JSON.stringify({ output: value });

  it('passes the path and the body to the worker, and responds with its output', async () => {
    const answer = post({ model: 'm', messages: [] });
    const { id, input } = await taken();
    assert.deepEqual(input, { openai_route: '/v1/chat/completions', openai_input: { model: 'm', messages: [] } });
    await worker.done(id, output([{ object: 'chat.completion' }]));
    assert.deepEqual([(await answer).status, await (await answer).json()], [200, { object: 'chat.completion' }]);
  });

  it('supports requests without a body', async () => {
    const answer = call('/v1/models');
    const { id, input } = await taken();
    assert.equal(input.openai_route, '/v1/models');
    assert.equal(input.openai_input, undefined);
    await worker.done(id, output({ object: 'list', data: [] }));
    assert.deepEqual(await (await answer).json(), { object: 'list', data: [] });
  });

  it('streams the chunks of the worker as events', async () => {
    const pending = post({ stream: true });
    const { id } = await taken();
    await worker.chunk(id, 'data: {"n":1}\n\n');
    const answer = await pending;
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    await worker.chunk(id, { n: 2 });
    await worker.done(id, output([]));
    assert.equal(await answer.text(), 'data: {"n":1}\n\ndata: {"n":2}\n\n');
  });

  it('reports a failure during a stream as the last event', async () => {
    const pending = post({ stream: true });
    const { id } = await taken();
    await worker.chunk(id, 'data: 1\n\n');
    const error = JSON.stringify({ error_type: "<class 'MemoryError'>", error_message: 'full', error_traceback: 'at' });
    await worker.done(id, JSON.stringify({ error }));
    assert.match(await (await pending).text(), /^data: 1\n\ndata: \{"error":\{"message":"MemoryError: full"/);
  });

  it('reports a failure before the first chunk as an error response', async () => {
    for (const stream of [true, false]) {
      const pending = post({ stream });
      const { id } = await taken();
      await worker.done(id, JSON.stringify({ error: 'no such model' }));
      const answer = await pending;
      assert.equal(answer.status, 500);
      assert.match(await answer.text(), /no such model/);
    }
  });

  it('uses the status of an error that the worker returns', async () => {
    const pending = post({});
    const { id } = await taken();
    await worker.done(id, output([{ object: 'error', message: 'bad model', code: 404 }]));
    const answer = await pending;
    assert.deepEqual([answer.status, ((await answer.json()) as { message: string }).message], [404, 'bad model']);
  });

  it('cancels the job if the caller disconnects', async () => {
    const controller = new AbortController();
    const pending = post({ stream: true }, controller.signal);
    const { id } = await taken();
    controller.abort();
    await assert.rejects(pending);
    await eventually('the job is canceled', async () => (await api.job(endpoint, id)).status === 'CANCELLED');
  });

  it('requires a key and a queue endpoint', async () => {
    const url = `${api.addresses.queueUrl}/${endpoint.id}${OPENAI_PATH}/v1/models`;
    assert.equal((await fetch(url)).status, 401);
    assert.equal(
      (await fetch(url.replace(endpoint.id, 'none'), { headers: { Authorization: `Bearer ${api.addresses.apiKey}` } }))
        .status,
      404,
    );
  });
});
