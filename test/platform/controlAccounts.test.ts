import assert from 'node:assert/strict';
import { createClient } from '../../src/client/client.ts';
import { createControlClient } from '../../src/client/controlClient.ts';
import { TEAM_HEADER } from '../../src/contract/headers.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, endpointBody, platformForTest } from './support.ts';

const { createUser, createTeam, createApiKey, createSession, revokeApiKey, listTeamMembers } = controlOperations;
const { addTeamMember, removeTeamMember } = controlOperations;

const paused = endpointBody({ workers: { min: 0, max: 1 } });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Starts a platform. Returns its control API and a client that uses another key. */
async function startControlled() {
  const { api } = await platformForTest({ allowProcessEndpoints: true });
  const control = createControlClient({ connection: api.addresses, fetch: globalThis.fetch });
  const clientWith = (apiKey: string) =>
    createClient({ connection: { ...api.addresses, apiKey }, fetch: globalThis.fetch });
  return { api, control, clientWith };
}

describe('Users, teams, keys, and sessions of the control API', () => {
  afterEach(cleanUp);

  it('limit a key to its permissions and endpoints until it expires or is revoked', async () => {
    const { api, control, clientWith } = await startControlled();
    const [mine, other] = [await api.createEndpoint(), await api.createEndpoint(paused)];
    const { now } = await control.setClock({ body: { frozen: true } });
    const { key, s3AccessKeyId, s3SecretAccessKey, ...shown } = await control.createApiKey({
      body: {
        name: 'CI',
        permissions: ['invoke', 'serverless:read'],
        endpointIds: [mine.id],
        expiresAt: new Date(Date.parse(now) + 3_600_000).toISOString(),
      },
    });
    assert.deepEqual((await control.listApiKeys({})).keys, [shown]);
    assert.equal(s3AccessKeyId, shown.id);
    assert.ok(![key, s3SecretAccessKey].some((secret) => JSON.stringify(shown).includes(secret)));

    const client = clientWith(key);
    const done = await client.runJobSync({ endpointId: mine.id, body: { input: { do: 'echo', value: 7 } } });
    assert.equal(done.output, 7);
    await assert.rejects(client.runJob({ endpointId: other.id, body: { input: { n: 1 } } }), { status: 403 });
    await assert.rejects(client.createEndpoint({ body: paused }), { status: 403 });
    await control.setClock({ body: { advanceMs: 3_600_000 } });
    await assert.rejects(client.runJob({ endpointId: mine.id, body: { input: { n: 1 } } }), { status: 401 });

    const lasting = await control.createApiKey({ body: { name: 'lasting' } });
    assert.equal((await clientWith(lasting.key).listEndpoints({})).endpoints.length, 2);
    await control.revokeApiKey({ id: lasting.id });
    await assert.rejects(clientWith(lasting.key).listEndpoints({}), { status: 401 });
    await api.refused(404, revokeApiKey, { parameters: { id: lasting.id } });
  });

  it('show the resources of a team to its keys and to sessions of its members only', async () => {
    const { api, control, clientWith } = await startControlled();
    const [ann, bob, eve] = [
      await control.createUser({ body: { name: 'Ann' } }),
      await control.createUser({ body: { name: 'Bob', quotas: 'unlimited' } }),
      await control.createUser({ body: { name: 'Eve', quotas: { minute: 5, hour: 50, day: 500 } } }),
    ];
    const team = await control.createTeam({ body: { name: 'Vision', ownerId: ann.id } });
    await control.addTeamMember({ teamId: team.id, userId: bob.id });
    assert.deepEqual((await control.listTeamMembers({ teamId: team.id })).userIds, [bob.id]);
    const { accounts } = await control.listAccounts({});
    assert.deepEqual(
      accounts.map(({ kind, name }) => [kind, name]),
      [
        ['user', 'owner'],
        ['user', 'Ann'],
        ['user', 'Bob'],
        ['user', 'Eve'],
        ['team', 'Vision'],
      ],
    );
    assert.deepEqual(accounts.at(-1), team);

    const { key } = await control.createApiKey({ body: { name: 'team', accountId: team.id } });
    const { id } = await clientWith(key).createEndpoint({ body: paused });
    const seen = async (userId: string) => {
      const { token } = await control.createSession({ body: { userId } });
      const { endpoints } = await api.call(operations.listEndpoints, {
        headers: { ...bearer(token), [TEAM_HEADER]: team.id },
      });
      return endpoints.map((endpoint) => endpoint.id);
    };
    assert.deepEqual([await seen(ann.id), await seen(bob.id), await seen(eve.id)], [[id], [id], []]);
    await control.removeTeamMember({ teamId: team.id, userId: bob.id });
    assert.deepEqual(await seen(bob.id), []);
  });

  it('limit a session to its requested lifetime', async () => {
    const { api, control } = await startControlled();
    const { now } = await control.setClock({ body: { frozen: true } });
    const { token, expiresAt } = await control.createSession({ body: { lifetimeMs: 60_000 } });
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.parse(now) - 60_000) < 1_000);
    await api.call(operations.listEndpoints, { headers: bearer(token) });
    await control.setClock({ body: { advanceMs: 60_000 } });
    await api.refused(401, operations.listEndpoints, { headers: bearer(token) });
  });

  it('import users, teams, and keys from a seed by name, atomically', async () => {
    const { api, control, clientWith } = await startControlled();
    const body = {
      endpoints: [{ ...paused, name: 'mine' }],
      users: [{ name: 'Ann' }],
      teams: [{ name: 'Vision', ownerId: 'Ann', memberIds: ['owner'] }],
      keys: [
        { name: 'CI', endpointIds: ['mine'] },
        { name: 'team', accountId: 'Vision' },
      ],
    };
    for (const [wrong, error] of [
      [{ keys: [...body.keys, { name: 'x', accountId: 'Nobody' }] }, /^\$\.keys\[2\]\.accountId: /],
      [{ keys: [{ name: 'x', endpointIds: ['other'] }] }, /^\$\.keys\[0\]\.endpointIds\[0\]: /],
      [{ teams: [{ name: 'x', ownerId: 'Nobody' }] }, /^\$\.teams\[0\]\.ownerId: /],
      [{ teams: [{ name: 'x', memberIds: ['Ann', 'Nobody'] }] }, /^\$\.teams\[0\]\.memberIds\[1\]: /],
    ] as const) {
      const { errors } = await api.refused(404, controlOperations.seed, { body: { ...body, ...wrong } });
      assert.match(errors?.[0] ?? '', error);
    }
    const twice = { endpoint: 'mine', id: 'one', status: 'COMPLETED' };
    await api.refused(409, controlOperations.seed, { body: { ...body, jobs: [twice, twice] } });
    assert.equal((await control.listAccounts({})).accounts.length, 1, 'the failed seed created no accounts');
    assert.deepEqual((await control.listApiKeys({})).keys, []);

    const { teams, keys } = await control.seed({ body });
    const [mine = '', team = ''] = keys;
    assert.equal((await clientWith(mine).listEndpoints({})).endpoints.length, 1);
    assert.deepEqual((await clientWith(team).listEndpoints({})).endpoints, []);
    assert.equal((await control.listTeamMembers({ teamId: teams[0] ?? '' })).userIds.length, 1);
  });

  it('name the field of invalid input', async () => {
    const { api, control } = await startControlled();
    const theirs = await control.createUser({ body: { name: 'Ann' } });
    const { id } = await api.createEndpoint(paused);
    for (const [row, status, body, error] of [
      [createUser, 422, { name: ' ' }, /^\$\.name: must not be empty/],
      [createUser, 422, { name: 'a', quotas: { minute: 0, hour: 1, day: 1 } }, /^\$\.quotas/],
      [createTeam, 404, { name: 'a', ownerId: 'user_none' }, /^\$\.ownerId: there is no user 'user_none'/],
      [createApiKey, 404, { name: 'a', accountId: 'none' }, /^\$\.accountId: there is no account 'none'/],
      [
        createApiKey,
        422,
        { name: 'a', permissions: ['invoke', 'fly'] },
        /^\$\.permissions\[1\]: must be one of .*invoke/,
      ],
      [createApiKey, 422, { name: 'a', expiresAt: '2001-01-01T00:00:00Z' }, /^\$\.expiresAt: must be later than/],
      [createApiKey, 404, { name: 'a', endpointIds: ['x'] }, /^\$\.endpointIds\[0\]: the account has no endpoint 'x'/],
      [createApiKey, 404, { name: 'a', accountId: theirs.id, endpointIds: [id] }, /^\$\.endpointIds\[0\]/],
      [createSession, 404, { userId: 'user_none' }, /^\$\.userId: there is no user/],
      [createSession, 422, { lifetimeMs: 10 }, /^\$\.lifetimeMs/],
    ] as const) {
      const { errors } = await api.refused(status, row, { body });
      assert.match(errors?.[0] ?? '', error);
    }
    await api.refused(404, listTeamMembers, { parameters: { teamId: theirs.id } });
    for (const row of [addTeamMember, removeTeamMember])
      await api.refused(404, row, { parameters: { teamId: 'team_none', userId: theirs.id } });
  });
});
