import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import type { Client } from '../../../../src/client/client.ts';
import type { Endpoint, UpdateEndpointBody } from '../../../../src/contract/endpoint.ts';
import {
  planRollback,
  revertStep,
  sendRollback,
  type RollbackPlan,
} from '../../../../src/features/manifest/actions/rollBack.ts';
import type { UpdateStep } from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { manifestOf } from '../../../../src/features/manifest/model/deployment/endpointManifest.ts';
import { cleanUp } from '../../../platform/support.ts';
import { createPaused } from '../../storeOnPlatform.ts';
import { clientThrough } from './deploying.ts';
import { Deployment } from './deployment.ts';

const { signal } = new AbortController();

describe('A rollback of an endpoint', () => {
  let deployment: Deployment;
  let client: Client;
  let endpoint: Endpoint;

  beforeEach(async () => {
    deployment = await Deployment.start();
    ({ client } = deployment);
    endpoint = await createPaused(client, 'a', { env: { TOKEN: 'a very secret value' } });
  });
  afterEach(cleanUp);

  const update = (body: UpdateEndpointBody) => client.updateEndpoint({ id: endpoint.id, body });
  const plan = async (version?: number) => planRollback(client, endpoint.id, version, signal);
  async function ready(version?: number): Promise<Extract<RollbackPlan, { kind: 'ready' }>> {
    const planned = await plan(version);
    return planned.kind === 'ready' ? planned : assert.fail(planned.kind);
  }

  it('needs an earlier release', async () => {
    assert.deepEqual(await plan(), { kind: 'noEarlierRelease' });
    await update({ timeout: 1_000 });
    assert.deepEqual(await plan(3), { kind: 'noSuchRelease', versions: [2, 1] });
    await assert.rejects(planRollback(client, 'none', undefined, signal), { kind: 'notFound' });
  });

  it('goes to the release before the newest one, or to a chosen one, and back', async () => {
    await update({ timeout: 1_000 });
    await update({ name: 'renamed', workers: { max: 1 } });
    const newest = manifestOf(await client.getEndpoint({ id: endpoint.id }));
    const back = await ready();
    assert.equal(back.rollback.version, 2);
    assert.equal((await sendRollback(deployment, back, signal))?.name, 'a');
    const first = await sendRollback(deployment, await ready(1), signal);
    assert.deepEqual(first, endpoint);
    const forward = await sendRollback(deployment, await ready(3), signal);
    assert.deepEqual(forward && manifestOf(forward), newest);
  });

  it('never goes to a release that was taken back', async () => {
    await update({ timeout: 1_000 });
    await update({ timeout: 2_000 });
    await update({ timeout: 1_000 });
    assert.equal((await ready()).rollback.version, 1);
    await update({ timeout: endpoint.timeout });
    assert.deepEqual(await plan(), { kind: 'noEarlierRelease' });
  });

  it('does nothing if the endpoint has the settings already, and names the hidden ones', async () => {
    await update({ env: { TOKEN: 'other' } });
    const planned = await plan();
    assert.ok(planned.kind === 'nothingToDo', planned.kind);
    assert.deepEqual(planned.rollback.lost, [{ field: 'env.TOKEN', reason: 'masked' }]);
  });

  it('is not sent if another person has changed the endpoint since the difference was shown', async () => {
    await update({ timeout: 1_000 });
    const shown = await ready();
    await update({ workers: { max: 1 } });
    assert.equal(await sendRollback(deployment, shown, signal), undefined);
    assert.equal((await client.getEndpoint({ id: endpoint.id })).timeout, 1_000);
  });

  it('does not repeat values of environment variables in an error', async () => {
    await update({ env: { TOKEN: 'a very secret value', NEW: '1' } });
    const refusing = clientThrough(deployment, (url, init) =>
      init?.method === 'PATCH'
        ? Promise.resolve(Response.json({ title: 'no', status: 422, detail: init.body as string }, { status: 422 }))
        : fetch(url, init),
    );
    await assert.rejects(
      sendRollback({ store: deployment.store, client: refusing }, await ready(), signal),
      (error) => {
        assert.ok(error instanceof ApiError);
        assert.match(error.message, /TOKEN/);
        assert.doesNotMatch(error.message, /very secret/);
        return true;
      },
    );
  });

  describe('that takes an update back', () => {
    const sent: UpdateEndpointBody[] = [];
    const store = {
      update: (_client: Client, _id: string, body: UpdateEndpointBody) => {
        sent.push(body);
        return Promise.resolve(endpoint);
      },
      delete: () => Promise.resolve(),
    };

    /** @param before variables as the platform showed them before the update, and `after` it */
    async function revert(before: Record<string, string>, after: Record<string, string>, body: UpdateEndpointBody) {
      sent.length = 0;
      const step = { kind: 'update', endpoint: { ...endpoint, env: before }, body } as UpdateStep;
      const now = { ...endpoint, timeout: 1, env: after };
      return revertStep({ client, store }, { outcome: 'updated', step, endpoint: now });
    }
    const masked = { field: 'env.HIDDEN', reason: 'masked' };

    it('keeps the new value of a variable whose earlier value is hidden, and restores the others', async () => {
      const env = { HIDDEN: 'new', SHOWN: '2', NEW: '3' };
      const lost = await revert({ HIDDEN: '********', SHOWN: '*' }, { ...env, HIDDEN: '********' }, { env });
      assert.deepEqual(sent, [{ env: { HIDDEN: 'new', SHOWN: '*' }, timeout: 300_000 }]);
      assert.deepEqual(lost, [masked]);
    });

    it('cannot return a hidden variable that the update removed', async () => {
      const lost = await revert({ HIDDEN: '********', SHOWN: '1' }, {}, { env: {} });
      assert.deepEqual(sent, [{ env: { SHOWN: '1' }, timeout: 300_000 }]);
      assert.deepEqual(lost, [masked]);
    });

    it('sends no variables if the update had none', async () => {
      const lost = await revert({ HIDDEN: '********' }, { HIDDEN: '********' }, { timeout: 1 });
      assert.deepEqual([sent, lost], [[{ timeout: 300_000 }], []]);
    });
  });
});
