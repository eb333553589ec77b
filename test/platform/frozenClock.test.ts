import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { balanced, Routes } from './balancerSupport.ts';
import { afterwards, cleanUp, fastClock, platformForTest, type Api } from './support.ts';

describe('While the clock of the platform is frozen', () => {
  let api: Api;
  let endpoint: Endpoint;

  beforeEach(async () => {
    ({ api } = await platformForTest({ clock: fastClock }));
    endpoint = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    await api.call(controlOperations.setClock, { body: { frozen: true } });
  });
  afterEach(cleanUp);

  it('requests that wait for a job are answered after their wait', async () => {
    const query = { wait: 1_000 };
    const parameters = { endpointId: endpoint.id };
    const job = await api.call(operations.runJobSync, { parameters, query, body: { input: {} } });
    assert.equal(job.status, 'IN_QUEUE');
    const ofJob = { parameters: { ...parameters, jobId: job.id }, query };
    assert.equal((await api.call(operations.getJobStatusSync, ofJob)).status, 'IN_QUEUE');
    assert.deepEqual(await api.call(operations.streamJob, ofJob), { status: 'IN_QUEUE', stream: [] });
  });

  it('requests that wait for a load-balanced worker are refused after their time limit', async () => {
    const routes = new Routes(
      api,
      await api.createEndpoint(balanced({ env: { FIRST_HEALTH: '204' }, workers: { min: 1, max: 1 }, timeout: 5_000 })),
    );
    assert.ok((await routes.fetch('/echo')).status >= 400);
  });

  it('a webhook is delivered again after its pause', async () => {
    const statuses = [500, 200];
    const server = createServer((_, response) => response.writeHead(statuses.shift() ?? 200).end());
    const calls = (): Promise<[IncomingMessage]> => once(server, 'request') as Promise<[IncomingMessage]>;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterwards(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { id } = await api.run(endpoint, {}, { webhook });
    const first = calls();
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    await first;
    await calls();
    assert.deepEqual(statuses, []);
  });

  it('jobs do not expire', async () => {
    const { id } = await api.run(endpoint, {}, { policy: { ttl: 10_000 } });
    const ofJob = { parameters: { endpointId: endpoint.id, jobId: id }, query: { wait: 20_000 } };
    assert.equal((await api.call(operations.getJobStatusSync, ofJob)).status, 'IN_QUEUE');
    await api.call(controlOperations.setClock, { body: { advanceMs: 10_000 } });
    await api.refused(404, operations.getJobStatus, { parameters: ofJob.parameters });
  });
});
