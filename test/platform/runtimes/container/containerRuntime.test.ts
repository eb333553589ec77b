import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { containerRuntime } from '../../../../src/platform/runtimes/container/containerRuntime.ts';
import type { Runtime } from '../../../../src/platform/runtimes/runtime.ts';
import { systemClock } from '../../../../src/platform/time/clock.ts';

/** Answers of an engine by their path, without the version of the API. */
const ANSWERS: Readonly<Record<string, object>> = {
  '/version': { Version: '4.3.1', ApiVersion: '1.41', Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] },
  '/info': { NCPU: 2, SecurityOptions: [] },
  '/networks/podman': { IPAM: { Config: [] } },
};

describe('The engine of containers', () => {
  let folder: string;
  let server: http.Server;
  let runtime: Runtime;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cc-engine-'));
    server = http.createServer(({ url = '' }, response) => {
      const answer = ANSWERS[url.replace(/^\/v[\d.]+/, '')];
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    });
    const socket = path.join(folder, 'engine.sock');
    server.listen(socket);
    await once(server, 'listening');
    const gate = { open: () => Promise.reject(new Error('not used')) };
    runtime = containerRuntime({ clock: systemClock, owner: 'o', gate, address: `unix://${socket}`, environment: {} });
  });

  afterEach(async () => {
    await runtime.close();
    await stop();
    await rm(folder, { recursive: true });
  });

  async function stop(): Promise<void> {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  const described = async () => {
    const { name, version, reachable } = (await runtime.images?.describe()) ?? {};
    return { name, version, reachable };
  };

  it('has the name and version that it reports', async () => {
    assert.deepEqual(await described(), { name: 'Podman', version: '4.3.1', reachable: true });
  });

  it('keeps its name when it stops responding', async () => {
    await described();
    await stop();
    assert.deepEqual(await described(), { name: 'Podman', version: '', reachable: false });
  });

  it('has no name before it has responded', async () => {
    await stop();
    assert.deepEqual(await described(), { name: '', version: '', reachable: false });
  });
});
