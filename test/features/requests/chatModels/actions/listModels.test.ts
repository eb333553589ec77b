import assert from 'node:assert/strict';
import { listModels } from '../../../../../src/features/requests/chatModels/actions/listModels.ts';
import { createClient } from '../../../../../src/client/client.ts';
import { puppet } from '../../../../platform/puppet.ts';
import { cleanUp, platformForTest } from '../../../../platform/support.ts';
import { json, startScriptedServer, type Script } from '../../../../client/scriptedServer.ts';

const modelsOf = async (script: Script, endpointType: 'QUEUE' | 'LOAD_BALANCER') => {
  await using server = await startScriptedServer(script);
  const list = await listModels(
    { endpointId: 'e', endpointType },
    {
      context: server.client.context,
      signal: new AbortController().signal,
      observer: { waiting: () => undefined, retrying: () => undefined },
      mayRetry: () => false,
    },
  );
  return { list, path: server.received[0]?.path };
};
const models: Script = (_, response) =>
  json(response, 200, { object: 'list', data: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] });

describe('The models of an OpenAI-compatible worker', () => {
  after(cleanUp);

  it('are read from a worker of a queue endpoint on the local platform', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 }, cmd: [process.execPath, 'puppet.mjs'] });
    const worker = await puppet(api, endpoint);
    const client = createClient({ connection: api.addresses, fetch });
    const list = listModels(
      { endpointId: endpoint.id, endpointType: 'QUEUE' },
      {
        context: client.context,
        signal: new AbortController().signal,
        observer: { waiting: () => undefined, retrying: () => undefined },
        mayRetry: () => false,
      },
    );
    const { id } = (await worker.take()) as { id: string };
    await worker.done(id, JSON.stringify({ output: [{ object: 'list', data: [{ id: 'tiny' }] }] }));
    assert.deepEqual(await list, { models: [{ id: 'tiny' }] });
  });

  it('are read from the routes of the endpoint', async () => {
    assert.deepEqual(await modelsOf(models, 'LOAD_BALANCER'), {
      list: { models: [{ id: 'a' }, { id: 'b' }] },
      path: '/endpoints/e/v1/models',
    });
    assert.equal((await modelsOf(models, 'QUEUE')).path, '/queue/v2/e/openai/v1/models');
  });

  it('are missing if the worker has no such route, with its status', async () => {
    const missing: Script = (_, response) => json(response, 404, { error: 'not found' });
    assert.deepEqual((await modelsOf(missing, 'QUEUE')).list, { status: 404, isJson: true });
    const page: Script = (_, response) => void response.end('<html>');
    assert.deepEqual((await modelsOf(page, 'QUEUE')).list, { status: 200, isJson: false });
  });
});
