import assert from 'node:assert/strict';
import { countTokens } from '../../../../../src/features/requests/chatModels/actions/countTokens.ts';
import { json, startScriptedServer, type Script } from '../../../../client/scriptedServer.ts';

const model = { endpointId: 'e', modelId: 'm' };
const count = async (script: Script, endpointType: 'QUEUE' | 'LOAD_BALANCER' = 'LOAD_BALANCER') => {
  await using server = await startScriptedServer(script);
  const { context } = server.client;
  const { signal } = new AbortController();
  const tokens = await countTokens({ ...model, endpointType }, 'a text', { context, signal });
  return { tokens, received: server.received.map(({ path, body }) => `${path} ${body}`) };
};

describe('The tokenizer of a worker', () => {
  it('counts the tokens of a text', async () => {
    assert.deepEqual(await count((_, response) => json(response, 200, { count: 2, max_model_len: 10 })), {
      tokens: 2,
      received: ['/endpoints/e/tokenize {"model":"m","prompt":"a text"}'],
    });
  });

  it('is missing if the worker has no such route, or responds with something else', async () => {
    for (const [status, body] of [
      [404, {}],
      [200, {}],
      [200, { count: -1 }],
    ] as const)
      assert.equal((await count((_, response) => json(response, status, body))).tokens, undefined);
  });

  it('of a queue endpoint is not asked, because each count would be a job', async () => {
    assert.deepEqual(await count(() => assert.fail(), 'QUEUE'), { tokens: undefined, received: [] });
  });
});
