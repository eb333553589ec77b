// Clauses of the interface: Endpoints 8; Endpoints 8, in use; Versioning 1 and 2.
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, dataDirectory, platformForTest, type Api } from '../support.ts';

const PASSWORD = 'correct-horse-battery';
const USERNAME = 'secret-username';

describe('Platform: container registry credentials', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest());
  });

  after(cleanUp);

  let count = 0;
  const body = (name = `registry ${++count}`) => ({ name, username: USERNAME, password: PASSWORD });
  const create = (name?: string) => api.call(operations.createRegistry, { body: body(name) });
  const paused = { workers: { min: 0, max: 0 } };

  describe('on v2', () => {
    it('can be created, listed, read, and deleted, and never return their secrets', async () => {
      const registry = await create('ghcr');
      assert.deepEqual(Object.keys(registry).sort(), ['id', 'name']);
      assert.match(registry.id, /^c[a-z0-9]{24}$/);
      const parameters = { id: registry.id };
      assert.deepEqual(await api.call(operations.getRegistry, { parameters }), registry);
      const { registries, pagination } = await api.call(operations.listRegistries);
      assert.deepEqual(registries, [registry]);
      assert.equal(pagination?.hasNextPage, false);
      await api.call(operations.deleteRegistry, { parameters });
      const { detail } = await api.refused(404, operations.getRegistry, { parameters });
      assert.equal(detail, `container registry credential '${registry.id}' not found`);
      await api.refused(404, operations.deleteRegistry, { parameters });
    });

    it('have unique names', async () => {
      await create('twice');
      const { errors } = await api.refused(400, operations.createRegistry, { body: body('twice') });
      assert.deepEqual(errors, ["$.name: a container registry credential 'twice' already exists"]);
    });

    it('name every violation of the shape, without the values', async () => {
      const wrong = { name: '', password: { secret: PASSWORD }, bogus: 1 };
      const refused = await api.refused(422, operations.createRegistry, { body: wrong });
      assert.deepEqual(refused.errors?.map((error) => error.split(':')[0]).sort(), [
        ...['$.bogus', '$.name', '$.password', '$.username'],
      ]);
      assert.ok(!JSON.stringify(refused).includes(PASSWORD));
    });

    it('are listed in pages', async () => {
      await create();
      await create();
      const { registries, pagination } = await api.call(operations.listRegistries, { query: { limit: 1 } });
      assert.deepEqual([registries.length, pagination?.hasNextPage], [1, true]);
      await api.refused(422, operations.listRegistries, { query: { limit: 0 } });
    });

    it('cannot be deleted while an endpoint uses them, but are removed from templates', async () => {
      const { id, name } = await create();
      const endpoint = await api.createEndpoint({ ...paused, registry: id });
      const template = await api.call(operations.createTemplate, { body: { name: 't', image: 'i', registry: id } });
      assert.equal(template.registry, id);
      const { detail } = await api.refused(400, operations.deleteRegistry, { parameters: { id } });
      assert.equal(
        detail,
        `the container registry credential '${name}' is in use by the endpoint 'test' (${endpoint.id})`,
      );
      await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
      await api.call(operations.deleteRegistry, { parameters: { id } });
      const left = await api.call(operations.getTemplate, { parameters: { id: template.id } });
      assert.deepEqual(left, { ...template, registry: null });
    });

    it('must exist if an endpoint names them', async () => {
      const refused = await api.refused(400, operations.createEndpoint, {
        body: { name: 'x', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, registry: 'nope' },
      });
      assert.ok(refused.errors?.includes("$.registry: there is no registry credential 'nope'"));
    });
  });

  describe('on v1', () => {
    const withId = (containerRegistryAuthId: string) => ({ parameters: { containerRegistryAuthId } });

    it('are the same records as on v2, listed as a bare array', async () => {
      const created = await api.call(operations.createContainerRegistryAuth, { body: body('v1') });
      assert.deepEqual(await api.call(operations.getRegistry, { parameters: { id: created.id } }), created);
      assert.deepEqual(await api.call(operations.getContainerRegistryAuth, withId(created.id)), created);
      const listed = await api.call(operations.listContainerRegistryAuths);
      assert.deepEqual(listed, (await api.call(operations.listRegistries)).registries);
      await api.call(operations.deleteContainerRegistryAuth, withId(created.id));
      await api.refused(404, operations.getRegistry, { parameters: { id: created.id } });
    });

    it('answer 400 for a malformed ID and 404 for an unknown one', async () => {
      const unknownId = `c${'0'.repeat(24)}`;
      const invalid = await api.refused(400, operations.deleteContainerRegistryAuth, withId('nope'));
      assert.deepEqual(invalid, { message: "'nope' is not the id of a container registry credential" });
      await api.refused(400, operations.getContainerRegistryAuth, withId('nope'));
      const unknown = await api.refused(404, operations.deleteContainerRegistryAuth, withId(unknownId));
      assert.deepEqual(unknown, { message: `container registry credential '${unknownId}' not found` });
      await api.refused(404, operations.getContainerRegistryAuth, withId(unknownId));
    });

    it('report every violation in one message', async () => {
      const { message } = await api.refused(400, operations.createContainerRegistryAuth, { body: { bogus: 1 } });
      for (const member of ['name', 'username', 'password', 'bogus']) assert.match(message ?? '', new RegExp(member));
      await create('taken');
      const taken = await api.refused(400, operations.createContainerRegistryAuth, { body: body('taken') });
      assert.match(taken.message ?? '', /a container registry credential 'taken' already exists/);
    });

    it('report a missing key, a wrong method, and an unknown path in a message', async () => {
      const anonymous = { headers: { Authorization: '' } };
      const refused = await api.refused(401, operations.listContainerRegistryAuths, anonymous);
      assert.deepEqual(refused, { message: 'missing bearer token' });
      const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
      const url = `${api.addresses.restUrl}/v1/containerregistryauth`;
      const put = await fetch(url, { method: 'PUT', headers });
      assert.deepEqual([put.status, put.headers.get('Allow')], [405, 'GET, POST']);
      assert.deepEqual(Object.keys((await put.json()) as object), ['message']);
      const unknown = await fetch(`${api.addresses.restUrl}/v1/nothing`, { headers });
      assert.deepEqual([unknown.status, await unknown.json()], [404, { message: 'no such path' }]);
    });

    it('cannot be deleted while an endpoint uses them', async () => {
      const { id } = await create();
      await api.createEndpoint({ ...paused, registry: id });
      const { message } = await api.refused(400, operations.deleteContainerRegistryAuth, withId(id));
      assert.match(message ?? '', /is in use by the endpoint 'test'/);
    });
  });

  it('survive a restart, and leave no secrets in files or logs', async () => {
    const dataDir = await dataDirectory();
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const first = await platformForTest({ dataDir, log });
    const registry = await first.api.call(operations.createRegistry, { body: body('kept') });
    await first.api.refused(400, operations.createRegistry, { body: body('kept') });
    await first.platform.close();

    const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const content = await readFile(path.join(file.parentPath, file.name), 'latin1');
      assert.ok(!content.includes(PASSWORD) && !content.includes(USERNAME), `${file.name} contains a secret`);
    }
    assert.ok(lines.length > 0 && !lines.join('').includes(PASSWORD));
    if (process.platform !== 'win32') {
      assert.equal((await stat(path.join(dataDir, 'secrets.key'))).mode & 0o777, 0o600);
    }

    const second = await platformForTest({ dataDir });
    const { registries } = await second.api.call(operations.listRegistries);
    assert.deepEqual(registries, [registry]);
    await second.platform.close();
  });
});
