import assert from 'node:assert/strict';
import path from 'node:path';
import { overrideGate } from '../../src/features/manifest/gate/actions/gateVerdicts.ts';
import { cleanUp, endpointBody } from '../platform/support.ts';
import { toolWorld } from './world.ts';

describe('The tool deploy_endpoint with x-gate', () => {
  afterEach(cleanUp);

  const gated = { ...endpointBody({ name: 'gated', workers: { min: 0, max: 0 } }), 'x-gate': { require: true } };
  const FILE = 'gated.endpoint.json';

  it('refuses content whose gate has not passed, before it asks, and deploys it afterwards', async () => {
    const { write, call, asked, client, folder } = await toolWorld({ isHosted: true });
    await write(FILE, gated);
    const deploy = () => call('deploy_endpoint', { action: 'create', file: FILE });
    const { error } = await deploy();
    assert.equal(error?.code, 'gateRequired');
    assert.match(error.remedy, /cloud-compute gate/);
    assert.deepEqual([asked, (await client.listEndpoints({})).endpoints], [[], []]);

    await overrideGate({ manifest: path.join(folder, FILE), value: gated }, 'a reason', 0);
    assert.equal((await deploy()).error, undefined);
    await write(FILE, { ...gated, timeout: 1_234 });
    const changed = await call('deploy_endpoint', { action: 'update', file: FILE, endpoint: 'gated' });
    assert.equal(changed.error?.code, 'gateRequired');
  });

  it('refuses a text without a file, which has no verdict, and needs no gate on the local platform', async () => {
    const input = { action: 'create', text: JSON.stringify(gated) };
    const hosted = await toolWorld({ isHosted: true });
    assert.equal((await hosted.call('deploy_endpoint', input)).error?.code, 'gateRequired');
    const local = await toolWorld();
    assert.equal((await local.call('deploy_endpoint', input)).error, undefined);
  });
});
