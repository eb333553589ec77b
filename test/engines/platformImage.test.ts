import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { build, repository } from '../../scripts/editor/build.ts';
import { buildImage } from '../../scripts/image/buildImage.ts';
import { containerConfig, PORT, USER_ID } from '../../scripts/image/imageConfig.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { afterwards, cleanUp, dataDirectory, eventually } from '../platform/support.ts';
import { onEngines } from './world.ts';

const API = '/v1.41';
const IMAGE = 'docker.io/library/cloud-compute-platform-test:1';

describe('The image of npm run build:image', () => {
  let archive: string;
  before(async () => {
    await build();
    archive = path.join(await dataDirectory(), 'image.tar');
    await buildImage({
      ...{ dist: path.join(repository, 'dist'), node: process.execPath, name: IMAGE, output: archive },
    });
  });
  after(cleanUp);

  onEngines(({ name, running }) => {
    let engine: EngineApi;
    let container: string;

    before(async () => {
      engine = running().api;
      await load(engine, archive);
      container = await start(engine);
    });

    it('starts the platform with a read-only root, and answers health checks', async () => {
      const health = await eventually('the platform answers', () =>
        get(engine, container, controlOperations.getHealth.path),
      );
      assert.deepEqual(health, { status: 200, body: { status: 'ok' } });
    });

    // Podman raises limits for commands in a container, for which the root of some machines lacks a capability.
    if (name === 'Docker') {
      it('runs as a user without a name on the machine, and contains the command of its health check', async () => {
        const { output } = await run(engine, container, ['node', '-p', 'process.getuid() + ":" + process.getgid()']);
        assert.match(output, new RegExp(`${USER_ID}:${USER_ID}`));
        assert.equal((await run(engine, container, containerConfig.Healthcheck.Test.slice(1))).code, 0);
      });

      it('stores the key of its owner in a private file, and not in its log', async () => {
        const file = "fs.readFileSync('/data/platform/api-key', 'utf8').trim()";
        const mode = "(fs.statSync('/data/platform/api-key').mode & 0o777).toString(8)";
        const { output } = await run(engine, container, ['node', '-p', `JSON.stringify([${file}, ${mode}])`]);
        const [key, permissions] = JSON.parse(/\[.*\]/.exec(output)?.[0] ?? '[]') as [string, string];
        assert.equal(permissions, '600');
        const query = { stdout: true, stderr: true };
        const log = await text(await engine.stream({ path: `${API}/containers/${container}/logs`, query }));
        assert.match(log, /platform started/);
        assert.ok(!log.includes(key));
        const accounts = await get(engine, container, controlOperations.listAccounts.path, key);
        assert.equal(accounts?.status, 200);
      });
    }

    it('stops when the engine asks it to', async () => {
      await engine.json({ method: 'POST', path: `${API}/containers/${container}/stop`, query: { t: 30 } });
      const { State } = await engine.json<{ State: { ExitCode: number } }>({
        path: `${API}/containers/${container}/json`,
      });
      assert.equal(State.ExitCode, 0);
    });
  });
});

async function load(engine: EngineApi, archive: string): Promise<void> {
  const headers = { 'Content-Type': 'application/x-tar' };
  const path_ = `${API}/images/load`;
  const report = engine.lines<{ error?: string }>({
    method: 'POST',
    path: path_,
    body: createReadStream(archive),
    headers,
  });
  for await (const { error } of report) assert.equal(error, undefined);
  afterwards(() => engine.json({ method: 'DELETE', path: `${API}/images/${IMAGE}`, query: { force: true } }));
}

/** Starts a container with the default settings of the image. */
async function start(engine: EngineApi): Promise<string> {
  const HostConfig = {
    PortBindings: { [`${PORT}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: '' }] },
    ReadonlyRootfs: true,
  };
  const body = { Image: IMAGE, HostConfig };
  const { Id } = await engine.json<{ Id: string }>({ method: 'POST', path: `${API}/containers/create`, body });
  afterwards(() => engine.json({ method: 'DELETE', path: `${API}/containers/${Id}`, query: { force: true, v: true } }));
  await engine.json({ method: 'POST', path: `${API}/containers/${Id}/start` });
  return Id;
}

/** Sends a request to the platform in a container; undefined while it does not answer. */
async function get(engine: EngineApi, container: string, path_: string, key?: string) {
  const { NetworkSettings } = await engine.json<{
    NetworkSettings: { Ports: Record<string, readonly { HostPort: string }[]> };
  }>({ path: `${API}/containers/${container}/json` });
  const port = Number(NetworkSettings.Ports[`${PORT}/tcp`]?.[0]?.HostPort);
  // The platform compares the port with its own.
  const headers = { Host: `127.0.0.1:${PORT}`, ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
  return new Promise<{ status: number | undefined; body: unknown } | undefined>((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: path_, headers, agent: false }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode, body: JSON.parse(body) as unknown }),
        reject,
      );
    });
    outgoing.once('error', () => resolve(undefined)).end();
  });
}

/** Runs a command in a container. @returns its exit code, and its output with the frames of the engine */
async function run(engine: EngineApi, container: string, Cmd: readonly string[]) {
  const body = { Cmd, AttachStdout: true, AttachStderr: true };
  const { Id } = await engine.json<{ Id: string }>({
    method: 'POST',
    path: `${API}/containers/${container}/exec`,
    body,
  });
  const output = await text(
    await engine.stream({ method: 'POST', path: `${API}/exec/${Id}/start`, body: { Detach: false } }),
  );
  const { ExitCode: code } = await engine.json<{ ExitCode: number }>({ path: `${API}/exec/${Id}/json` });
  return { code, output };
}
