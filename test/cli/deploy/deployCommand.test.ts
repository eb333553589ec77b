import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { operations } from '../../../src/contract/operations.ts';
import { afterwards, cleanUp, fixtures, type Api } from '../../platform/support.ts';
import { PLATFORM_PROGRAM } from '../../support/programs.ts';
import { CliWorld, manifest, proxyOf } from '../cliWorld.ts';

const running = { workers: { min: 1, max: 1 } };
const crashing = { ...running, cmd: [process.execPath, '-e', 'console.error("no model file"); process.exit(3)'] };
const idling = { ...running, cmd: [process.execPath, '-e', 'setInterval(() => undefined, 1_000)'] };

interface Report {
  readonly results: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly verification?: { readonly outcome: string; readonly evidence?: readonly string[] };
    readonly error?: string;
  }[];
  readonly unchanged: readonly object[];
  readonly problems: readonly object[];
}

function resultsIn(stdout: string): readonly string[] {
  const { results } = JSON.parse(stdout) as Report;
  return results.map(({ name, outcome, verification }) =>
    [name, outcome, verification?.outcome ?? ''].join(' ').trim(),
  );
}

describe('The command deploy', () => {
  let world: CliWorld;
  let api: Api;

  beforeEach(async () => {
    ({ world, api } = await CliWorld.onPlatform());
  });
  afterEach(cleanUp);

  const deploy = (...args: string[]) => world.run(['deploy', world.folder, ...args]);
  const endpoints = async () => (await api.call(operations.listEndpoints)).endpoints;
  const names = async () => (await endpoints()).map(({ name }) => name).sort();

  it('ends with 0 once all endpoints work, also if there is nothing to do', async () => {
    await world.write({ 'a.endpoint.json': manifest('a', running), 'b.endpoint.json': manifest('b') });
    const first = await deploy('--yes');
    assert.deepEqual([first.code, first.stdout], [0, '']);
    assert.match(first.stderr, /“a” is created: 1 worker is up\n/);
    assert.match(first.stderr, /“b” is created: it is paused, so no worker starts\n/);
    const second = await deploy('--yes', '--json');
    assert.equal(second.code, 0);
    const { results, unchanged } = JSON.parse(second.stdout) as Report;
    assert.deepEqual([results.length, unchanged.length], [0, 2]);
  });

  it('prints one JSON document with --json on standard output, and nothing else there', async () => {
    await world.write({ 'a.endpoint.json': manifest('a') });
    const { code, stdout } = await deploy('--yes', '--json');
    assert.deepEqual([code, resultsIn(stdout)], [0, ['a created accepted']]);
  });

  it('requires --yes without a terminal, and changes nothing', async () => {
    await world.write({ 'a.endpoint.json': manifest('a') });
    const { code, stderr } = await deploy();
    assert.equal(code, 1);
    assert.match(stderr, /--yes is required, because there is no terminal to ask on\n$/);
    assert.deepEqual(await names(), []);
  });

  it('deploys nothing of a folder with a problem, unless --keep-going is there', async () => {
    await world.write({ 'a.endpoint.json': manifest('a'), 'bad.endpoint.yaml': 'name: bad\ntype: NONE\n' });
    const stopped = await deploy('--yes', '--json');
    assert.equal(stopped.code, 1);
    assert.match(stopped.stderr, /! bad\.endpoint\.yaml:2:7: /);
    assert.deepEqual([resultsIn(stopped.stdout), await names()], [[], []]);
    const continued = await deploy('--yes', '--json', '--keep-going');
    assert.equal(continued.code, 1);
    assert.match(continued.stderr, /! bad\.endpoint\.yaml:2:7: /);
    assert.deepEqual([resultsIn(continued.stdout), await names()], [['a created accepted'], ['a']]);
  });

  it('ends with 1 and the log of a worker that crashes, and takes the creation back if it is asked to', async () => {
    await world.write({ 'a.endpoint.json': manifest('a', crashing) });
    const kept = await deploy('--yes');
    assert.equal(kept.code, 1);
    assert.match(kept.stderr, /“a” is created: no worker can run\. [^]*\n {2}no model file\n/);
    assert.deepEqual(await names(), ['a']);
    await world.write({ 'a.endpoint.json': manifest('b', crashing) });
    const reverted = await deploy('--yes', '--rollback-on-failure');
    assert.equal(reverted.code, 1);
    assert.match(reverted.stderr, /“b” was deleted again\n/);
    assert.deepEqual(await names(), ['a']);
  });

  it('runs the job of x-verify, and ends with 1 and what differs if it does not meet its expectations', async () => {
    const verified = (expected: unknown, timeout = 300_000) => ({
      ...manifest('a', { workers: { min: 0, max: 1 }, timeout }),
      'x-verify': { input: { do: 'echo', value: 1 }, expect: { output: expected } },
    });
    await world.write({ 'a.endpoint.json': verified(1) });
    const asked = world.start(['deploy', world.folder]);
    assert.match((await asked.exit).stderr, /runs the job of x-verify\n/);
    const passed = await deploy('--yes', '--json');
    assert.deepEqual([passed.code, resultsIn(passed.stdout)], [0, ['a created passed']]);
    await world.write({ 'a.endpoint.json': verified(2, 60_000) });
    const failed = await deploy('--yes', '--json', '--rollback-on-failure');
    assert.deepEqual([failed.code, resultsIn(failed.stdout)], [1, ['a updated unmet']]);
    assert.match(failed.stderr, /“a”: Waiting for the job of x-verify\n/);
    assert.match(
      failed.stderr,
      /the job of x-verify did not meet its expectations\. \$\.output: expected 2, but it is 1\n/,
    );
    assert.match(failed.stderr, /“a” has its earlier settings again\n/);
    assert.equal((await endpoints())[0]?.timeout, 300_000);
    const [result] = (JSON.parse(failed.stdout) as Report).results;
    assert.deepEqual((result?.verification as { readonly differences?: unknown }).differences, [
      { path: '$.output', message: 'expected 2, but it is 1' },
    ]);
  });

  it('does not wait with a time of 0', async () => {
    await world.write({ 'a.endpoint.json': manifest('a', crashing) });
    const { code, stderr } = await deploy('--yes', '--verify-timeout', '0');
    assert.equal(code, 0);
    assert.match(stderr, /“a” is created: not verified\n$/);
  });

  it('ends with 130 after SIGINT, and names what was not verified', async () => {
    await world.write({ 'a.endpoint.json': manifest('a', idling), 'b.endpoint.json': manifest('b') });
    const { child, exit, told } = world.start(['deploy', world.folder, '--yes', '--json']);
    await told('“a”: ');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await exit;
    assert.equal(code, 130);
    assert.match(stderr, /“a” is created: not verified, because of the interruption\n/);
    assert.equal(resultsIn(stdout)[0], 'a created interrupted');
    assert.deepEqual(await names(), ['a', 'b']);
  });

  it('completes a request in progress after SIGINT, and names what was not sent', async () => {
    const interrupted = Promise.withResolvers<void>();
    const names = ['a', 'b', 'c', 'd', 'e'];
    let requests = 0;
    const proxy = await proxyOf(api.addresses, async ({ method, forward }) => {
      if (method === 'POST' && ++requests === 4) {
        child.kill('SIGINT');
        interrupted.resolve();
      }
      if (method === 'POST') await interrupted.promise;
      return forward();
    });
    world.useHosted(proxy);
    await world.write(Object.fromEntries(names.map((name) => [`${name}.endpoint.json`, manifest(name)])));
    const { child, exit } = world.start(['deploy', world.folder, '--yes']);
    const { code, stderr } = await exit;
    assert.equal(code, 130, stderr);
    for (const name of names.slice(0, 4)) assert.match(stderr, new RegExp(`“${name}” is created: not verified`));
    assert.match(stderr, /“e” was not sent, because of the interruption\n/);
    assert.equal((await endpoints()).length, 4);
  });

  describe('with secrets', () => {
    const SECRETS = { DEPLOY_TEST_TOKEN: 'correct horse battery staple', DEPLOY_TEST_PIN: '7' };
    const env = { TOKEN: '${secret:DEPLOY_TEST_TOKEN}', PIN: '${secret:DEPLOY_TEST_PIN}' };
    const LEAK = /horse battery/;

    beforeEach(() => Object.assign(world.env, SECRETS));

    it('never prints them or the key, also if the platform repeats them in an error', async () => {
      await world.write({ 'a.endpoint.json': manifest('a', { env }) });
      const { apiKey } = api.addresses;
      const proxy = await proxyOf(api.addresses, ({ method, body, forward }) => {
        if (method !== 'POST') return forward();
        assert.match(body, LEAK);
        const errors = [`$.env.TOKEN: ${SECRETS.DEPLOY_TEST_TOKEN}`];
        const problem = { title: `Bad ${body}`, status: 400, detail: `the key ${apiKey} sent ${body}`, errors };
        return Promise.resolve(
          Response.json(problem, { status: 400, headers: { 'content-type': 'application/problem+json' } }),
        );
      });
      world.useHosted(proxy);
      for (const flags of [[], ['--json']]) {
        const { code, stdout, stderr } = await deploy('--yes', ...flags);
        assert.equal(code, 1);
        assert.match(stderr, /could not create “a”/);
        assert.doesNotMatch(stdout + stderr, LEAK);
        assert.ok(!(stdout + stderr).includes(apiKey));
        if (flags.length > 0) assert.deepEqual(resultsIn(stdout), ['a failed']);
      }
    });

    it('never prints them or the key if the platform repeats them in the error of a plan', async () => {
      await world.write({ 'a.endpoint.json': manifest('a', { env }) });
      const { apiKey } = api.addresses;
      let hasCreated = false;
      const proxy = await proxyOf(api.addresses, ({ method, path: url, forward }) => {
        hasCreated ||= method === 'POST';
        const detail = `${apiKey} ${SECRETS.DEPLOY_TEST_TOKEN}`;
        const isRefused = url.startsWith('/v2/serverless') && method === 'GET' && hasCreated;
        return isRefused ? Promise.resolve(Response.json({ title: detail, detail }, { status: 403 })) : forward();
      });
      world.useHosted(proxy);
      const { code, stdout, stderr } = await deploy('--yes', '--json');
      assert.equal(code, 1);
      assert.deepEqual(resultsIn(stdout), ['a created unread']);
      const plan = await world.run(['plan', world.folder]);
      assert.equal(plan.code, 1);
      for (const text of [stdout, stderr, plan.stdout, plan.stderr]) {
        assert.doesNotMatch(text, LEAK);
        assert.ok(!text.includes(apiKey));
      }
    });

    it('never prints them if a worker writes them into its log before it crashes', async () => {
      const cmd = [process.execPath, '-e', 'console.error("token", process.env.TOKEN); process.exit(3)'];
      await world.write({ 'a.endpoint.json': manifest('a', { ...running, cmd, env }) });
      const { code, stdout, stderr } = await deploy('--yes', '--json');
      assert.equal(code, 1);
      const [result] = (JSON.parse(stdout) as Report).results;
      assert.ok(
        result?.verification?.evidence?.some((line) => line.startsWith('token')),
        stdout,
      );
      assert.doesNotMatch(stdout + stderr, LEAK);
      const [endpoint] = await endpoints();
      assert.deepEqual(endpoint?.env, { TOKEN: SECRETS.DEPLOY_TEST_TOKEN, PIN: '7' });
    });
  });

  it('leaves one endpoint of each file with the right settings if it is killed around any change and runs again', async () => {
    await world.write({ 'a.endpoint.json': manifest('a', { timeout: 60_000 }), 'b.endpoint.json': manifest('b') });
    // The first request, and each one that changes something or follows a change. Any other one finds the same state as the one before it.
    let points = 0;
    let last = 'none';
    let killed: { readonly at: number; readonly kill: () => void } | undefined;
    const proxy = await proxyOf(api.addresses, async ({ method, forward }) => {
      const isNow = (method !== 'GET' || last !== 'GET') && ++points === killed?.at;
      last = method;
      // A creation completes after the kill, which is the worst case.
      if (isNow) killed?.kill();
      if (isNow && method === 'GET') return undefined;
      return forward();
    });
    world.useHosted(proxy);
    for (let at = 1; ; at++) {
      for (const { id } of await endpoints()) await api.call(operations.deleteEndpoint, { parameters: { id } });
      const { id } = await api.createEndpoint(manifest('b', { timeout: 90_000 }));
      [points, last] = [0, 'none'];
      const { child, exit } = world.start(['deploy', world.folder, '--yes']);
      killed = { at, kill: () => child.kill('SIGKILL') };
      const { code } = await exit;
      const isComplete = code === 0;
      assert.ok(isComplete || code === null, `point ${at}: exit code ${code}`);
      killed = undefined;
      assert.equal((await deploy('--yes')).code, 0, `point ${at}`);
      const found = (await endpoints()).map(({ name, timeout }) => `${name} ${timeout}`).sort();
      assert.deepEqual(found, ['a 60000', 'b 300000'], `point ${at}`);
      assert.ok((await endpoints()).some((endpoint) => endpoint.id === id));
      if (isComplete) {
        assert.ok(at > 4, `only ${at} points`);
        return;
      }
    }
  });
});

describe('The command deploy on the local platform', () => {
  afterEach(cleanUp);

  it('runs x-local, and the command rollback returns to the release before', async () => {
    const world = await CliWorld.create();
    const data = path.join(path.dirname(world.folder), 'data');
    const daemon = spawn(process.execPath, [PLATFORM_PROGRAM, '--port', '0', '--data-dir', data, '--json'], {
      env: world.env,
    });
    afterwards(async () => {
      daemon.kill('SIGTERM');
      if (daemon.exitCode === null) await once(daemon, 'exit');
    });
    await once(createInterface({ input: daemon.stdout }), 'line');
    const local = ['--connection', 'local', '--data-dir', data];
    const withLocal = (changes: object) => {
      const { image: _image, cmd: _cmd, ...others } = manifest('a', { ...running, ...changes });
      return { ...others, 'x-local': { directory: fixtures, command: [process.execPath, 'worker.mjs'] } };
    };
    await world.write({ 'a.endpoint.json': withLocal({ env: { OLD: '1' } }) });
    const created = await world.run(['deploy', world.folder, '--yes', ...local]);
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stderr, /“a” is created: 1 worker is up\n$/);

    const first = await world.run(['rollback', 'a', '--yes', ...local]);
    assert.deepEqual(
      [first.code, first.stderr],
      [1, '“a” has no release before its present settings; --to names one\n'],
    );
    await world.write({ 'a.endpoint.json': withLocal({ env: { NEW: '2' }, timeout: 60_000 }) });
    assert.equal((await world.run(['deploy', world.folder, '--yes', ...local])).code, 0);
    const asked = await world.run(['rollback', 'a', ...local]);
    assert.equal(asked.code, 1);
    assert.match(asked.stderr, /--yes is required, because there is no terminal to ask on\n$/);
    const back = await world.run(['rollback', 'a', '--yes', ...local]);
    assert.equal(back.code, 0, back.stderr);
    assert.match(back.stderr, /^Roll back “a” to version 1:\n {2}env: remove NEW\n {2}timeout: 60000 → 300000\n/m);
    assert.match(back.stderr, / {2}! env\.OLD is not restored, because the platform hides its earlier value\n/);
    assert.match(back.stderr, /“a” is rolled back: 1 worker is up\n$/);
    const plan = await world.run(['plan', world.folder, '--json', ...local]);
    assert.equal(plan.code, 2);
    const unknown = await world.run(['rollback', 'a', '--yes', '--to', '9', ...local]);
    assert.deepEqual([unknown.code, unknown.stderr], [1, '“a” has no such release; its versions are 3, 2, 1\n']);
    assert.equal((await world.run(['rollback', 'none', '--yes', ...local])).code, 1);
  });
});
