import assert from 'node:assert/strict';
import path from 'node:path';
import { AlertNotice } from '../../src/contract/alerts.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { cleanUp, dataDirectory, eventually, type Api } from '../platform/support.ts';
import { receiver } from '../platform/webhookReceiver.ts';
import { CliWorld, manifest, proxyOf } from './cliWorld.ts';

describe('watch', () => {
  let api: Api;
  let endpoint: Endpoint;
  let world: CliWorld;

  beforeEach(async () => {
    ({ world, api } = await CliWorld.onPlatform({ dataDir: await dataDirectory() }));
    endpoint = await api.createEndpoint({ name: 'echo', workers: { min: 1, max: 1 } });
    await world.write({ 'echo.endpoint.json': { ...manifest('echo'), 'x-alerts': { failuresInARow: 2 } } });
  });
  afterEach(cleanUp);

  const fail = async () => {
    for (let index = 0; index < 2; index++) await api.runSync(endpoint, { do: 'fail' });
    await api.call(controlOperations.setClock, { body: { advanceMs: 10_000 } });
  };
  const work = async () => {
    await api.runSync(endpoint, { do: 'echo', value: 1 });
    await api.call(controlOperations.setClock, { body: { advanceMs: 10_000 } });
  };
  const watch = (...args: string[]) => world.start(['watch', world.folder, '--interval', '5', ...args]);

  it('posts each notice until the webhook accepts it, and never shows its secret', async () => {
    const { calls, url } = await receiver((response) => void response.writeHead(calls.length === 1 ? 503 : 204).end());
    const watching = watch('--webhook', `${url}/hook?token=s3cret`, '--json');
    await watching.told('watching 1 manifest');
    await fail();
    await watching.printed('"fired"');
    await eventually('the notice is accepted', () => calls.length === 2);
    await work();
    await eventually('the end is told', () => calls.length === 3);
    watching.child.kill('SIGINT');
    const { code, stdout, stderr } = await watching.exit;
    assert.equal(code, 130);
    const [first, second, third] = calls.map(({ body }) => AlertNotice.parse(body));
    assert.deepEqual(first, second);
    assert.deepEqual([first?.event, third?.event], ['fired', 'resolved']);
    assert.deepEqual([first?.condition, first?.endpointId, first?.bound], ['failuresInARow', endpoint.id, 2]);
    assert.equal(first?.message, '“echo” failed 2 times in a row.');
    assert.equal(calls[0]?.path, '/hook?token=s3cret');
    const lines = stdout.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => AlertNotice.parse(JSON.parse(line))),
      [first, third],
    );
    assert.match(stderr, new RegExp(`${url} returned status 503; trying again`));
    assert.doesNotMatch(stdout + stderr, /s3cret|hook/);
  });

  it('prints lines, and continues after the platform could not be reached', async () => {
    let isDown = false;
    const proxy = await proxyOf(api.addresses, async ({ forward }) => (isDown ? undefined : forward()));
    world.useHosted(proxy);
    const watching = watch();
    await watching.told('watching 1 manifest');
    isDown = true;
    await watching.told('reach');
    isDown = false;
    await fail();
    await watching.printed('fired failuresInARow: “echo” failed 2 times in a row.');
    await work();
    await watching.printed('resolved failuresInARow: “echo” works again.');
    watching.child.kill('SIGINT');
    assert.equal((await watching.exit).code, 130);
  });

  it('with --once ends with 1 while a condition holds, and otherwise with 0', async () => {
    assert.equal((await watch('--once').exit).code, 0);
    await fail();
    const { code, stdout } = await watch('--once').exit;
    assert.equal(code, 1);
    assert.match(stdout, /fired failuresInARow/);
    await work();
    assert.equal((await watch('--once').exit).code, 0);
  });

  it('says what a platform does not measure, and with --once ends with 2', async () => {
    const proxy = await proxyOf(api.addresses, async ({ path: asked, forward }) =>
      asked.includes('/control/') ? Response.json({}, { status: 404 }) : forward(),
    );
    world.useHosted(proxy);
    await world.write({ 'echo.endpoint.json': { ...manifest('echo'), 'x-alerts': { p99: { over: 2 } } } });
    const { code, stderr } = await watch('--once').exit;
    assert.equal(code, 2);
    assert.match(stderr, /echo: \S+ does not measure p99/);
  });

  it('refuses manifests with errors, without conditions, and a webhook that is no address', async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await watch('--once', ...args).exit;
      return [code, stderr.trim()];
    };
    const [code, words] = await refused('--webhook', 'ftp://s3cret.example.com');
    assert.equal(code, 64);
    assert.doesNotMatch(String(words), /s3cret/);
    await world.write({ 'echo.endpoint.json': { ...manifest('echo'), 'x-alerts': { failuresInARow: 0 } } });
    assert.match((await refused()).join(), /^1,.*echo\.endpoint\.json has an error/);
    await world.write({ 'echo.endpoint.json': manifest('echo') });
    assert.deepEqual(await refused(), [1, 'no manifest has x-alerts']);
    assert.equal((await world.run(['watch', path.join(world.folder, 'gone.endpoint.yaml'), '--once'])).code, 1);
  });
});
