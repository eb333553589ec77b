import assert from 'node:assert/strict';
import { cleanUp, endpointBody } from '../platform/support.ts';
import { toolWorld } from './world.ts';

describe('The tools of agents with environments', () => {
  let world: Awaited<ReturnType<typeof toolWorld>>;

  beforeEach(async () => {
    world = await toolWorld();
    await world.write('hello.endpoint.json', {
      ...endpointBody({ name: 'hello', workers: { min: 0, max: 0 } }),
      'x-environments': {
        staging: { connection: 'local', patch: { name: 'hello-staging' } },
        production: {},
        elsewhere: {
          connection: 'api.example.com',
          patch: { env: { HF_TOKEN: 'hf_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789' } },
        },
      },
    });
  });
  afterEach(cleanUp);

  const deploy = (environment?: string) =>
    world.call('deploy_endpoint', { action: 'create', file: 'hello.endpoint.json', environment });
  const names = async () => (await world.client.listEndpoints({})).endpoints.map(({ name }) => name);

  it('deploy a manifest as the environment has it, and name the environment in the question', async () => {
    const { created } = await deploy('staging');
    assert.equal((created as { readonly name: string }).name, 'hello-staging');
    await deploy('production');
    assert.deepEqual((await names()).sort(), ['hello', 'hello-staging']);
    const [staging, production] = world.asked;
    assert.match(staging?.detail ?? '', /^Environment: staging$/m);
    assert.match(production?.detail ?? '', /^Environment: production, which is PRODUCTION$/m);
    assert.deepEqual([staging?.needsPerson, production?.needsPerson], [undefined, true]);
  });

  it('need the choice of an environment that the manifest has', async () => {
    for (const environment of [undefined, 'stagin']) {
      const { error } = await deploy(environment);
      assert.equal(error?.code, 'invalidInput');
      assert.match(error.message, /choose one of staging, production, elsewhere/);
    }
    const plain = { action: 'create', text: JSON.stringify(endpointBody()), environment: 'staging' };
    assert.match((await world.call('deploy_endpoint', plain)).error?.message ?? '', /has no x-environments/);
    assert.deepEqual(await names(), []);
  });

  it('refuse an environment of another connection', async () => {
    const { error } = await deploy('elsewhere');
    assert.equal(error?.code, 'notPossible');
    assert.match(error.message, /is for the connection api\.example\.com, and the current one is Test/);
  });

  it('list the environments of a manifest, and keep the keys in their patches out of the result', async () => {
    const result = await world.call('validate_manifest', { file: 'hello.endpoint.json' });
    const [endpoint] = result['endpoints'] as readonly { readonly environments: readonly object[] }[];
    assert.deepEqual(endpoint?.environments[0], { name: 'staging', connection: 'local', production: false });
    assert.doesNotMatch(JSON.stringify(result), /hf_AbC/);
    assert.match(JSON.stringify(result['problems']), /elsewhere: /);
  });
});
