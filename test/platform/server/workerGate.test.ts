import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { WORKER_PATH } from '../../../src/contract/launch/localPlatform.ts';
import { FreePorts } from '../../../src/platform/runtimes/process/freePorts.ts';
import { processRuntime } from '../../../src/platform/runtimes/process/process.ts';
import { StartError, type Runtime, type WorkerGate } from '../../../src/platform/runtimes/runtime.ts';
import type { GatePortStore } from '../../../src/platform/store/store.ts';
import { workerGate } from '../../../src/platform/server/workerGate.ts';
import { afterwards, cleanUp, eventually, platformForTest } from '../support.ts';

const LOOPBACK = '127.0.0.1';

/** Starts a platform whose workers reach it through its gate. */
async function platformBehindGate() {
  const opened = Promise.withResolvers<WorkerGate>();
  let closed = false;
  const { api, platform } = await platformForTest({
    createRuntime: ({ gate, clock }): Runtime => {
      opened.resolve(gate);
      const processes = processRuntime(clock, { gate });
      return {
        ...processes,
        close: () => {
          closed = true;
          return processes.close();
        },
      };
    },
  });
  const gate = await opened.promise;
  return { api, platform, gate, isRuntimeClosed: () => closed };
}

/** Options with ports in memory, which records the ports that another program has. */
function gateOptions(ports = new Map<string, number>()) {
  const taken: number[] = [];
  const stored: GatePortStore = {
    get: (address) => ports.get(address),
    set: (address, port) => void ports.set(address, port),
  };
  return { stored: () => stored, onTaken: (_address: string, port: number) => void taken.push(port), taken };
}

describe('Worker gate', () => {
  afterEach(cleanUp);

  it('serves the worker protocol to workers, also after a reset, at the same address', async () => {
    const { api, platform, gate } = await platformBehindGate();
    const url = await gate.open(LOOPBACK);
    assert.match(url, new RegExp(`^http://127\\.0\\.0\\.1:\\d+${WORKER_PATH}$`));
    assert.notEqual(new URL(url).port, new URL(api.addresses.baseUrl).port);
    for (const value of [1, 2]) {
      const endpoint = await api.createEndpoint();
      assert.equal((await api.runSync(endpoint, { do: 'echo', value })).output, value);
      await platform.reset();
    }
    assert.equal(await gate.open(LOOPBACK), url);
  });

  it('listens on the port that the owner selects, on each address', async () => {
    const [port] = (await new FreePorts().reserve(new Set([0]))).values();
    const gate = workerGate((_incoming, response) => response.end(), { ...gateOptions(), port });
    afterwards(() => gate.close());
    assert.equal(await gate.open(LOOPBACK), `http://${LOOPBACK}:${port}${WORKER_PATH}`);
  });

  it('listens at the same port again, unless another program has it', async () => {
    const ports = new Map<string, number>();
    const options = gateOptions(ports);
    const open = async () => {
      const gate = workerGate((_incoming, response) => response.end(), options);
      afterwards(() => gate.close());
      return { gate, url: await gate.open(LOOPBACK) };
    };
    const first = await open();
    await first.gate.close();
    const second = await open();
    assert.equal(second.url, first.url);
    assert.deepEqual(options.taken, []);
    const third = await open();
    assert.notEqual(third.url, first.url);
    assert.deepEqual(options.taken, [Number(new URL(first.url).port)]);
    await third.gate.close();
    assert.equal((await open()).url, third.url, 'the new port replaces the taken one');
  });

  it('answers everything else with 404 and no detail', async () => {
    const { api, gate } = await platformBehindGate();
    const { origin } = new URL(await gate.open(LOOPBACK));
    const endpoint = await api.createEndpoint();
    const paths = [
      '/',
      '/v2/serverless',
      '/control/v1/identity',
      '/v2/openapi.json',
      '/queue/v2/x/run',
      '/worker/v2/x',
    ];
    for (const path of [...paths, `/endpoints/${endpoint.id}/`]) {
      const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
      const response = await fetch(origin + path, { headers });
      assert.deepEqual([response.status, await response.text()], [404, ''], path);
    }
    const refused = await fetch(`${origin}${WORKER_PATH}/${endpoint.id}/job-take/someone?t=wrong`);
    assert.equal(refused.status, 401);
    assert.equal(
      (await fetch(`${origin}${WORKER_PATH}/${endpoint.id}/ping/someone`, { method: 'DELETE' })).status,
      404,
    );
  });

  it('does not upgrade connections', async () => {
    const { gate } = await platformBehindGate();
    const { origin } = new URL(await gate.open(LOOPBACK));
    const request = http.get(`${origin}/endpoints/x/`, { headers: { Connection: 'Upgrade', Upgrade: 'websocket' } });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 404);
  });

  it('closes with the platform, and so does the runtime', async () => {
    const { api, gate, platform, isRuntimeClosed } = await platformBehindGate();
    const url = await gate.open(LOOPBACK);
    const endpoint = await api.createEndpoint();
    await api.worker(endpoint, 'IDLE');
    assert.equal(isRuntimeClosed(), false);
    await platform.close();
    assert.ok(isRuntimeClosed());
    await assert.rejects(fetch(url));
    await assert.rejects(gate.open(LOOPBACK), StartError);
  });

  it('forwards the chosen ports of the loopback interface, and ends their connections when it closes', async function () {
    // Other systems have only one address of the loopback interface.
    if (process.platform !== 'linux') this.skip();
    const server = http.createServer((_, response) => response.end('forwarded'));
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    afterwards(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const gate = workerGate((_incoming, response) => response.end(), { ...gateOptions(), forwarded: [port] });
    await gate.open('127.0.0.2');
    const read = async () => (await fetch(`http://127.0.0.2:${port}/`)).text();
    assert.equal(await read(), 'forwarded');
    await gate.close();
    await assert.rejects(read);
  });

  it('shares the listener of an address, and refuses addresses that the machine does not have', async () => {
    const gate = workerGate((_, response) => void response.end('served'), gateOptions());
    afterwards(() => gate.close());
    const [first, second] = await Promise.all([gate.open(LOOPBACK), gate.open(LOOPBACK)]);
    assert.equal(first, second);
    // 192.0.2.0/24 is reserved for documentation.
    for (const address of ['192.0.2.1', '0.0.0.0', '::', 'localhost']) {
      await assert.rejects(gate.open(address), (error) => {
        assert.ok(error instanceof StartError);
        assert.match(error.message, /is not an IP address of this machine; .*--worker-host/, address);
        return true;
      });
    }
  });

  it('keeps the requests that arrive during a reset', async () => {
    const { api, platform, gate } = await platformBehindGate();
    const url = await gate.open(LOOPBACK);
    const resetting = platform.reset();
    const asked = eventually('the gate responds', async () => {
      const response = await fetch(`${url}/x/ping/y?t=z`).catch(() => undefined);
      return response?.status === 401;
    });
    await Promise.all([resetting, asked]);
    const endpoint = await api.createEndpoint();
    assert.equal((await api.runSync(endpoint, { do: 'echo', value: 3 })).output, 3);
  });
});
