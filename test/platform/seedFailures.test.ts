import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { failWrite } from './failingWrites.ts';
import { cleanUp, endpointBody, platformForTest, type Api } from './support.ts';

const MOST_WRITES = 200;

const body = {
  templates: [{ name: 't', image: 'i', serverless: true }],
  registries: [{ name: 'r', username: 'u', password: 'p' }],
  networkVolumes: [{ name: 'v', size: 10, dataCenter: 'EU-RO-1' }],
  endpoints: [{ ...endpointBody({ workers: { min: 0, max: 0 } }), id: 'seeded' }],
  users: [{ name: 'user' }],
  teams: [{ name: 'team', memberIds: ['user'] }],
  keys: [{ name: 'key', accountId: 'user' }],
  jobs: [{ endpoint: 'seeded', status: 'COMPLETED', output: 1 }],
  usage: [{ kind: 'podGpu', resource: 'p', usd: 1, at: '-3h', until: '-1h' }],
};

describe('Platform: a seed of which a write fails', () => {
  afterEach(cleanUp);

  /** Everything that a seed adds to. */
  async function contents(api: Api) {
    const accounts = await api.fetch(controlOperations.listAccounts);
    const keys = await api.fetch(controlOperations.listApiKeys);
    return {
      endpoints: (await api.call(operations.listEndpoints)).endpoints.length,
      templates: (await api.call(operations.listTemplates)).templates.length,
      registries: (await api.call(operations.listRegistries)).registries.length,
      volumes: (await api.call(operations.listNetworkVolumes)).networkVolumes.length,
      billed: (await api.call(operations.listBilling)).metadata.totals.totalAmount,
      accounts: await accounts.json(),
      keys: await keys.json(),
    };
  }

  it('adds nothing, whichever write it is, and can be repeated', async () => {
    let writes = 0;
    for (;;) {
      const { platform, api } = await platformForTest();
      const before = await contents(api);
      const failing = failWrite(writes + 1);
      const response = await api.fetch(controlOperations.seed, { body });
      failing.restore();
      const failed = failing.failed();
      if (failed && !response.ok) {
        assert.equal(response.status, 507);
        assert.deepEqual(await contents(api), before, `after a failure of write ${writes + 1}`);
        const repeated = await api.fetch(controlOperations.seed, { body });
        assert.equal(repeated.status, controlOperations.seed.success.status, await repeated.text());
      }
      await platform.close();
      if (!failed) break;
      writes++;
      assert.ok(writes < MOST_WRITES);
    }
    assert.ok(writes > 10, `${writes} writes were made to fail`);
  });
});
