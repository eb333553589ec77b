// Clauses of the interface: Endpoints 1; Authentication 2.
import assert from 'node:assert/strict';
import path from 'node:path';
import { operations } from '../../src/contract/operations.ts';
import { permissionFor, PERMISSIONS } from '../../src/contract/permissions.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { Problem } from '../../src/contract/problem.ts';
import { Accounts } from '../../src/platform/accounts/accounts.ts';
import { SessionSigner } from '../../src/platform/accounts/sessions.ts';
import { sessionSecret } from '../../src/platform/accounts/sessions.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import { startPlatform, type Platform } from '../../src/platform/daemon/start.ts';
import { Api, cleanUp, dataDirectory, endpointBody, eventually } from './support.ts';

const paused = endpointBody({ workers: { min: 0, max: 0 } });
const template = { name: 'mine', image: 'process:.', serverless: true };
const registry = { name: 'hub', username: 'u', password: 'p' };
const volume = { name: 'data', size: 10, dataCenter: 'EU-RO-1' };

/** The accounts exist before the platform starts, so it reads them from its data directory as after a restart. */
describe('Isolation of accounts', () => {
  let platform: Platform;
  let owner: Api;
  let ada: Api;
  let bob: Api;
  let team: Api;
  let teamId: string;
  let session: string;
  const keys: Record<string, string> = {};

  const withKey = (apiKey: string): Api => new Api({ ...platform.announcement, apiKey });

  before(async () => {
    const directory = await dataDirectory();
    const store = openSqliteStore(path.join(directory, 'platform.sqlite'));
    const accounts = new Accounts(store, systemClock, new SessionSigner(await sessionSecret(directory)));
    const [first, second] = ['Ada', 'Bob'].map((name) => accounts.createUser({ name, quotas: 'unlimited' }));
    assert.ok(first && second);
    teamId = accounts.createTeam({ name: 'engines', ownerId: first.id, quotas: 'unlimited' }).id;
    const key = (accountId: string, permissions?: string[], endpointIds?: string[]) =>
      accounts.createKey({ accountId, name: 'key', permissions, endpointIds }).key;
    for (const permission of PERMISSIONS) keys[permission] = key(first.id, [permission]);
    const made = {
      ada: key(first.id),
      bob: key(second.id),
      team: key(teamId),
      elsewhere: key(first.id, ['invoke'], ['other']),
    };
    keys['elsewhere'] = made.elsewhere;
    keys['limited'] = accounts.createKey({
      ...{ name: 'limited', permissions: ['billing:read'] },
      accountId: accounts.createUser({ name: 'Carl', quotas: { minute: 100, hour: 100, day: 100 } }).id,
    }).key;
    session = (await accounts.createSession(first.id)).token;
    store.close();
    platform = await startPlatform({ dataDir: directory, graceMs: 500, allowProcessEndpoints: true });
    owner = new Api(platform.announcement);
    [ada, bob, team] = [withKey(made.ada), withKey(made.bob), withKey(made.team)];
  });

  after(async () => {
    await platform.close();
    await cleanUp();
  });

  it('hides endpoints and their jobs from other accounts', async () => {
    const { id } = await ada.createEndpoint(paused);
    const { id: jobId } = await ada.call(operations.runJob, {
      parameters: { endpointId: id },
      body: { input: { a: 1 } },
    });
    const listed = async (api: Api) => (await api.call(operations.listEndpoints)).endpoints.map((one) => one.id);
    assert.deepEqual(await listed(ada), [id]);
    for (const other of [owner, bob, team]) {
      assert.ok(!(await listed(other)).includes(id));
      const parameters = { id, endpointId: id, jobId, workerId: 'w' };
      const body = { input: { a: 1 } };
      await other.refused(404, operations.getEndpoint, { parameters });
      await other.refused(404, operations.updateEndpoint, { parameters, body: { name: 'stolen' } });
      await other.refused(404, operations.deleteEndpoint, { parameters });
      await other.refused(404, operations.listEndpointWorkers, { parameters });
      await other.refused(404, operations.listEndpointReleases, { parameters });
      await other.refused(404, operations.getWorkerLogs, { parameters });
      await other.refused(404, operations.runJob, { parameters, body });
      await other.refused(404, operations.runJobSync, { parameters, body });
      await other.refused(404, operations.getJobStatus, { parameters });
      await other.refused(404, operations.getJobStatusSync, { parameters });
      await other.refused(404, operations.streamJob, { parameters });
      await other.refused(404, operations.cancelJob, { parameters });
      await other.refused(404, operations.retryJob, { parameters });
      await other.refused(404, operations.purgeQueue, { parameters });
      await other.refused(404, operations.getEndpointHealth, { parameters });
    }
    assert.equal((await ada.call(operations.getEndpoint, { parameters: { id } })).name, 'test');
    await ada.call(operations.deleteEndpoint, { parameters: { id } });
  });

  it('hides routes from other accounts', async () => {
    const { id } = await ada.createEndpoint({
      ...{ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 }, workers: { min: 0, max: 0 } },
    });
    const url = `${platform.announcement.endpointHost.replace('{endpoint_id}', id)}/hello`;
    const call = (apiKey: string) => fetch(url, { headers: { Authorization: `Bearer ${apiKey}` } });
    assert.equal((await call(bob.addresses.apiKey)).status, 404);
    assert.equal((await call('wrong')).status, 401);
    const denied = await call(keys['billing:read'] ?? '');
    assert.deepEqual(
      [denied.status, await denied.json()],
      [403, { error: 'forbidden', detail: "access denied: the key lacks the permission 'invoke'" }],
    );
    assert.equal((await call(keys['elsewhere'] ?? '')).status, 403);
    await ada.call(operations.deleteEndpoint, { parameters: { id } });
  });

  it('hides templates, credentials, and volumes from other accounts, and allows equal names', async () => {
    const made = await ada.call(operations.createTemplate, { body: template });
    const credential = await ada.call(operations.createRegistry, { body: registry });
    await bob.call(operations.createRegistry, { body: registry });
    await ada.refused(400, operations.createRegistry, { body: registry });
    const data = await ada.call(operations.createNetworkVolume, { body: volume });
    const shared = await ada.call(operations.createGlobalVolume, { body: { name: 'all' } });
    for (const other of [owner, bob, team]) {
      await other.refused(404, operations.getTemplate, { parameters: { id: made.id } });
      await other.refused(404, operations.updateTemplate, { parameters: { id: made.id }, body: { name: 'x' } });
      await other.refused(404, operations.deleteTemplate, { parameters: { id: made.id } });
      await other.refused(404, operations.getRegistry, { parameters: { id: credential.id } });
      await other.refused(404, operations.deleteRegistry, { parameters: { id: credential.id } });
      const parameters = { containerRegistryAuthId: credential.id };
      await other.refused(404, operations.getContainerRegistryAuth, { parameters });
      await other.refused(404, operations.deleteContainerRegistryAuth, { parameters });
      await other.refused(404, operations.getNetworkVolume, { parameters: { id: data.id } });
      await other.refused(404, operations.deleteNetworkVolume, { parameters: { id: data.id } });
      await other.refused(404, operations.getGlobalVolume, { parameters: { id: shared.id } });
      assert.deepEqual((await other.call(operations.listTemplates)).templates, []);
      assert.deepEqual((await other.call(operations.listNetworkVolumes)).networkVolumes, []);
      assert.deepEqual((await other.call(operations.listGlobalVolumes)).globalVolumes, []);
      // Endpoints cannot reference them either.
      await other.refused(404, operations.createEndpoint, { body: { ...paused, templateId: made.id } });
      await other.refused(400, operations.createEndpoint, { body: { ...paused, networkVolumes: [data.id] } });
      await other.refused(400, operations.createEndpoint, { body: { ...paused, registry: credential.id } });
    }
    const { id } = await ada.createEndpoint({ ...paused, networkVolumes: [data.id], registry: credential.id });
    await ada.refused(400, operations.deleteNetworkVolume, { parameters: { id: data.id } });
    await ada.call(operations.deleteEndpoint, { parameters: { id } });
    await ada.call(operations.deleteNetworkVolume, { parameters: { id: data.id } });
  });

  it('lets all accounts use a public template, and only its own account change it', async () => {
    const shared = await ada.call(operations.createTemplate, { body: { ...template, name: 'shared', public: true } });
    const { templates } = await bob.call(operations.listPublicTemplates, { query: { source: 'community' } });
    assert.ok(templates.some(({ id }) => id === shared.id));
    assert.equal((await bob.call(operations.getTemplate, { parameters: { id: shared.id } })).name, 'shared');
    const { id } = await bob.createEndpoint({ ...paused, image: undefined, cmd: undefined, templateId: shared.id });
    await bob.refused(404, operations.updateTemplate, { parameters: { id: shared.id }, body: { name: 'x' } });
    await ada.call(operations.deleteTemplate, { parameters: { id: shared.id } });
    await bob.call(operations.deleteEndpoint, { parameters: { id } });
  });

  it('gives each account its own bill and reports', async () => {
    const total = async (api: Api) => (await api.call(operations.listBilling)).metadata.totals.totalAmount;
    const before = await Promise.all([owner, bob].map(total));
    const { id } = await team.createEndpoint({ workers: { min: 1, max: 1 } });
    await eventually('the team is charged', async () => (await total(team)) > 0);
    const { records } = await team.call(operations.listServerlessBilling);
    assert.deepEqual(new Set(records.map(({ serverlessId }) => serverlessId)), new Set([id]));
    await team.call(operations.deleteEndpoint, { parameters: { id } });
    await eventually('the usage is charged', async () => (await total(team)) > 0);
    assert.deepEqual(await Promise.all([owner, bob].map(total)), before);
    assert.deepEqual((await bob.call(operations.listServerlessBilling, { query: { serverlessId: id } })).records, []);
  });

  it('assigns an image edit and its charge to the account of the request', async () => {
    const body = { input: { prompt: 'make it brighter', image: 'http://127.0.0.1:1/none.png' } };
    const { id: jobId } = await bob.call(operations.editImage, { body });
    const parameters = { endpointId: 'image-edit', jobId };
    assert.equal((await bob.call(operations.getJobStatus, { parameters })).id, jobId);
    for (const other of [owner, ada]) {
      await other.refused(404, operations.getJobStatus, { parameters });
      await other.refused(404, operations.cancelJob, { parameters });
      await other.refused(404, operations.retryJob, { parameters });
    }
    const counted = async (api: Api) =>
      (await api.call(operations.getEndpointHealth, { parameters: { endpointId: 'image-edit' } })).jobs.failed;
    assert.deepEqual([await counted(bob), await counted(ada)], [1, 0]);
  });

  it("shows a session its user's resources, or those of the team in X-Team-Id", async () => {
    const { id } = await team.createEndpoint(paused);
    const listed = async (headers: Record<string, string>) =>
      (await withKey(session).call(operations.listEndpoints, { headers })).endpoints.map((one) => one.id);
    assert.deepEqual(await listed({}), []);
    assert.deepEqual(await listed({ Authorization: `Bearer ${session}`, 'X-Team-Id': teamId }), [id]);
    assert.deepEqual(await listed({ Authorization: `Bearer ${session}`, 'X-Team-Id': 'team_of_others' }), []);
    await team.call(operations.deleteEndpoint, { parameters: { id } });
  });

  it('enforces the permissions of a key on every operation, and names the missing permission', async () => {
    for (const [name, row] of Object.entries<Operation>(operations)) {
      const needed = permissionFor(row);
      const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
      const parameters: Record<string, string> = Object.fromEntries(names.map((parameter) => [parameter, 'none']));
      for (const permission of [needed, PERMISSIONS.find((one) => one !== needed) ?? '']) {
        // Permitted operations fail later, because the body or the ID is missing.
        const response = await withKey(keys[permission] ?? '').fetch(row, { parameters });
        await response.text();
        if (permission === needed) assert.notEqual(response.status, 403, name);
        else assert.equal(response.status, 403, name);
      }
    }
  });

  it('answers 403 with a problem that names the missing permission, and with rate-limit headers', async () => {
    const response = await withKey(keys['limited'] ?? '').fetch(operations.listEndpoints);
    assert.equal(response.status, 403);
    assert.deepEqual(Problem.parse(await response.json()), {
      ...{ title: 'Forbidden', status: 403, detail: "access denied: the key lacks the permission 'serverless:read'" },
    });
    assert.match(response.headers.get('RateLimit') ?? '', /^"minute";r=99;t=\d+, "hour";r=99;/);
    assert.equal(
      response.headers.get('RateLimit-Policy'),
      '"minute";q=100;w=60, "hour";q=100;w=3600, "day";q=100;w=86400',
    );
  });

  it('restricts a key with an endpoint list to those endpoints', async () => {
    const api = withKey(keys['elsewhere'] ?? '');
    const run = (endpointId: string) =>
      api.fetch(operations.runJob, { parameters: { endpointId }, body: { input: { a: 1 } } });
    assert.deepEqual(await (await run('none')).json(), {
      status: 'FAILED',
      error: "access denied: the key does not include the endpoint 'none'",
    });
    assert.equal((await run('image-edit')).status, 403);
    assert.equal((await run('other')).status, 404);
  });
});
