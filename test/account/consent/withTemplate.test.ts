import assert from 'node:assert/strict';
import { ApiError, type ErrorKind } from '../../../src/client/apiError.ts';
import type { Client } from '../../../src/client/client.ts';
import type { UpdateEndpointBody } from '../../../src/contract/endpoint.ts';
import { processOf, processOfChange } from '../../../src/account/consent/trustDecision.ts';
import { withTemplate } from '../../../src/account/consent/withTemplate.ts';
import { endpoint } from '../../features/endpoints/sample.ts';

const template = { id: 't', name: 'worker', serverless: true, image: 'process:/work', args: 'python3 handler.py' };
const clientWithTemplate: Pick<Client, 'getTemplate'> = { getTemplate: () => Promise.resolve(template) };
const failingClient = (kind: ErrorKind): Pick<Client, 'getTemplate'> => ({
  getTemplate: () => Promise.reject(new ApiError(kind, 'no', { operation: 'getTemplate' })),
});

describe('the command of a process whose image comes from a template', () => {
  it('comes from the template unless the body has a command', async () => {
    const command = async (body: UpdateEndpointBody) =>
      processOf(await withTemplate(clientWithTemplate, body))?.command;
    assert.equal(await command({ templateId: 't' }), 'python3 handler.py');
    assert.equal(await command({ templateId: 't', args: 'sh' }), 'sh');
    assert.equal(await command({ templateId: 't', image: 'example/worker:1' }), undefined);
    assert.equal(await command({ image: 'example/worker:1' }), undefined);
  });

  it('is part of a change that adds the template', async () => {
    const container = { ...endpoint, image: 'example/worker:1' };
    const change = await withTemplate(clientWithTemplate, { templateId: 't' });
    assert.equal(processOfChange(change, container)?.directory, '/work');
  });

  it('is unknown when the template does not exist, and causes an error when it cannot be read', async () => {
    assert.deepEqual(await withTemplate(failingClient('notFound'), { templateId: 't' }), { templateId: 't' });
    await assert.rejects(withTemplate(failingClient('forbidden'), { templateId: 't' }), { kind: 'forbidden' });
  });
});
