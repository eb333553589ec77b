import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readLocalText } from '../../src/cli/localFiles.ts';
import { parseImageReference } from '../../src/contract/imageReference.ts';
import { GateError } from '../../src/features/gate/actions/gateError.ts';
import { runGate } from '../../src/features/gate/actions/runGate.ts';
import { readPlatformJob } from '../../src/features/replay/actions/readPlatformJob.ts';
import { errorSummary } from '../../src/features/replay/model/comparison.ts';
import { registryAuth } from '../../src/platform/runtimes/container/imagePulls.ts';
import { CliWorld } from '../cli/cliWorld.ts';
import { GateWorld, manifest } from '../features/gate/gateWorld.ts';
import { ReplayWorld } from '../features/replay/world.ts';
import { cleanUp, repository } from '../platform/support.ts';
import { PLATFORM_PROGRAM } from '../support/programs.ts';
import { buildImage } from './images.ts';
import { startRegistry, type TestRegistry } from './registry.ts';
import { onEngines } from './world.ts';

const SDK = path.join(repository, 'samples/hello-queue/hello/serverless.mjs');
const API = '/v1.41';
const NOWHERE = `sha256:${'0'.repeat(64)}`;

/** Bodies of handlers: of two equal versions, of another one, and of a broken one. */
const HANDLERS = {
  upper: 'return { text: input.text.toUpperCase() };',
  same: 'const text = input.text.toUpperCase(); return { text };',
  lower: 'return { text: input.text.toLowerCase() };',
  broken: "throw new TypeError('no text in the input');",
};

describe('Versions of an image', function () {
  this.timeout(5 * 60_000);
  onEngines(({ running }) => {
    let registry: TestRegistry;

    before(async () => {
      registry = await startRegistry();
    });
    after(cleanUp);

    const flags = () => ['--container-engine', running().address];

    async function build(image: string, handler: keyof typeof HANDLERS): Promise<void> {
      const lines = [
        "import { serve } from './serverless.mjs';",
        'await serve(({ input }) => {',
        HANDLERS[handler],
        '});',
      ];
      const files = { 'app/handler.mjs': lines.join('\n'), 'app/serverless.mjs': await readFile(SDK, 'utf8') };
      await buildImage(running().api, image, { files, instructions: ['CMD ["handler.mjs"]'] });
    }

    /** Builds and publishes an image, and pulls it again. Resolves with its digest. */
    async function publish(image: string, handler: keyof typeof HANDLERS): Promise<string> {
      const { api } = running();
      await build(image, handler);
      await registry.publish(api, image);
      const reference = parseImageReference(image);
      assert.ok(reference);
      const query = { fromImage: `${registry.address}/${reference.repository}`, tag: reference.tag };
      const headers = registryAuth(reference, registry.credentials);
      const request = { method: 'POST', path: `${API}/images/create`, query, headers } as const;
      for await (const { error } of api.lines<{ error?: string }>(request)) assert.equal(error, undefined);
      const found = await api.json<{ RepoDigests: readonly string[] }>({ path: `${API}/images/${image}/json` });
      return /sha256:[0-9a-f]{64}$/.exec(found.RepoDigests[0] ?? '')?.[0] ?? assert.fail('no digest');
    }

    it('replay the job of an image that is pinned by its digest, also after its tag has moved', async () => {
      const name = `${registry.address}/team/upper`;
      const digest = await publish(`${name}:1`, 'broken');
      const world = await ReplayWorld.create({}, { engine: { containerEngine: running().address } });
      const { id } = await world.createNode({ image: `${name}@${digest}`, cmd: [] });
      const subject = await world.run(id, { text: 'a' });
      assert.equal(subject.recorded.result.status, 'FAILED');
      await publish(`${name}:1`, 'upper');
      const launch = { script: PLATFORM_PROGRAM, flags: flags() };
      const result = await world.replay(subject, id, { launch });
      assert.ok(result.kind === 'ended', JSON.stringify(result));
      assert.deepEqual([result.job.status, result.comparison.verdict], ['FAILED', 'same']);
      assert.match(errorSummary(result.job, '/app') ?? '', /^TypeError: no text in the input at handler\.mjs:\d+$/);
      const { worker } = subject.recorded;
      const lost = { recorded: { ...subject.recorded, worker: { ...worker, digest: NOWHERE } } };
      const missing = await world.replay(lost, id, { launch });
      assert.ok(missing.kind === 'notStarted', JSON.stringify(missing));
      assert.ok(missing.reason.includes(`does not serve the image ${name}@${NOWHERE}`), missing.reason);
    });

    it('replay the job of a tag with the image that ran it, also after the tag and the endpoint have moved', async () => {
      const name = `${registry.address}/team/moved`;
      const digest = await publish(`${name}:1`, 'broken');
      const world = await ReplayWorld.create({}, { engine: { containerEngine: running().address } });
      const { id: credential } = await world.client.createRegistry({ body: { name: 'own', ...registry.credentials } });
      const { id } = await world.createNode({ image: `${name}:1`, cmd: [], registry: credential });
      const { id: jobId } = await world.client.runJob({ endpointId: id, body: { input: { text: 'a' } } });
      await world.ended(id, jobId);
      await publish(`${name}:1`, 'upper');
      await world.client.updateEndpoint({ id, body: { image: `${name}:2` } });
      const { signal } = new AbortController();
      const found = await readPlatformJob(world.client, { endpointId: id, jobId, isLocal: true }, signal);
      assert.ok(found.kind === 'found', JSON.stringify(found));
      const { recorded } = found.subject;
      assert.deepEqual([recorded.worker.image, recorded.worker.digest], [`${name}:1`, digest]);
      const launch = { script: PLATFORM_PROGRAM, flags: flags() };
      const result = await world.replay(found.subject, id, { launch });
      assert.ok(result.kind === 'ended', JSON.stringify(result));
      assert.deepEqual([result.job.status, result.comparison.verdict], ['FAILED', 'same']);
    });

    it('replay the job of an image that only the engine has, by its ID', async () => {
      const name = 'localhost/cloud-compute-test/local';
      await build(`${name}:1`, 'broken');
      const world = await ReplayWorld.create({}, { engine: { containerEngine: running().address } });
      const { id } = await world.createNode({ image: `${name}:1`, cmd: [] });
      const subject = await world.run(id, { text: 'a' });
      assert.match(subject.recorded.worker.digest ?? '', /^sha256:[0-9a-f]{64}$/);
      await build(`${name}:1`, 'upper');
      const result = await world.replay(subject, id, { launch: { script: PLATFORM_PROGRAM, flags: flags() } });
      assert.ok(result.kind === 'ended', JSON.stringify(result));
      assert.deepEqual([result.job.status, result.comparison.verdict], ['FAILED', 'same']);
    });

    it('pass the gate with equal outputs, fail it with another one, and are named if they cannot be pulled', async () => {
      const name = 'localhost/cloud-compute-test/upper';
      await Promise.all((['upper', 'same', 'lower'] as const).map((handler) => build(`${name}:${handler}`, handler)));
      const world = await GateWorld.create();
      await world.write('hello.endpoint.json', JSON.stringify(manifest({ image: `${name}:upper`, 'x-local': {} })));
      await world.record({ text: 'Ada' }, { text: 'Grace' });
      const gate = (image: string) =>
        runGate({
          ...{ manifest: world.manifest, base: { image: `${name}:upper` }, image },
          place: { kind: 'private', platformScript: PLATFORM_PROGRAM, flags: flags() },
          values: { variable: () => undefined, secret: () => Promise.resolve(undefined) },
          ...{ secretOf: () => undefined, readText: readLocalText, signal: new AbortController().signal },
        });
      const cli = await CliWorld.create();
      cli.env['DOCKER_HOST'] = running().address;
      const args = ['--base-image', `${name}:upper`, '--image', `${name}:same`];
      const { code, stdout, stderr } = await cli.run(['gate', world.manifest, ...args]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^The gate passed with 2 jobs\.\n/);
      const { report } = await gate(`${name}:lower`);
      assert.deepEqual(
        [report.passed, report.before.label, report.after.label],
        [false, `${name}:upper`, `${name}:lower`],
      );
      assert.deepEqual(
        report.jobs.map(({ name: job, outcome, after: status }) => [job, outcome, status]),
        [
          ['job1', 'differs', 'COMPLETED'],
          ['job2', 'differs', 'COMPLETED'],
        ],
      );
      const absent = `${registry.address}/team/absent:9`;
      await assert.rejects(gate(absent), (error: unknown) => {
        assert.ok(error instanceof GateError && error.code === 'noStart', String(error));
        assert.ok(error.message.includes(`does not serve the image ${absent} `), error.message);
        return true;
      });
    });
  });
});
