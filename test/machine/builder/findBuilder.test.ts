import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { findBuilder } from '../../../src/machine/builder/findBuilder.ts';
import { afterwards, cleanUp, dataDirectory } from '../../platform/support.ts';

/* The engine is a server that only tells its version, and the programs are scripts. test/engines/builder.test.ts has the real ones. */

describe('The search for a builder', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  afterEach(cleanUp);

  /** Starts an engine. Resolves with its address. */
  async function engine(name: 'Docker' | 'Podman'): Promise<string> {
    const socket = path.join(await dataDirectory(), 'engine.sock');
    const component = name === 'Podman' ? 'Podman Engine' : 'Engine';
    const version = { Version: '5.0.0', Components: [{ Name: component, Version: '5.0.0' }] };
    const server = http.createServer((_, response) => response.end(JSON.stringify(version))).listen(socket);
    await once(server, 'listening');
    afterwards(() => new Promise((resolve) => server.close(resolve)));
    return `unix://${socket}`;
  }

  /** Searches with these programs. @param programs shell scripts by name */
  async function found(address: string, programs: Readonly<Record<string, string>>, more: NodeJS.ProcessEnv = {}) {
    const folder = path.join(await dataDirectory(), 'programs');
    await mkdir(folder, { recursive: true });
    for (const [name, script] of Object.entries(programs)) {
      await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
      await chmod(path.join(folder, name), 0o755);
    }
    const environment = { PATH: folder, HOME: folder, ...more };
    return findBuilder({ engine: address, environment, signal: new AbortController().signal });
  }

  const docker = (buildx: string) => ({ docker: `[ "$1" = buildx ] && { ${buildx}; }; exit 0` });
  const withBuildx = (version: string) => docker(`echo github.com/docker/buildx ${version}; exit 0`);
  const withoutBuildx = docker('exit 1');
  const podman = { podman: 'exit 0' };

  it('names the program that is missing for the engine', async () => {
    for (const name of ['Docker', 'Podman'] as const)
      assert.deepEqual(await found(await engine(name), {}), { code: 'programMissing', engine: name });
    assert.deepEqual(await found(await engine('Docker'), podman), { code: 'programMissing', engine: 'Docker' });
  });

  it('names an engine that is invalid, or that cannot be reached', async () => {
    const invalid = await found('no-such-context', withoutBuildx);
    assert.ok('code' in invalid && invalid.code === 'engineInvalid');
    const unreachable = await found('unix:///no-such-engine.sock', withoutBuildx);
    assert.ok('code' in unreachable && unreachable.code === 'engineUnreachable');
    assert.equal(unreachable.address, 'unix:///no-such-engine.sock');
  });

  for (const [what, name, programs, kind, reportsJson] of [
    ['the plugin buildx', 'Docker', withBuildx('v0.13.1 788433953af1'), 'buildx', true],
    ['a later plugin', 'Docker', withBuildx('1.0.0 a'), 'buildx', true],
    ['a plugin without JSON', 'Docker', withBuildx('v0.12.1 b'), 'buildx', false],
    ['Docker without the plugin', 'Docker', withoutBuildx, 'docker', false],
    ['Podman', 'Podman', { ...podman, ...withBuildx('v0.13.1 c') }, 'podman', false],
    ['Docker on the engine of Podman, without BuildKit', 'Podman', withBuildx('v0.13.1 d'), 'docker', false],
  ] as const) {
    it(`finds ${what}`, async () => {
      const address = await engine(name);
      const builder = await found(address, programs);
      assert.ok('kind' in builder, JSON.stringify(builder));
      assert.deepEqual([builder.kind, builder.reportsJson], [kind, reportsJson]);
      assert.deepEqual(builder.globals, [kind === 'podman' ? '--url' : '--host', address]);
      assert.equal(builder.environment['DOCKER_BUILDKIT'], name === 'Podman' && kind === 'docker' ? '0' : undefined);
    });
  }
});
