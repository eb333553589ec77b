import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Engine } from '../../../../src/machine/engine/engine.ts';
import type { EngineFeatures } from '../../../../src/platform/runtimes/container/engineLink.ts';
import { WorkerAddress } from '../../../../src/platform/runtimes/container/workerAddress.ts';
import { EngineApi } from '../../../../src/machine/engine/engineApi.ts';
import type { RunSpec } from '../../../../src/platform/runtimes/runSpec.ts';
import { StartError } from '../../../../src/platform/runtimes/runtime.ts';
import { testGate } from '../../../engines/testGate.ts';
import { afterwards, cleanUp } from '../../support.ts';
import { engineAt } from './testEngine.ts';

/** An address for documentation, which no machine has. */
const FOREIGN = '192.0.2.1';
const PATH = '/worker/v2';

const spec: RunSpec = {
  labels: { owner: 'owner', endpointId: 'endpoint1', workerId: 'worker1', runId: 'run1' },
  protocol: { url: `http://127.0.0.1:1${PATH}`, token: 'secret' },
  ...{ image: 'worker:1', entrypoint: [], cmd: [], env: {}, mounts: [], ports: [], resources: { gpus: 0 } },
};

describe('The address of the platform in a container', () => {
  afterEach(cleanUp);

  /** Starts a server in place of an engine, which accepts every request and records it. */
  async function engineFor(name: Engine['name']) {
    const requests: string[] = [];
    const server = http.createServer((incoming, response) => {
      const { pathname } = new URL(incoming.url ?? '', 'http://engine');
      requests.push(`${incoming.method} ${pathname}`);
      incoming.resume();
      response.end(pathname.endsWith('/create') ? '{"Id":"c1"}' : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterwards(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    const api = new EngineApi({ name: 'test', tls: false, options: { host: '127.0.0.1', port } });
    return { engine: engineAt(api, name), requests };
  }

  async function urlOf(
    { gateway, ...changes }: Partial<EngineFeatures> & { gateway?: string | undefined },
    { workerHost, run = spec }: { workerHost?: string; run?: RunSpec } = {},
  ) {
    const { engine, requests } = await engineFor(changes.engine ?? 'Docker');
    const features: EngineFeatures = {
      ...{ engine: engine.name, remoteHost: undefined, cpus: 2, memory: 2 ** 33, isRootless: false },
      ...{ limitsCpu: true, limitsMemory: true, limitsSwap: true, isVirtual: false, ...changes },
    };
    const address = new WorkerAddress({ engine, features }, testGate(), workerHost);
    return { url: new URL(await address.url(run, 'sha256:1', { name: 'network1', gateway })), requests };
  }

  const isRefused = (reason: RegExp) => (error: unknown) =>
    error instanceof StartError && reason.test(error.message) && error.message.includes('--worker-host');

  it('is that of the gateway if this machine has it', async () => {
    const { url, requests } = await urlOf({ gateway: '127.0.0.1' });
    assert.deepEqual([url.hostname, url.pathname], ['127.0.0.1', PATH]);
    assert.equal((await fetch(url)).status, 200);
    assert.deepEqual(requests, []);
  });

  it('is the name of the host if the engine runs in a virtual machine, which has the gateway', async () => {
    const { url } = await urlOf({ gateway: FOREIGN });
    assert.deepEqual([url.hostname, url.pathname], ['host.docker.internal', PATH]);
    url.hostname = '127.0.0.1';
    assert.equal((await fetch(url)).status, 200, 'the gate listens on the loopback interface');
  });

  it('is the name of the host if the network has no gateway', async () => {
    assert.equal((await urlOf({ gateway: undefined })).url.hostname, 'host.docker.internal');
  });

  it('is found while a container that never runs keeps the network of Podman', async function () {
    if (process.platform !== 'linux') this.skip();
    const { url, requests } = await urlOf({ engine: 'Podman', gateway: FOREIGN });
    assert.equal(url.hostname, 'host.containers.internal');
    assert.deepEqual(
      requests.map((request) => request.replace(/\/(c1|cloud-compute[^/]*)/, '/ID')),
      [...['POST /v1.41/containers/create', 'POST /v4.0.0/libpod/containers/ID/init'], 'DELETE /v1.41/containers/ID'],
    );
  });

  it('is refused on another machine, unless the user names an address of this one', async () => {
    const remote = { remoteHost: 'engine.example', gateway: '127.0.0.1' };
    await assert.rejects(urlOf(remote), isRefused(/^containers on engine\.example do not know the address/));
    assert.equal((await urlOf(remote, { workerHost: '127.0.0.1' })).url.hostname, '127.0.0.1');
  });

  it('is refused for a rootless engine, unless the user names an address of this machine', async () => {
    const rootless = { engine: 'Podman', isRootless: true, gateway: '127.0.0.1' } as const;
    await assert.rejects(urlOf(rootless), isRefused(/^containers of a rootless Podman cannot reach/));
    assert.equal((await urlOf(rootless, { workerHost: '127.0.0.1' })).url.hostname, '127.0.0.1');
  });

  it('is refused if this machine does not have the address that the user names', async () => {
    await assert.rejects(urlOf({ gateway: '127.0.0.1' }, { workerHost: FOREIGN }), StartError);
  });

  it('is not opened for a load-balanced worker', async () => {
    const run = { ...spec, server: { port: 80, healthPort: 80, healthPath: '/ping' } };
    const { url } = await urlOf({ remoteHost: 'engine.example' }, { run });
    assert.equal(url.href, spec.protocol.url);
  });
});
