import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, type Api } from '../../platform/support.ts';
import { CliWorld, manifest, proxyOf } from '../cliWorld.ts';

interface Listed {
  readonly deployments: readonly {
    readonly started: { readonly by: string; readonly commit?: string; readonly dirty?: boolean };
    readonly finished?: { readonly verification?: string; readonly version?: number; readonly rolledBack: boolean };
  }[];
}

describe('The journal of deployments', () => {
  let world: CliWorld;
  let api: Api;

  beforeEach(async () => {
    ({ world, api } = await CliWorld.onPlatform());
  });
  afterEach(cleanUp);

  const file = () => path.join(world.folder, '.cloud-compute', 'deployments.jsonl');
  const deploy = (...args: string[]) => world.run(['deploy', world.folder, '--yes', ...args]);
  const list = (...args: string[]) => world.run(['deployments', '--folder', world.folder, ...args]);
  const listed = async () => (JSON.parse((await list('--json')).stdout) as Listed).deployments;
  const verified = (expected: unknown, timeout: number) => ({
    ...manifest('a', { workers: { min: 0, max: 1 }, timeout }),
    'x-verify': { input: { do: 'echo', value: 1 }, expect: { output: expected } },
  });

  it('contains each deployment with its commit and result, to which an endpoint can return', async () => {
    const git = (...args: string[]) => execFileSync('git', ['-C', world.folder, ...args], { encoding: 'utf8' }).trim();
    git('init', '--quiet');
    git('config', 'user.name', 'Ada');
    git('config', 'user.email', 'ada@example.com');
    await world.write({ 'a.endpoint.json': verified(1, 300_000) });
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    assert.equal((await deploy()).code, 0);
    await world.write({ 'a.endpoint.json': verified(2, 60_000) });
    assert.equal((await deploy()).code, 1);
    const commit = git('rev-parse', 'HEAD');
    const found = await listed();
    assert.deepEqual(
      found.map(({ started: { by, dirty, ...one } }) => [by, one.commit, dirty]),
      [
        ['Ada', commit, true],
        ['Ada', commit, false],
      ],
    );
    assert.deepEqual(
      found.map(({ finished }) => [finished?.verification, finished?.version]),
      [
        ['unmet', 2],
        ['passed', 1],
      ],
    );
    const { stdout } = await list('a');
    assert.match(stdout, new RegExp(`a {2}updated, unmet {2}version 2 {2}${commit.slice(0, 12)} with changes {2}Ada`));
    const back = await world.run(['rollback', 'a', '--to', 'verified', '--folder', world.folder, '--yes']);
    assert.match(back.stderr, /Roll back “a” to version 1:\n/);
    assert.equal(back.code, 0, back.stderr);
    assert.equal((await api.call(operations.listEndpoints)).endpoints[0]?.timeout, 300_000);
  });

  it('contains a deployment that was killed, without a result', async () => {
    const proxy = await proxyOf(api.addresses, async ({ method, forward }) => {
      const response = await forward();
      if (method === 'POST') killed.child.kill('SIGKILL');
      return response;
    });
    world.useHosted(proxy);
    await world.write({ 'a.endpoint.json': manifest('a') });
    const killed = world.start(['deploy', world.folder, '--yes']);
    assert.equal((await killed.exit).code, null);
    // As if the kill had cut off a line, too.
    await appendFile(file(), '{"event":"fin');
    const { stdout, stderr } = await list();
    assert.match(stdout, / a {2}create: the result is not known /);
    assert.match(stderr, /line 2 was cut off by a crash/);
    await world.write({ 'a.endpoint.json': manifest('a', { timeout: 60_000 }) });
    assert.equal((await deploy()).code, 0);
    const results = (await listed()).map(({ finished }) => finished?.verification);
    assert.deepEqual(results, ['accepted', undefined]);
  });

  it('prevents a deployment if a line was changed, and names the line', async () => {
    await world.write({ 'a.endpoint.json': manifest('a') });
    assert.equal((await deploy()).code, 0);
    await writeFile(file(), (await readFile(file(), 'utf8')).replace('"isVerified":false', '"isVerified":true'));
    await world.write({ 'b.endpoint.json': manifest('b') });
    for (const { code, stderr } of [await deploy(), await list()]) {
      assert.equal(code, 1);
      assert.match(stderr, /deployments\.jsonl cannot be trusted: line 2 was changed\n$/);
    }
    assert.equal((await api.call(operations.listEndpoints)).endpoints.length, 1);
  });

  it('is not necessary for a deployment', async () => {
    await world.write({ 'a.endpoint.json': manifest('a'), '.cloud-compute': 'a file' });
    const { code, stderr } = await deploy();
    assert.equal(code, 0);
    assert.match(stderr, /the journal of deployments cannot be written: /);
  });

  const resultsIn = (stdout: string) =>
    (JSON.parse(stdout) as { results: { outcome: string; verification: { outcome: string } }[] }).results.map(
      ({ outcome, verification }) => `${outcome} ${verification.outcome}`,
    );

  it('lets a repeated deployment verify an unchanged endpoint that was not verified, until it is', async () => {
    await world.write({ 'a.endpoint.json': verified(2, 300_000), 'b.endpoint.json': manifest('b') });
    assert.equal((await deploy()).code, 1);
    const again = await deploy('--json');
    assert.deepEqual([again.code, resultsIn(again.stdout)], [1, ['unchanged unmet']]);
    assert.match(again.stderr, /“a” is unchanged, and was not verified after its last deployment\. Verifying it…\n/);
    assert.match(again.stderr, /\$\.output: expected 2, but it is 1\n/);
    const unasked = await world.run(['deploy', world.folder]);
    assert.equal(unasked.code, 1);
    assert.match(unasked.stderr, /--yes is required/);
    // The manifest sends the same settings.
    await world.write({ 'a.endpoint.json': verified(1, 300_000) });
    const corrected = await deploy('--json');
    assert.deepEqual([corrected.code, resultsIn(corrected.stdout)], [0, ['unchanged passed']]);
    assert.match((await list('a')).stdout, /^\S+ {2}a {2}unchanged, passed {2}version 1 {2}/);
    const last = await deploy('--json');
    assert.deepEqual([last.code, resultsIn(last.stdout)], [0, []]);
    assert.equal((await listed()).length, 4);
  });

  it('lets an endpoint stay as it is that another client has changed since, or without a time', async () => {
    await world.write({ 'a.endpoint.json': verified(2, 300_000) });
    assert.equal((await deploy()).code, 1);
    const skipped = await deploy('--json', '--verify-timeout', '0');
    assert.deepEqual([skipped.code, resultsIn(skipped.stdout)], [0, []]);
    const [endpoint] = (await api.call(operations.listEndpoints)).endpoints;
    for (const timeout of [60_000, 300_000])
      await api.call(operations.updateEndpoint, { parameters: { id: endpoint?.id ?? '' }, body: { timeout } });
    const other = await deploy('--json');
    assert.deepEqual([other.code, resultsIn(other.stdout)], [0, []]);
  });

  it('lets a deployment fail if the test of an unverified endpoint cannot be read', async () => {
    await world.write({ 'a.endpoint.json': verified(2, 300_000) });
    assert.equal((await deploy()).code, 1);
    const { 'x-verify': _, ...body } = verified(2, 300_000);
    await world.write({ 'a.endpoint.json': { ...body, 'x-verify': { job: 'none.job.json' } } });
    const { code, stderr } = await deploy();
    assert.equal(code, 1);
    assert.match(stderr, /The job of x-verify cannot be used: /);
  });
});
