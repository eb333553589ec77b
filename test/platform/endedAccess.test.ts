import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { Api, cleanUp, dataDirectory, platformForTest } from './support.ts';

const { createApiKey, createSession, createTeam, createUser, addTeamMember, removeTeamMember, revokeApiKey, reset } =
  controlOperations;
const { getClock, setClock } = controlOperations;

const HOUR_MS = 3_600_000;

/** Creates an endpoint of the owner and streams its worker's log. */
async function watched(headers: (api: Api) => Promise<Record<string, string>>) {
  const { api } = await platformForTest();
  const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
  const worker = await api.worker(endpoint, 'IDLE');
  const parameters = { id: endpoint.id, workerId: worker.id };
  const response = await api.fetch(operations.getWorkerLogs, { parameters, headers: await headers(api) });
  assert.equal(response.status, 200);
  return { api, ended: response.text() };
}

describe('Access that ends', () => {
  afterEach(cleanUp);

  it("includes the owner's session when the platform is reset", async () => {
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const { token } = await api.call(createSession, { body: {} });
    const headers = { Authorization: `Bearer ${token}` };
    await api.call(operations.listEndpoints, { headers });
    await api.call(reset);
    await api.refused(401, operations.listEndpoints, { headers });
    const { token: second } = await api.call(createSession, { body: {} });
    await platform.close();
    const again = await platformForTest({ dataDir });
    await again.api.refused(401, operations.listEndpoints, { headers });
    await again.api.call(operations.listEndpoints, { headers: { Authorization: `Bearer ${second}` } });
  });

  it('closes a log stream immediately when the key is revoked', async () => {
    let id = '';
    const { api, ended } = await watched(async (owner) => {
      const created = await owner.call(createApiKey, { body: { name: 'reader' } });
      ({ id } = created);
      return { Authorization: `Bearer ${created.key}` };
    });
    await api.call(revokeApiKey, { parameters: { id } });
    assert.match(await ended, /^: open/);
  });

  it('closes a log stream immediately when the key expires', async () => {
    const { api, ended } = await watched(async (owner) => {
      const { now } = await owner.call(getClock);
      const expiresAt = new Date(Date.parse(now) + HOUR_MS).toISOString();
      const { key } = await owner.call(createApiKey, { body: { name: 'reader', expiresAt } });
      return { Authorization: `Bearer ${key}` };
    });
    await api.call(setClock, { body: { advanceMs: HOUR_MS } });
    assert.match(await ended, /^: open/);
  });

  it('closes a log stream immediately when the session expires', async () => {
    const { api, ended } = await watched(async (owner) => {
      const { token } = await owner.call(createSession, { body: { lifetimeMs: HOUR_MS } });
      return { Authorization: `Bearer ${token}` };
    });
    // Another change happens at the same time.
    const { id } = await api.call(createApiKey, { body: { name: 'other' } });
    await api.call(revokeApiKey, { parameters: { id } });
    await api.call(setClock, { body: { advanceMs: HOUR_MS } });
    assert.match(await ended, /^: open/);
  });

  it('keeps log streams of other keys open', async () => {
    const { api, ended } = await watched(() => Promise.resolve({}));
    const { id } = await api.call(createApiKey, { body: { name: 'other' } });
    await api.call(revokeApiKey, { parameters: { id } });
    const outcome = await Promise.race([
      ended.then(() => 'ended'),
      api.call(operations.listEndpoints).then(() => 'on'),
    ]);
    assert.equal(outcome, 'on');
  });

  it("closes a log stream immediately when the session's user leaves the team", async () => {
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    const { id: userId } = await api.call(createUser, { body: { name: 'Ada' } });
    const { id: teamId } = await api.call(createTeam, { body: { name: 'engines' } });
    await api.call(addTeamMember, { parameters: { teamId, userId } });
    const { token } = await api.call(createSession, { body: { userId } });
    const member = new Api({ ...api.addresses, apiKey: token });
    const headers = { Authorization: `Bearer ${token}`, 'X-Team-Id': teamId };
    const { key } = await api.call(createApiKey, { body: { name: 'team', accountId: teamId } });
    const team = new Api({ ...api.addresses, apiKey: key });
    const endpoint = await team.createEndpoint({ workers: { min: 1, max: 1 } });
    const worker = await team.worker(endpoint, 'IDLE');
    const parameters = { id: endpoint.id, workerId: worker.id };
    const response = await member.fetch(operations.getWorkerLogs, { parameters, headers });
    assert.equal(response.status, 200);
    const ended = response.text();
    await api.call(removeTeamMember, { parameters: { teamId, userId } });
    assert.match(await ended, /^: open/);
  });

  it('closes a log stream immediately when the platform is reset', async () => {
    const { api, ended } = await watched(() => Promise.resolve({}));
    const broken = assert.rejects(ended);
    await api.call(reset);
    await broken;
  });
});
