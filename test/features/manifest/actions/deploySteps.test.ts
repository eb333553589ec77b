import assert from 'node:assert/strict';
import type { Client } from '../../../../src/client/client.ts';
import type { UpdateEndpointBody } from '../../../../src/contract/endpoint.ts';
import { isDeployed, type VerifiedStep } from '../../../../src/features/manifest/actions/deploySteps.ts';
import { deployingSteps } from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { manifestOf } from '../../../../src/features/manifest/model/deployment/endpointManifest.ts';
import { cleanUp } from '../../../platform/support.ts';
import { createPaused } from '../../storeOnPlatform.ts';
import { clientThrough, COMMANDS, deploy, methodOf, resultsOf, runningManifest } from './deploying.ts';
import { Deployment, filesOf, manifestText } from './deployment.ts';

describe('A deployment', () => {
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = await Deployment.start();
  });
  afterEach(cleanUp);

  const one = (name: string) => async () =>
    (await deployment.client.listEndpoints({})).endpoints.find((endpoint) => endpoint.name === name) ??
    assert.fail(`there is no endpoint ${name}`);
  const paused = filesOf({ a: manifestText('a') });
  const slower = filesOf({ a: manifestText('a', 'timeout: 60000') });
  const crashing = filesOf({ a: runningManifest('a', COMMANDS.crashes) });

  it('creates and updates endpoints, and verifies each of them', async () => {
    const files = { a: runningManifest('a', COMMANDS.works), b: manifestText('b') };
    const created = await deploy(deployment, filesOf(files));
    assert.deepEqual(resultsOf(created), ['a: created ready', 'b: created accepted']);
    const changed = { ...files, b: manifestText('b', 'timeout: 60000') };
    const updated = await deploy(deployment, filesOf(changed));
    assert.deepEqual(resultsOf(updated), ['b: updated accepted']);
    assert.ok([...created, ...updated].every(isDeployed));
  });

  it('of a crashing endpoint fails with the diagnosis, and does not stop the others', async () => {
    const files = filesOf({ a: runningManifest('a', COMMANDS.crashes), b: manifestText('b') });
    const results = await deploy(deployment, files);
    assert.deepEqual(resultsOf(results), ['a: created failed', 'b: created accepted']);
    assert.deepEqual(results.map(isDeployed), [false, true]);
    assert.deepEqual(await deployment.names(), ['a', 'b']);
  });

  it('does not watch endpoints without a time for it', async () => {
    const results = await deploy(deployment, crashing, { verifyMs: 0 });
    assert.deepEqual(resultsOf(results), ['a: created skipped']);
    assert.ok(results.every(isDeployed));
  });

  it('sends nothing if another person has changed the endpoint or the file since the plan', async () => {
    await deploy(deployment, paused);
    const chosen = deployingSteps(await deployment.plan(slower));
    const { id } = await one('a')();
    await deployment.client.updateEndpoint({ id, body: { timeout: 90_000 } });
    assert.deepEqual(resultsOf(await deploy(deployment, slower, { chosen })), ['a: changed']);
    assert.equal((await one('a')()).timeout, 90_000);
    const other = filesOf({ a: manifestText('a', 'timeout: 70000') });
    assert.deepEqual(resultsOf(await deploy(deployment, other, { chosen })), ['a: changed']);
    assert.equal((await one('a')()).timeout, 90_000);
  });

  it('names the settings that another person overwrites before the verification', async () => {
    await deploy(deployment, paused);
    const [result] = await deploy(deployment, slower, {
      deployed: async (_step, { id }) => {
        await deployment.client.updateEndpoint({ id, body: { timeout: 90_000 } });
      },
    });
    assert.ok(result?.outcome === 'differs', result?.outcome);
    assert.deepEqual(result.changes, [{ field: 'timeout', before: 90_000, after: 60_000 }]);
    assert.ok(!isDeployed(result));
  });

  it('notices that another client deletes an endpoint', async () => {
    const results = await deploy(deployment, paused, {
      deployed: async (_step, { id }) => {
        await deployment.client.deleteEndpoint({ id });
      },
    });
    assert.deepEqual(resultsOf(results), ['a: created gone']);
    assert.ok(!results.every(isDeployed));
  });

  describe('with a lost response', () => {
    /** Returns a client that loses the response to the first request with this method, or the request itself. */
    const losing = (method: string, lost: 'request' | 'response'): Client => {
      let isLost = false;
      return clientThrough(deployment, async (url, init) => {
        if (isLost || methodOf(init) !== method) return fetch(url, init);
        isLost = true;
        if (lost === 'response') await (await fetch(url, init)).text();
        throw new TypeError('the connection was reset');
      });
    };

    it('reports a creation that the platform has done, and creates no second endpoint', async () => {
      const results = await deploy(deployment, paused, { client: losing('POST', 'response') });
      assert.deepEqual(resultsOf(results), ['a: created accepted']);
      assert.deepEqual(await deployment.names(), ['a']);
    });

    it('reports an update that the platform has done', async () => {
      await deploy(deployment, paused);
      const results = await deploy(deployment, slower, { client: losing('PATCH', 'response') });
      assert.deepEqual(resultsOf(results), ['a: updated accepted']);
    });

    it('of a creation that the platform has not received is uncertain, and the next deployment creates one endpoint', async () => {
      const [result] = await deploy(deployment, paused, { client: losing('POST', 'request') });
      assert.ok(result?.outcome === 'failed' && result.uncertain);
      assert.deepEqual(await deployment.names(), []);
      assert.deepEqual(resultsOf(await deploy(deployment, paused)), ['a: created accepted']);
      assert.deepEqual(await deployment.names(), ['a']);
    });

    it('takes the creation back if its endpoint does not work', async () => {
      const client = losing('POST', 'response');
      const [result] = await deploy(deployment, crashing, { client, revertsFailures: true });
      assert.deepEqual((result as VerifiedStep).reverted, { lost: [] });
      assert.deepEqual(await deployment.names(), []);
    });
  });

  describe('at the same moment as others', () => {
    /** Returns clients whose creations wait for each other. */
    function simultaneous(count: number, { refusesDeletions = false } = {}): readonly Client[] {
      const all = Promise.withResolvers<void>();
      let arrived = 0;
      return Array.from({ length: count }, () =>
        clientThrough(deployment, async (url, init) => {
          if (methodOf(init) === 'DELETE' && refusesDeletions)
            return Response.json({ title: 'forbidden', status: 403 }, { status: 403 });
          if (methodOf(init) === 'POST' && ++arrived === count) all.resolve();
          if (methodOf(init) === 'POST') await all.promise;
          return fetch(url, init);
        }),
      );
    }

    it('leaves one endpoint, and tells all but one that they were overtaken', async () => {
      const deployments = simultaneous(3).map((client) => deploy(deployment, paused, { client }));
      const results = (await Promise.all(deployments)).flat();
      assert.deepEqual(resultsOf(results).toSorted(), ['a: created accepted', 'a: overtaken', 'a: overtaken']);
      assert.deepEqual(await deployment.names(), ['a']);
      const winner = results.find((result) => result.outcome === 'created') as VerifiedStep;
      assert.equal((await one('a')()).id, winner.endpoint.id);
      assert.equal(results.filter(isDeployed).length, 1);
    });

    it('names the endpoint that it could not take back', async () => {
      const clients = simultaneous(2, { refusesDeletions: true });
      const results = (await Promise.all(clients.map((client) => deploy(deployment, paused, { client })))).flat();
      const overtaken = results.find((result) => result.outcome === 'overtaken');
      assert.ok(overtaken && 'error' in overtaken);
      const { endpoints } = await deployment.client.listEndpoints({});
      assert.ok(endpoints.some(({ id }) => id === overtaken.endpoint.id));
      assert.ok(!isDeployed(overtaken));
    });

    it('leaves an endpoint alone that had the name before, because the plan finds it', async () => {
      const chosen = deployingSteps(await deployment.plan(paused));
      await createPaused(deployment.client, 'a');
      assert.deepEqual(resultsOf(await deploy(deployment, paused, { chosen })), ['a: changed']);
      assert.deepEqual(await deployment.names(), ['a']);
    });
  });

  describe('that is interrupted', () => {
    it('sends no further steps, and names what was not verified', async () => {
      const interrupted = new AbortController();
      const files = filesOf({ a: manifestText('a'), b: manifestText('b') });
      const results = await deploy(deployment, files, {
        signal: interrupted.signal,
        starting: () => interrupted.abort(),
      });
      assert.deepEqual(resultsOf(results), ['a: created interrupted', 'b: canceled']);
      assert.deepEqual(await deployment.names(), ['a']);
    });

    it('names what was sent, even if the interruption ends the reading after it', async () => {
      const interrupted = new AbortController();
      const client = clientThrough(deployment, (url, init) => {
        if (methodOf(init) === 'GET' && hasCreated) interrupted.abort();
        if (methodOf(init) === 'POST') hasCreated = true;
        return fetch(url, init);
      });
      let hasCreated = false;
      const results = await deploy(deployment, paused, { client, signal: interrupted.signal });
      assert.deepEqual(resultsOf(results), ['a: created interrupted']);
    });

    it('takes nothing back, because it does not know whether the endpoint works', async () => {
      const interrupted = new AbortController();
      const results = await deploy(deployment, filesOf({ a: runningManifest('a', COMMANDS.idles) }), {
        ...{ signal: interrupted.signal, revertsFailures: true, onState: () => interrupted.abort() },
      });
      assert.deepEqual(resultsOf(results), ['a: created interrupted']);
      assert.deepEqual(await deployment.names(), ['a']);
    });
  });

  it('names each endpoint that was sent if the platform cannot be read afterwards', async () => {
    let sent = 0;
    const client = clientThrough(deployment, (url, init) => {
      if (methodOf(init) === 'POST') sent++;
      else if (sent === 2) return Promise.resolve(Response.json({ title: 'gone', status: 403 }, { status: 403 }));
      return fetch(url, init);
    });
    const results = await deploy(deployment, filesOf({ a: manifestText('a'), b: manifestText('b') }), { client });
    assert.deepEqual(resultsOf(results), ['a: created unread', 'b: created unread']);
    assert.ok(!results.some(isDeployed));
    assert.deepEqual(await deployment.names(), ['a', 'b']);
  });

  describe('that takes back failures', () => {
    it('deletes an endpoint that it created, and keeps those that work', async () => {
      const files = filesOf({ a: runningManifest('a', COMMANDS.crashes), b: manifestText('b') });
      const results = await deploy(deployment, files, { revertsFailures: true });
      assert.deepEqual(resultsOf(results), ['a: created failed', 'b: created accepted']);
      assert.deepEqual(
        results.map((result) => (result as VerifiedStep).reverted),
        [{ lost: [] }, undefined],
      );
      assert.deepEqual(await deployment.names(), ['b']);
    });

    const earlier = { env: { KEPT: '1', OLD: '2' }, timeout: 60_000 };
    const later = { env: { KEPT: '1', NEW: '3' }, workers: { min: 1, max: 2 } };

    it('returns an endpoint that it updated to all earlier settings', async () => {
      await deploy(deployment, filesOf({ a: runningManifest('a', COMMANDS.works, earlier) }));
      const before = manifestOf(await one('a')());
      const [result] = await deploy(deployment, filesOf({ a: runningManifest('a', COMMANDS.crashes, later) }), {
        revertsFailures: true,
      });
      assert.ok(result?.outcome === 'updated' && result.verification.outcome === 'failed');
      assert.deepEqual(result.reverted, { lost: [] });
      assert.deepEqual(manifestOf(await one('a')()), before);
    });

    it('never sends a hidden value of a platform, on which variables always differ', async () => {
      await deploy(deployment, filesOf({ a: runningManifest('a', COMMANDS.works, earlier) }));
      const bodies: UpdateEndpointBody[] = [];
      // A platform that hides one of the values.
      const client = clientThrough(deployment, async (url, init) => {
        if (methodOf(init) === 'PATCH') bodies.push(JSON.parse(init?.body as string) as UpdateEndpointBody);
        const response = await fetch(url, init);
        const text = (await response.text()).replaceAll('"KEPT":"1"', '"KEPT":"********"');
        return new Response(response.status === 204 ? null : text, response);
      });
      const files = filesOf({ a: runningManifest('a', COMMANDS.crashes, later) });
      const chosen = deployingSteps(await deployment.plan(files, { client }));
      const [result] = await deploy(deployment, files, { client, chosen, revertsFailures: true });
      // The comparison also finds the hidden value different after the update.
      assert.ok(result?.outcome === 'differs', result?.outcome);
      assert.deepEqual(
        bodies.map(({ env }) => env),
        [later.env],
      );
    });

    it('reports that it could not take a step back', async () => {
      const client = clientThrough(deployment, (url, init) =>
        methodOf(init) === 'DELETE'
          ? Promise.resolve(Response.json({ title: 'forbidden', status: 403 }, { status: 403 }))
          : fetch(url, init),
      );
      const [result] = await deploy(deployment, crashing, { client, revertsFailures: true });
      assert.ok(result && 'reverted' in result && result.reverted && 'error' in result.reverted);
      assert.deepEqual(await deployment.names(), ['a']);
    });
  });
});
