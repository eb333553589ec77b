import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { cleanUp, repository, type Api } from '../../platform/support.ts';
import { CliWorld, manifest } from '../cliWorld.ts';

interface Plan {
  readonly connection: object;
  readonly steps: readonly { readonly action: string; readonly name: string; readonly file: string }[];
  readonly problems: readonly { readonly file: string; readonly line?: number; readonly code: string }[];
  readonly unmanaged: readonly object[];
}

describe('The command plan', () => {
  let world: CliWorld;
  let api: Api;

  beforeEach(async () => {
    ({ world, api } = await CliWorld.onPlatform());
  });
  afterEach(cleanUp);

  const plan = (...args: string[]) => world.run(['plan', world.folder, ...args]);

  it('ends with 2 for changes, which it lists with prices, and with 0 for none', async () => {
    await api.createEndpoint({ name: 'other', workers: { min: 0, max: 0 } });
    await api.createEndpoint(manifest('same'));
    await api.createEndpoint(manifest('changed', { timeout: 90_000 }));
    await world.write({
      'same.endpoint.json': manifest('same'),
      'deep/changed.endpoint.json': manifest('changed', { workers: { min: 0, max: 2 } }),
      'new.endpoint.json': manifest('new'),
    });
    const { code, stdout, stderr } = await plan();
    assert.deepEqual([code, stderr], [2, '']);
    assert.match(stdout, /\+ create {5}new {2}\(new\.endpoint\.json\)\n +up to \$0/);
    assert.match(stdout, /~ update {5}changed {2}\(deep\/changed\.endpoint\.json\)\n +timeout: 90000 → 300000\n/);
    assert.match(stdout, /workers\.max: 0 → 2\n/);
    assert.match(stdout, / unchanged {2}same /);
    assert.match(stdout, /\? not in files: other\n\n1 to create, 1 to update, 1 unchanged, 1 not in files\.\n$/);
    await world.write({ 'deep/changed.endpoint.json': manifest('changed', { timeout: 90_000 }) });
    const { code: after } = await world.run(['plan', path.join(world.folder, 'deep')]);
    assert.equal(after, 0);
  });

  it('changes nothing', async () => {
    await world.write({ 'new.endpoint.json': manifest('new') });
    assert.equal((await plan()).code, 2);
    assert.equal((await plan()).code, 2);
  });

  it('ends with 1 for problems, which it names by file, line, and column', async () => {
    await world.write({
      'good.endpoint.json': manifest('good'),
      'bad.endpoint.yaml': 'name: bad\ntype: NONE\n',
      'env.endpoint.json': manifest('env', { env: { A: '${secret:PLAN_TEST_MISSING}' } }),
    });
    const { code, stdout } = await plan();
    assert.equal(code, 1);
    assert.match(stdout, /! bad\.endpoint\.yaml:2:7: type: /);
    assert.match(stdout, /! env\.endpoint\.json: No value is available for A in env\.\n/);
  });

  it('prints one JSON document with --json, and nothing else', async () => {
    await world.write({ 'a.endpoint.json': manifest('a'), 'bad.endpoint.yaml': 'name: bad\ntype: NONE\n' });
    const { code, stdout, stderr } = await plan('--json');
    assert.deepEqual([code, stderr], [1, '']);
    const { steps, problems, unmanaged } = JSON.parse(stdout) as Plan;
    assert.deepEqual(
      steps.map(({ action, name, file }) => [action, name, file]),
      [['create', 'a', 'a.endpoint.json']],
    );
    assert.deepEqual([problems[0]?.file, problems[0]?.line, unmanaged], ['bad.endpoint.yaml', 2, []]);
  });

  it('keeps its JSON valid and its identifiers as they are, whatever the values of references are', async () => {
    Object.assign(world.env, { PLAN_TEST_A: '0', PLAN_TEST_B: 'create', PLAN_TEST_C: '"', PLAN_TEST_D: 'true' });
    const env = Object.fromEntries(['A', 'B', 'C', 'D'].map((name) => [name, `\${env:PLAN_TEST_${name}}`]));
    await world.write({ 'create.endpoint.json': manifest('create', { env }) });
    const { stdout } = await plan('--json');
    const [step] = (JSON.parse(stdout) as Plan).steps;
    assert.deepEqual([step?.action, step?.name, step?.file], ['create', 'create', 'create.endpoint.json']);
  });

  it('names a problem for each part of a file that it cannot deploy', async () => {
    const corpus = path.join(repository, 'test/features/manifest/corpus');
    await cp(corpus, world.folder, { recursive: true });
    const { code, stdout } = await plan('--json');
    assert.equal(code, 1);
    const { steps, problems } = JSON.parse(stdout) as Plan;
    const named = new Set([...steps, ...problems].map(({ file }) => file));
    const files = (await readdir(corpus)).filter((name) => /\.endpoint\.(ya?ml|json)$/.test(name));
    assert.ok(files.length > 100);
    assert.deepEqual(
      files.filter((file) => !named.has(file)),
      [],
    );
  });

  it('ends with 1 and a sentence if there is no folder or no platform, and with 64 for invalid arguments', async () => {
    const without = await world.run(['plan', path.join(world.folder, 'none')]);
    assert.deepEqual([without.code, without.stdout], [1, '']);
    assert.match(without.stderr, /^the folder \S+ does not exist\n$/);
    assert.equal((await world.run(['plan'])).code, 64);
    assert.equal((await plan('--unknown')).code, 64);
    Object.assign(world.env, { CLOUD_COMPUTE_API_KEY: 'a-wrong-key' });
    const refused = await plan('--json');
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^127\.0\.0\.1:\d+: the API key was not accepted [^\n]*\n$/);
    assert.doesNotMatch(refused.stderr, /a-wrong-key/);
    Object.assign(world.env, { CLOUD_COMPUTE_BASE_URL: undefined, CLOUD_COMPUTE_QUEUE_URL: undefined });
    Object.assign(world.env, { CLOUD_COMPUTE_ENDPOINT_HOST: undefined });
    const none = await plan('--data-dir', path.join(world.folder, 'no-platform'));
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^there is no platform: [^\n]*\n$/);
  });
});
