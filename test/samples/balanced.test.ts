import assert from 'node:assert/strict';
import path from 'node:path';
import { operations } from '../../src/contract/operations.ts';
import { Routes } from '../platform/balancerSupport.ts';
import { hasPython, python } from '../platform/pythonSdk.ts';
import { cleanUp, platformForTest } from '../platform/support.ts';
import { createBody, promisedOutput, samples } from './support.ts';

/** Samples with the same routes. `command` replaces the one of the manifest, whose interpreter can have another name. */
const greeters = [
  { sample: 'hello-balanced', manifest: 'hello.endpoint.yaml', command: {}, runs: () => true },
  {
    sample: 'python-balanced',
    manifest: 'greet.endpoint.yaml',
    command: { args: undefined, cmd: [python, 'server.py'] },
    runs: hasPython,
  },
];

for (const { sample, manifest, command, runs } of greeters) {
  describe(`The sample ${sample}`, () => {
    before(function () {
      if (!runs()) this.skip();
    });

    afterEach(cleanUp);

    it('starts with the first request, answers, streams, and refuses unknown requests', async () => {
      const { api } = await platformForTest();
      const body = await createBody(path.join(samples, sample, manifest), { LOAD_SECONDS: '0.2' });
      const endpoint = await api.call(operations.createEndpoint, { body: { ...body, ...command } });
      const routes = new Routes(api, endpoint);
      const greet = (text: string) => routes.fetch('/greet', { method: 'POST', body: text });
      assert.deepEqual(await (await greet('{"name": "you"}')).json(), JSON.parse(await promisedOutput(sample, 'json')));
      assert.equal((await greet('{"name":')).status, 400);
      assert.equal((await routes.fetch('/nothing')).status, 404);
      assert.equal(await (await routes.fetch('/count?to=2')).text(), '1\n2\n');
      assert.equal((await routes.fetch('/ping')).status, 200);
    });

    it('notices that a client has disconnected', async () => {
      const { api } = await platformForTest();
      const body = await createBody(path.join(samples, sample, manifest), { LOAD_SECONDS: '0' });
      const endpoint = await api.call(operations.createEndpoint, { body: { ...body, ...command } });
      const routes = new Routes(api, endpoint);
      const controller = new AbortController();
      const response = await routes.fetch('/count?to=100', { signal: controller.signal });
      await response.body?.getReader().read();
      controller.abort();
      await routes.logsUntil('the client disconnected');
    });
  });
}

describe('The sample openai-chat', () => {
  afterEach(cleanUp);

  const chat = {
    method: 'POST',
    body: JSON.stringify({ model: 'rules', messages: [{ role: 'user', content: 'count to 3' }] }),
  };
  const contentOf = async (response: Response) => {
    assert.equal(response.status, 200);
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    return choices[0]?.message.content;
  };
  const answer = 'I am not a language model. I answer from fixed rules. 1 2 3';

  it('answers through the load balancer', async () => {
    const { api } = await platformForTest();
    const body = await createBody(path.join(samples, 'openai-chat/balanced-chat.endpoint.yaml'), { LOAD_SECONDS: '0' });
    const routes = new Routes(api, await api.call(operations.createEndpoint, { body }));
    assert.equal(await contentOf(await routes.fetch('/v1/chat/completions', chat)), answer);
  });

  it('answers through the queue', async () => {
    const { api } = await platformForTest();
    const body = await createBody(path.join(samples, 'openai-chat/queue-chat.endpoint.yaml'), { LOAD_SECONDS: '0' });
    const { id } = await api.call(operations.createEndpoint, { body });
    const { queueUrl, apiKey } = api.addresses;
    const headers = { Authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${queueUrl}/${id}/openai/v1/chat/completions`, { ...chat, headers });
    assert.equal(await contentOf(response), answer);
  });
});
