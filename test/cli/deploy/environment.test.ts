import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeploymentWanted } from '../../../src/cli/deploy/chosenEnvironment.ts';
import { rollbackCommand } from '../../../src/cli/deploy/rollbackCommand.ts';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, type Api } from '../../platform/support.ts';
import { CliWorld, manifest } from '../cliWorld.ts';

interface Report {
  readonly environment?: string;
  readonly production?: boolean;
  readonly steps: readonly { readonly action: string; readonly name: string }[];
  readonly problems: readonly { readonly code: string; readonly file: string }[];
  readonly unmanaged: readonly { readonly name: string }[];
}

describe('The option --environment', () => {
  let world: CliWorld;
  let api: Api;
  let host: string;

  beforeEach(async () => {
    ({ world, api } = await CliWorld.onPlatform());
    ({ host } = new URL(api.addresses.baseUrl));
    await world.write({
      'hello.endpoint.json': {
        ...manifest('hello'),
        'x-environments': {
          staging: { connection: host, patch: { name: 'hello-staging', timeout: 60_000 } },
          production: { connection: host },
        },
      },
      'plain.endpoint.json': manifest('plain'),
    });
  });
  afterEach(cleanUp);

  const run = (command: string, ...args: string[]) => world.run([command, world.folder, ...args]);
  const report = (stdout: string) => JSON.parse(stdout) as Report;
  const endpoints = async () =>
    Object.fromEntries((await api.call(operations.listEndpoints)).endpoints.map((one) => [one.name, one.timeout]));

  it('deploys the manifests as the environment has them, and those without environments as they are', async () => {
    const { code, stdout } = await run('deploy', '--environment', 'staging', '--yes', '--json');
    assert.equal(code, 0);
    const { environment, production } = report(stdout);
    assert.deepEqual([environment, production], ['staging', false]);
    assert.deepEqual(await endpoints(), { 'hello-staging': 60_000, plain: 300_000 });
    const after = await run('plan', '--environment', 'production', '--json');
    assert.equal(after.code, 2);
    const { steps, unmanaged, ...plan } = report(after.stdout);
    assert.deepEqual([plan.environment, plan.production], ['production', true]);
    assert.deepEqual(
      steps.map(({ action, name }) => `${action} ${name}`),
      ['create hello', 'unchanged plain'],
    );
    assert.deepEqual(unmanaged, [], 'the endpoint of another environment belongs to a file');
  });

  it('is required if a manifest has environments', async () => {
    const { code, stdout, stderr } = await run('plan');
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(stdout, /! hello\.endpoint\.json: The manifest has environments \(staging, production\)/);
  });

  it('names the environments that exist if it is unknown', async () => {
    for (const command of ['plan', 'deploy', 'build']) {
      const { code, stderr } = await run(command, '--environment', 'stagin');
      assert.equal(code, 1, command);
      assert.match(stderr, /has the environment stagin; choose one of staging, production\n$/);
    }
    const plain = path.join(world.folder, 'plain');
    await world.write({ 'plain/plain.endpoint.json': manifest('plain') });
    const { stderr } = await world.run(['plan', plain, '--environment', 'staging']);
    assert.match(stderr, /none has x-environments; leave out --environment\n$/);
  });

  it('blocks a manifest with other environments, and names it', async () => {
    await world.write({ 'eu.endpoint.json': { ...manifest('eu'), 'x-environments': { eu: {} } } });
    const { code, stdout } = await run('plan', '--environment', 'staging', '--json');
    assert.equal(code, 1);
    const { problems, steps } = report(stdout);
    assert.deepEqual(
      problems.map(({ file, code: reason }) => [file, reason]),
      [['eu.endpoint.json', 'environment']],
    );
    assert.equal(steps.length, 2);
  });

  it('does not report the errors of other environments', async () => {
    const environments = { staging: {}, production: { patch: { timeout: 'soon' } } };
    await world.write({ 'plain.endpoint.json': { ...manifest('plain'), 'x-environments': environments } });
    assert.equal((await run('plan', '--environment', 'staging')).code, 2);
    const { code, stdout } = await run('plan', '--environment', 'production');
    assert.equal(code, 1);
    assert.match(stdout, /plain\.endpoint\.json:1:\d+: production: timeout: expected number/);
  });

  it('shows production in capitals, and asks for nothing without a terminal', async () => {
    const { code, stderr } = await run('deploy', '--environment', 'production');
    assert.equal(code, 1);
    assert.match(stderr, /^Plan for PRODUCTION \(environment production\) on 127/);
    assert.match(stderr, /--yes is required, because there is no terminal to ask on\n$/);
    assert.deepEqual(await endpoints(), {});
    assert.equal((await run('deploy', '--environment', 'production', '--yes')).code, 0);
    assert.deepEqual(await endpoints(), { hello: 300_000, plain: 300_000 });
  });

  it('refuses another platform than that of the environment', async () => {
    const environments = { production: { connection: 'api.example.com' } };
    await world.write({ 'hello.endpoint.json': { ...manifest('hello'), 'x-environments': environments } });
    const { code, stderr } = await run('deploy', '--environment', 'production', '--yes');
    assert.equal(code, 1);
    assert.match(stderr, /production is for the connection api\.example\.com, and not for 127\.0\.0\.1:\d+/);
    world.env = Object.fromEntries(Object.entries(world.env).filter(([name]) => !name.startsWith('CLOUD_COMPUTE')));
    const without = await run('plan', '--environment', 'production');
    assert.equal(without.code, 1);
    assert.match(without.stderr, /there is no login for it; sign in with "cloud-compute login"\n$/);
  });

  it('refuses an environment for which manifests name several connections', async () => {
    const other = { production: { connection: 'local' } };
    await world.write({ 'plain.endpoint.json': { ...manifest('plain'), 'x-environments': other } });
    const { code, stderr } = await run('plan', '--environment', 'production');
    assert.equal(code, 1);
    assert.match(stderr, /several connections for production: 127\.0\.0\.1:\d+, local\n$/);
  });

  it('builds only the manifests that have the environment', async () => {
    const file = path.join(world.folder, 'hello.endpoint.json');
    const before = await readFile(file, 'utf8');
    await world.write({ 'eu.endpoint.json': { ...manifest('eu'), 'x-environments': { eu: {} } } });
    const { code, stderr } = await run('build', '--environment', 'staging');
    assert.equal(code, 1);
    assert.match(stderr, /^eu\.endpoint\.json: The manifest has no environment staging\. It has eu\.\n$/);
    assert.equal(await readFile(file, 'utf8'), before);
  });
});

describe('The command check', () => {
  afterEach(cleanUp);

  it('checks the manifests in all environments, or only in the one of --environment', async () => {
    const world = await CliWorld.create();
    const image = { image: 'registry.example.com/hello:1', cmd: undefined };
    await world.write({
      'hello.endpoint.json': {
        ...manifest('hello', image),
        'x-environments': { staging: { patch: { timeout: 'soon' } }, production: {} },
      },
      'plain.endpoint.json': manifest('plain', image),
    });
    const check = (...args: string[]) => world.run(['check', world.folder, ...args]);
    for (const all of [await check(), await check('--environment', 'staging')]) {
      assert.equal(all.code, 1);
      assert.match(all.stdout, /^hello\.endpoint\.json:1:\d+: (?:staging: )?timeout: .*\n$/);
    }
    const production = await check('--environment', 'production');
    assert.deepEqual([production.code, production.stdout], [0, '']);
    await world.write({
      'plain.endpoint.json': { ...manifest('plain', image), 'x-environments': { eu: { production: true } } },
    });
    const other = await check('--environment', 'production');
    assert.equal(other.code, 1);
    assert.match(other.stdout, /^plain\.endpoint\.json:1:1: .*environment/);
    const unknown = await check('--environment', 'none');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /has the environment none; choose one of staging, production, eu\n$/);
  });
});

describe('The command rollback in production', () => {
  afterEach(cleanUp);

  it('asks for the name of the environment, which the manifest or the journal names', async () => {
    const { world, api } = await CliWorld.onPlatform();
    const { host } = new URL(api.addresses.baseUrl);
    const hello = (timeout: number) => ({
      ...manifest('hello', { timeout }),
      'x-environments': { eu: { connection: host, production: true } },
    });
    for (const timeout of [60_000, 90_000]) {
      await world.write({ 'hello.endpoint.json': hello(timeout) });
      const deployed = await world.run(['deploy', world.folder, '--environment', 'eu', '--yes']);
      assert.equal(deployed.code, 0, deployed.stderr);
    }
    const timeout = async () => (await api.call(operations.listEndpoints)).endpoints[0]?.timeout;
    const questions: string[] = [];
    const rollBack = (answer: string) =>
      rollbackCommand(
        { endpoint: 'hello', folder: world.folder, dataDir: world.folder, verifyTimeout: 0 },
        {
          ...{
            platformScript: '',
            simulationScript: '',
            extensionFolder: '',
            version: '0.0.0',
            environment: world.env,
          },
          ...{ write: () => undefined, tell: () => undefined, show: undefined },
          ...{ signal: new AbortController().signal, secondSignal: new AbortController().signal },
          ask: (question) => {
            questions.push(question);
            return Promise.resolve(answer);
          },
        },
      );
    assert.equal(await rollBack('yes'), 1);
    assert.deepEqual(questions, ['Roll back “hello”? This is PRODUCTION. Type eu to roll back: ']);
    assert.equal(await timeout(), 90_000);
    await rm(path.join(world.folder, 'hello.endpoint.json'));
    await world.write({ 'other.endpoint.json': { ...hello(1_000), name: 'other' } });
    assert.equal(await rollBack('eu'), 0);
    assert.equal(questions[1], questions[0]);
    assert.equal(await timeout(), 60_000);
    const yes = await world.run(['rollback', 'hello', '--to', '2', '--folder', world.folder, '--yes']);
    assert.equal(yes.code, 0, yes.stderr);
    assert.equal(await timeout(), 90_000);
  });
});

describe('The question before a deployment', () => {
  const wanted = async (answer: string, environment?: { readonly name: string; readonly production: boolean }) => {
    const questions: string[] = [];
    const ask = (question: string) => {
      questions.push(question);
      return Promise.resolve(answer);
    };
    return { isWanted: await isDeploymentWanted('Deploy 1 endpoint?', environment, { ask }), questions };
  };

  it('takes only the name of the environment in production', async () => {
    const eu = { name: 'eu', production: true };
    const { isWanted, questions } = await wanted('eu', eu);
    assert.equal(isWanted, true);
    assert.deepEqual(questions, ['Deploy 1 endpoint? This is PRODUCTION. Type eu to deploy: ']);
    for (const answer of ['y', 'yes', '', 'EU', 'production']) assert.equal((await wanted(answer, eu)).isWanted, false);
  });

  it('takes yes elsewhere', async () => {
    assert.equal((await wanted('y', { name: 'staging', production: false })).isWanted, true);
    assert.equal((await wanted('yes')).isWanted, true);
    assert.equal((await wanted('staging', { name: 'staging', production: false })).isWanted, false);
  });
});
