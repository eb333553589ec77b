import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { BuildPart } from '../../src/contract/imageBuild.ts';
import { localCreateBody, type Manifest } from '../../src/contract/manifest.ts';
import { operations } from '../../src/contract/operations.ts';
import { buildImage, type BuildResult, type BuiltImage } from '../../src/features/manifest/build/actions/buildImage.ts';
import { checkImage } from '../../src/features/manifest/build/actions/checkImage.ts';
import { pushImage } from '../../src/features/manifest/build/actions/pushImage.ts';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { findBuilder } from '../../src/machine/builder/findBuilder.ts';
import { CliWorld } from '../cli/cliWorld.ts';
import { cleanUp, dataDirectory, eventually, platformForTest, repository } from '../platform/support.ts';
import { NODE_IMAGE } from './images.ts';
import { startRegistry, type TestRegistry } from './registry.ts';
import { onEngines } from './world.ts';

const SAMPLE = path.join(repository, 'samples', 'container-image');
const MINUTE_MS = 60_000;

/* Uses `docker buildx`, `docker build`, or `podman build`: the one that the user would get on this machine. */

describe('The builder of the user', function () {
  this.timeout(2 * MINUTE_MS);

  onEngines(({ name, running }) => {
    let folder: string;
    let environment: NodeJS.ProcessEnv;
    let output: string;
    afterEach(async () => {
      await cleanUp();
      const { api } = running();
      const containers = () => api.json<{ Id: string }[]>({ path: '/v1.41/containers/json', query: { all: true } });
      await eventually('the containers of the build are removed', async () => (await containers()).length === 0);
    });
    beforeEach(async () => {
      folder = await dataDirectory();
      output = '';
      environment = { ...process.env, DOCKER_HOST: undefined, ...(await loginTo({})) };
    });

    /** Writes the logins of both programs. The plugins of Docker stay. @param auths passwords by registry */
    async function loginTo(auths: object): Promise<NodeJS.ProcessEnv> {
      const directory = path.join(await dataDirectory(), 'docker');
      await mkdir(directory, { recursive: true });
      const plugins = path.join(process.env['DOCKER_CONFIG'] ?? path.join(os.homedir(), '.docker'), 'cli-plugins');
      if (existsSync(plugins)) await symlink(plugins, path.join(directory, 'cli-plugins'));
      const file = path.join(directory, 'config.json');
      await writeFile(file, JSON.stringify({ auths }));
      return { DOCKER_CONFIG: directory, REGISTRY_AUTH_FILE: file };
    }

    const manifestWith = (build: BuildPart, more: Partial<Manifest> = {}) =>
      ({ name: 'Hello, World', type: 'QUEUE', 'x-build': build, ...more }) as Manifest;

    const build = (manifest: Manifest, signal = new AbortController().signal, onOutput = (): void => undefined) =>
      buildImage({
        ...{ manifest, folder, engine: running().address, environment, signal },
        onOutput: (text) => {
          output += text;
          onOutput();
        },
      });

    /** Builds a Dockerfile in the folder. */
    async function built(lines: readonly string[], part: BuildPart = {}): Promise<BuildResult> {
      await writeFile(path.join(folder, 'Dockerfile'), lines.join('\n'));
      return build(manifestWith(part));
    }

    function imageOf(result: BuildResult): BuiltImage {
      assert.ok(result.kind === 'built', output + JSON.stringify(result));
      return result.image;
    }

    function failureOf(result: BuildResult) {
      assert.ok(result.kind === 'failed', output);
      return result.failure;
    }

    it('is one that the engine supports', async () => {
      const builder = await findBuilder({
        engine: running().address,
        environment,
        signal: new AbortController().signal,
      });
      assert.ok('kind' in builder, JSON.stringify(builder));
      assert.equal(builder.program, name === 'Podman' ? 'podman' : 'docker');
    });

    it('builds the sample, which the local platform runs without a registry', async () => {
      await cp(SAMPLE, folder, { recursive: true });
      const dockerfile = await readFile(path.join(SAMPLE, 'Dockerfile'), 'utf8');
      await writeFile(path.join(folder, 'Dockerfile'), dockerfile.replace(/^FROM .+$/m, `FROM ${NODE_IMAGE}`));
      const text = await readFile(path.join(SAMPLE, 'hello.endpoint.yaml'), 'utf8');
      const [part] = readManifestFile(text, { language: 'yaml', target: 'local' }).parts;
      assert.ok(part?.manifest);
      const manifest = { ...part.manifest, 'x-build': { repository: 'registry.example.com/team/hello' } };
      const image = imageOf(await build(manifest));
      assert.match(image.reference, /^localhost\/team\/hello:[0-9a-f]{12}$/);
      assert.ok(image.id.startsWith(`sha256:${image.reference.split(':')[1]}`));
      assert.equal(imageOf(await build(manifest)).reference, image.reference, 'equal images have equal names');
      assert.deepEqual(await checkImage({ image, manifest, folder }), []);
      const { api } = await platformForTest({ engine: { containerEngine: running().address } });
      const body = { ...localCreateBody(manifest, (one) => one), image: image.reference };
      const endpoint = await api.call(operations.createEndpoint, { body });
      const { id } = await api.run(endpoint, { name: 'world' });
      await api.jobWithStatus(endpoint, id, 'COMPLETED', MINUTE_MS);
    });

    it('builds the manifests of a folder on the command line, which then have their images', async () => {
      const world = await CliWorld.create();
      Object.assign(world.env, environment);
      const settings = 'scaling: { type: QUEUE_DELAY, queueDelay: 1 }\ncpu: [{ id: cpu3c, vcpuCount: 2 }]\n';
      await world.write({
        Dockerfile: `FROM ${NODE_IMAGE}\nCMD ["/usr/bin/node", "--version"]\n`,
        'a.endpoint.yaml': `name: a # first\ntype: QUEUE\n${settings}x-build: {}\n`,
        'b.endpoint.yaml': `name: b\ntype: QUEUE\n${settings}x-build: { dockerfile: Missing }\n`,
        'broken.endpoint.yaml': 'name: [',
        'c.endpoint.yaml': `name: c\ntype: QUEUE\n${settings}image: registry.example.com/c:1\n`,
      });
      const { code, stderr } = await world.run(['build', world.folder, '--engine', running().address, '--tag', 'one']);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^a\.endpoint\.yaml: localhost\/a:one$/m);
      assert.match(stderr, /^b\.endpoint\.yaml: .*Missing/m);
      assert.match(stderr, /^broken\.endpoint\.yaml: Flow sequence/m);
      const text = await readFile(path.join(world.folder, 'a.endpoint.yaml'), 'utf8');
      const { parts } = readManifestFile(text, { language: 'yaml', target: 'local' });
      assert.equal(parts[0]?.manifest?.image, 'localhost/a:one', text);
      assert.match(text, /^name: a # first$/m);
    });

    it('passes arguments, the stage, and the platform', async () => {
      const print = JSON.stringify(['/usr/bin/node', '-e', 'console.log(process.env.TEXT)']);
      const lines = [
        ...['ARG BASE', 'FROM ${BASE} AS first', 'ARG TEXT', `RUN ${print}`, 'CMD ["first.js"]'],
        ...['FROM first', 'CMD ["second.js"]'],
      ];
      const image = imageOf(await built(lines, { target: 'first', args: { BASE: NODE_IMAGE, TEXT: "it's $HOME" } }));
      assert.deepEqual([image.cmd, image.platform], [['first.js'], 'linux/amd64']);
      assert.match(output, /^\s*it's \$HOME$/m);
    });

    it('reports the line of an instruction that fails', async () => {
      const lines = [`FROM ${NODE_IMAGE}`, 'ENV A=1', '', 'RUN ["/usr/bin/node", \\', '  "-e", "process.exit(3)"]'];
      const failure = failureOf(await built([...lines, 'CMD ["x"]']));
      assert.ok(failure.code === 'dockerfile', JSON.stringify(failure));
      assert.deepEqual([failure.file, failure.line], [path.join(folder, 'Dockerfile'), 4]);
    });

    it('reports the line of an unknown instruction, and of a missing file in a later stage', async () => {
      const unknown = failureOf(await built([`FROM ${NODE_IMAGE}`, 'CMD ["x"]', 'RUNN x']));
      assert.ok(unknown.code === 'dockerfile', JSON.stringify(unknown));
      assert.equal(unknown.line, 3);
      const stages = [`FROM ${NODE_IMAGE} AS a`, 'WORKDIR /a', `FROM ${NODE_IMAGE}`, 'CMD ["x"]', 'COPY nothing /'];
      const missing = failureOf(await built(stages));
      assert.ok(missing.code === 'dockerfile', JSON.stringify(missing));
      assert.equal(missing.line, 5);
    });

    it('ends with its processes when it is canceled', async () => {
      const script = 'console.log("begun"); setInterval(() => undefined, 1e6)';
      const command = JSON.stringify(['/usr/bin/node', '-e', script]);
      await writeFile(path.join(folder, 'Dockerfile'), `FROM ${NODE_IMAGE}\nRUN ${command}\nCMD ["x"]\n`);
      const abort = new AbortController();
      const result = await build(manifestWith({}), abort.signal, () => {
        if (/^\s*begun$/m.test(output)) abort.abort();
      });
      assert.deepEqual(failureOf(result), { code: 'canceled' });
    });

    it('does not start for arguments that are secrets, and without its files', async () => {
      const codes = async (part: BuildPart) => {
        const failure = failureOf(await built([`FROM ${NODE_IMAGE}`, 'CMD ["x"]'], part));
        assert.ok(failure.code === 'invalid');
        return failure.errors.map(({ code }) => code);
      };
      assert.deepEqual(await codes({ args: { TOKEN: '${secret:TOKEN}' } }), ['referenceInBuildArg']);
      assert.deepEqual(await codes({ dockerfile: 'other' }), ['dockerfileMissing']);
      assert.deepEqual(await codes({ context: 'other' }), ['buildFolderMissing']);
      assert.equal(output, '');
    });

    it('checks the program, the port, the size, and the type of an image', async () => {
      const dockerfile = [`FROM ${NODE_IMAGE}`, 'COPY server.js /app/', 'EXPOSE 8000', 'CMD ["server.js"]'];
      const server = `require('node:http').createServer().listen(8000)`;
      await writeFile(path.join(folder, 'server.js'), server);
      const image = imageOf(await built(dockerfile));
      const found = async (more: Partial<Manifest>) =>
        (await checkImage({ image, manifest: manifestWith({}, more), folder })).map(({ code, path: [field] }) => [
          field,
          code,
        ]);
      assert.deepEqual(await found({ type: 'LOAD_BALANCER', env: { PORT: '8000' } }), []);
      assert.deepEqual(await found({ type: 'LOAD_BALANCER' }), [['x-build', 'imagePortDiffers']]);
      assert.deepEqual(await found({}), [['type', 'imageForOtherType']]);
      assert.deepEqual(await found({ entrypoint: ['nope'] }), [['entrypoint', 'imageProgramMissing']]);
      assert.deepEqual(await found({ entrypoint: ['/app/server.js'] }), [
        ['entrypoint', 'imageProgramNotExecutable'],
        ['type', 'imageForOtherType'],
      ]);
      const large = { ...image, sizeBytes: 2.5e9, platform: 'linux/arm64' };
      const findings = await checkImage({
        ...{ image: large, folder },
        manifest: manifestWith({}, { type: 'LOAD_BALANCER', env: { PORT: '8000' }, disk: 2 }),
      });
      assert.deepEqual(
        findings.map(({ code, data }) => [code, data]),
        [
          ['imageForOtherPlatform', { platform: 'linux/arm64', wanted: 'linux/amd64' }],
          ['imageLargerThanDisk', { sizeGb: 2.5, diskGb: 2 }],
        ],
      );
    });

    describe('pushes', () => {
      let registry: TestRegistry;
      let image: BuiltImage;
      beforeEach(async () => {
        registry = await startRegistry();
        const { username, password } = registry.credentials;
        const auth = Buffer.from(`${username}:${password}`).toString('base64');
        environment = { ...environment, ...(await loginTo({ [registry.address]: { auth } })) };
        image = imageOf(await built([`FROM ${NODE_IMAGE}`, `CMD ["${registry.address}"]`]));
      });

      const push = (tag?: string, builder = image.builder) =>
        pushImage({
          ...{ image: { ...image, builder }, repository: `${registry.address}/team/hello`, tag },
          ...{ onOutput: (text) => (output += text), signal: new AbortController().signal },
        });

      async function digestInRegistry(tag: string): Promise<string | null> {
        const { username, password } = registry.credentials;
        const Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
        const Accept =
          'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json';
        const url = `http://${registry.address}/v2/team/hello/manifests/${tag}`;
        return (await fetch(url, { method: 'HEAD', headers: { Authorization, Accept } })).headers.get(
          'docker-content-digest',
        );
      }

      it('with the login of the program, and has the digest of the registry', async () => {
        for (const attempt of ['first', 'again']) {
          const result = await push('1.0');
          assert.ok(result.kind === 'pushed', `${attempt}: ${output}${JSON.stringify(result)}`);
          assert.equal(result.digest, await digestInRegistry('1.0'), attempt);
          assert.equal(result.reference, `${registry.address}/team/hello:1.0@${result.digest}`);
        }
        assert.ok(!output.includes(registry.credentials.password));
      });

      it('unless the registry refuses the login, or cannot be reached', async () => {
        const nobody = { ...image.builder, environment: { ...environment, ...(await loginTo({})) } };
        const refused = await push(undefined, nobody);
        assert.ok(refused.kind === 'failed', output);
        assert.equal(refused.failure.code, 'credentials', JSON.stringify(refused));
        await registry.stop();
        const unreachable = await push();
        assert.ok(unreachable.kind === 'failed', output);
        assert.equal(unreachable.failure.code, 'registryUnreachable', JSON.stringify(unreachable));
      });
    });
  });
});
