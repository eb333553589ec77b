import assert from 'node:assert/strict';
import type { Connection } from '../../src/client/connection.ts';
import { EndpointAddresses } from '../../src/client/endpointAddresses.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const connection: Connection = {
  baseUrl: 'https://api.example.com',
  restUrl: 'https://rest.example.com',
  queueUrl: 'https://queue.example.com/v2',
  endpointHost: 'https://{endpoint_id}.queue.example.com',
  apiKey: 'the-key',
};

function queueUrls(base: string) {
  const job = (name: string) => `${base}/${name}/{job_id}`;
  return {
    run: `${base}/run`,
    runSync: `${base}/runsync`,
    status: job('status'),
    stream: job('stream'),
    cancel: job('cancel'),
    retry: job('retry'),
    purgeQueue: `${base}/purge-queue`,
    health: `${base}/health`,
  };
}

function addressesFor(base: string): EndpointAddresses {
  const addresses = new EndpointAddresses(connection);
  addresses.learn({ id: 'e', requestUrls: queueUrls(base) });
  return addresses;
}

describe('request URLs of an endpoint', () => {
  it('are used on every origin of the connection, with the ID of the job', () => {
    for (const origin of ['https://queue.example.com', 'https://api.example.com', 'https://e.queue.example.com']) {
      const addresses = addressesFor(`${origin}/other/e`);
      assert.equal(addresses.find('runJob', { endpointId: 'e' })?.href, `${origin}/other/e/run`);
      const status = addresses.find('getJobStatus', { endpointId: 'e', jobId: 'a/$&' });
      assert.equal(status?.href, `${origin}/other/e/status/a%2F%24%26`);
    }
  });

  it('are not used on other origins, which must not receive the key', () => {
    for (const base of [
      'https://evil.example.com/v2/e',
      'http://queue.example.com/v2/e',
      'https://queue.example.com:8443/v2/e',
      'https://queue.example.com@evil.example.com/v2/e',
      'https://user:password@queue.example.com/v2/e',
      'https://f.queue.example.com/v2/e',
      'no address',
    ])
      assert.equal(addressesFor(base).find('runJob', { endpointId: 'e' }), undefined, base);
  });

  it('apply only to operations of that endpoint', () => {
    const addresses = addressesFor('https://queue.example.com/v2/e');
    assert.equal(addresses.find('runJob', { endpointId: 'f' }), undefined);
    assert.equal(addresses.find('getEndpoint', { id: 'e' }), undefined);
    addresses.learn({ id: 'e' });
    assert.equal(addresses.find('runJob', { endpointId: 'e' }), undefined);
  });

  it('supply the base of a load-balanced endpoint, or else the documented host applies', () => {
    const addresses = new EndpointAddresses(connection);
    assert.equal(addresses.routes('e'), 'https://e.queue.example.com');
    const learn = (base: string) => addresses.learn({ id: 'e', requestUrls: { base, health: `${base}/ping` } });
    learn('https://e.queue.example.com/app/');
    assert.equal(addresses.routes('e'), 'https://e.queue.example.com/app');
    learn('https://evil.example.com');
    assert.equal(addresses.routes('e'), 'https://e.queue.example.com');
  });

  it('are learned from responses and used by calls', async () => {
    await using server = await startScriptedServer(({ path, method }, response) => {
      if (method === 'GET') assert.equal(path, '/v2/serverless');
      if (method === 'POST') json(response, 200, { id: 'j', status: 'IN_QUEUE' });
      else
        json(response, 200, { endpoints: [{ ...endpoint, requestUrls: queueUrls(`${server.origin}/elsewhere/e`) }] });
    });
    const run = () => server.client.runJobSync({ endpointId: 'e', body: { input: { n: 1 } }, query: { wait: 1_000 } });
    await run();
    await server.client.listEndpoints({});
    await run();
    assert.deepEqual(
      server.received.map(({ path }) => path),
      ['/queue/v2/e/runsync?wait=1000', '/v2/serverless', '/elsewhere/e/runsync?wait=1000'],
    );
  });
});

const endpoint = {
  id: 'e',
  name: 'hello',
  workers: { min: 0, max: 1 },
  scaling: {},
  dataCenterIds: [],
  networkVolumes: [],
  mounts: {},
  timeout: 300_000,
  flashboot: 'OFF',
  createdAt: '2026-01-01T00:00:00Z',
};
