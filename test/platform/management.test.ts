// Clauses of the interface: Endpoints 7; Rules 4; Errors.
import assert from 'node:assert/strict';
import http from 'node:http';
import { operations } from '../../src/contract/operations.ts';
import { Problem } from '../../src/contract/problem.ts';
import { cleanUp, endpointBody, eventually, fastClock, fixtures, platformForTest, type Api } from './support.ts';

describe('Management API', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest({ clock: fastClock }));
  });

  after(cleanUp);

  const paused = { workers: { min: 0, max: 0 } };

  describe('endpoints', () => {
    it('returns the created endpoint with all defaults', async () => {
      const endpoint = await api.createEndpoint({
        ...paused,
        cmd: undefined,
        args: 'node handler.mjs --name "a b"',
      });
      assert.deepEqual(endpoint.cmd, ['node', 'handler.mjs', '--name', 'a b']);
      assert.equal(endpoint.args, 'node handler.mjs --name "a b"');
      assert.equal(endpoint.timeout, 300_000);
      assert.equal(endpoint.flashboot, 'OFF');
      assert.deepEqual(endpoint.workers, { min: 0, max: 0, idleTimeout: 10 });
      assert.deepEqual(endpoint.cpu, [{ id: 'cpu3c', vcpuCount: 2, memory: 4 }]);
      assert.equal(endpoint.gpu, null);
      assert.deepEqual(endpoint.mounts, { network: [], global: [] });
      const { status } = endpoint.requestUrls as { status: string };
      assert.equal(status, `${api.addresses.queueUrl}/${endpoint.id}/status/{job_id}`);
      assert.deepEqual(await api.call(operations.getEndpoint, { parameters: { id: endpoint.id } }), endpoint);
      const { endpoints } = await api.call(operations.listEndpoints);
      assert.ok(endpoints.some(({ id }) => id === endpoint.id));
    });

    it('accepts a cmd in a change that clears args', async () => {
      const { id } = await api.createEndpoint({ ...paused, cmd: undefined, args: 'node handler.mjs' });
      const body = { args: '', cmd: ['node', 'other.mjs'] };
      const endpoint = await api.call(operations.updateEndpoint, { parameters: { id }, body });
      assert.equal(endpoint.args, undefined);
      assert.deepEqual(endpoint.cmd, ['node', 'other.mjs']);
    });

    it('names every violation of the schema', async () => {
      const body = { ...endpointBody(), name: '', disk: 0, bogus: 1 };
      const { errors = [] } = await api.refused(400, operations.createEndpoint, { body });
      assert.deepEqual(errors.map((error) => error.split(':')[0]).sort(), ['$.bogus', '$.disk', '$.name']);
    });

    it('names every violated rule, with the valid catalog IDs', async () => {
      const body = endpointBody({ cpu: [{ id: 'cpu9z', vcpuCount: 2 }], workers: { min: 4 } });
      const { errors = [] } = await api.refused(400, operations.createEndpoint, { body });
      assert.match(errors.join('\n'), /\$\.cpu\[0\]\.id: unknown CPU flavor 'cpu9z'; expected one of cpu3c/);
      assert.match(errors.join('\n'), /\$\.workers\.min: must be at most max, which is 3 by default/);
    });

    it('answers 404 for an unknown template', async () => {
      await api.refused(404, operations.createEndpoint, { body: endpointBody({ templateId: 'nope' }) });
    });

    it('describes the error in a body that is not valid JSON', async () => {
      const response = await api.fetch(operations.createEndpoint, {}, { body: '{"name": ' });
      assert.equal(response.status, 400);
      assert.match(Problem.parse(await response.json()).errors?.[0] ?? '', /^\$: is not JSON/);
    });
  });

  describe('workers that fail to start', () => {
    it('log that a command was not found', async () => {
      const log = await systemLogOf(['no-such-command-anywhere']);
      assert.match(log, /command not found: no-such-command-anywhere/);
      assert.match(log, /next start in 1 s.*next start in 2 s/s, 'the delays between restarts grow');
    });

    it('refuse NUL in the environment without revealing the value', async () => {
      const body = endpointBody({ env: { SECRET: 'confi\0dential' } });
      const refused = JSON.stringify(await api.refused(400, operations.createEndpoint, { body }));
      assert.match(refused, /SECRET: must not contain the NUL character/);
      assert.doesNotMatch(refused, /dential/);
    });

    it('log that a directory does not exist', async () => {
      assert.match(await systemLogOf(['node'], `process:${fixtures}/nope`), /nope does not exist/);
    });

    it('log that a container image needs an engine, with an alternative', async () => {
      const log = await systemLogOf(['node'], 'ghcr.io/example/worker:latest');
      assert.match(log, /needs a container engine/);
      assert.match(log, /x-local/);
    });

    it('log how a worker that exits at its start ended, with its last lines', async () => {
      const script = 'console.error("cannot find my model"); process.exit(7)';
      const log = await systemLogOf([process.execPath, '-e', script]);
      assert.match(log, /exited with code 7 after .* s; its last lines:\n {4}cannot find my model/);
    });

    /** Returns the system log of a worker with this command after its second failure. */
    async function systemLogOf(cmd: string[], image = `process:${fixtures}`, env = {}): Promise<string> {
      const endpoint = await api.createEndpoint({ cmd, image, env });
      const worker = await api.worker(endpoint, 'UNHEALTHY');
      const events = await api.logsUntil(endpoint, worker.id, ({ line }) => line.includes('failure 2 in a row'), {
        query: { source: 'system', tail: 1000 },
      });
      await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
      return events.map(({ line }) => line).join('\n');
    }
  });

  describe('access', () => {
    const anonymous = { headers: { Authorization: '' } };
    const wrong = { headers: { Authorization: 'Bearer wrong' } };

    it('requires the key', async () => {
      assert.equal((await api.refused(401, operations.listEndpoints, anonymous)).detail, 'missing bearer token');
      assert.equal((await api.refused(401, operations.listEndpoints, wrong)).detail, 'invalid bearer token');
      const bare = { headers: { Authorization: api.addresses.apiKey } };
      const malformed = await api.refused(401, operations.listEndpoints, bare);
      assert.equal(malformed.detail, "malformed Authorization header: it must be 'Bearer <API key>'");
    });

    it('requires the key as a bearer token on the queue, too', async () => {
      const parameters = { endpointId: 'nope' };
      const refused = await api.refused(401, operations.getEndpointHealth, { parameters, ...wrong });
      assert.equal(refused.error, 'invalid bearer token');
      const headers = { Authorization: api.addresses.apiKey };
      const bare = await api.refused(401, operations.getEndpointHealth, { parameters, headers });
      assert.match(bare.error ?? '', /^malformed Authorization header/);
      await api.refused(404, operations.getEndpointHealth, { parameters });
    });

    it('refuses unknown hosts and origins', async () => {
      assert.equal(await statusWith({ Host: 'evil.example' }), 403);
      assert.equal(await statusWith({ Origin: 'https://evil.example' }), 403);
      assert.equal(await statusWith({ Origin: api.addresses.baseUrl }), 200);
      // The name has the form of an endpoint's host, but the endpoint does not exist.
      assert.equal(await statusWith({ Host: `abc.localhost:${new URL(api.addresses.baseUrl).port}` }), 404);
    });

    it('answers unknown paths with 404 and unsupported methods with 405', async () => {
      const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
      const unknown = await fetch(`${api.addresses.baseUrl}/v2/nothing`, { headers });
      assert.equal(unknown.status, 404);
      assert.equal(Problem.parse(await unknown.json()).title, 'Not Found');
      const wrongMethod = await fetch(`${api.addresses.baseUrl}/v2/serverless`, { method: 'PUT', headers });
      assert.equal(wrongMethod.status, 405);
      assert.equal(wrongMethod.headers.get('Allow'), 'GET, POST');
      Problem.parse(await wrongMethod.json());
    });

    it('refuses bodies that are too large', async () => {
      await api.refused(413, operations.createEndpoint, { body: { ...endpointBody(), name: 'x'.repeat(1_100_000) } });
    });

    /** Sends a request with a custom Host header, which `fetch` does not allow. */
    function statusWith(headers: Record<string, string>): Promise<number | undefined> {
      return new Promise((resolve, reject) => {
        const all = { Authorization: `Bearer ${api.addresses.apiKey}`, ...headers };
        http
          .get(`${api.addresses.baseUrl}/v2/serverless`, { headers: all }, (response) => {
            response.resume();
            resolve(response.statusCode);
          })
          .on('error', reject);
      });
    }
  });

  it('scales down to the minimum when workers are idle', async () => {
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1, idleTimeout: 1 } });
    await api.runSync(endpoint, { do: 'echo' });
    assert.equal((await api.workers(endpoint)).length, 1);
    await eventually('the worker has ended', async () => (await api.workers(endpoint)).length === 0);
  });
});
