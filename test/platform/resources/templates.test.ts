import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, platformForTest, type Api } from '../support.ts';

describe('Platform: templates', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest());
  });

  after(cleanUp);

  const create = (changes: object = {}) =>
    api.call(operations.createTemplate, { body: { name: 'mine', image: 'example/base:1', ...changes } });
  const get = (id: string) => api.call(operations.getTemplate, { parameters: { id } });

  it('are returned with every default', async () => {
    const template = await create();
    const { id, ...rest } = template;
    assert.match(id, /^[a-z0-9]{10}$/);
    assert.deepEqual(rest, {
      ...{ name: 'mine', image: 'example/base:1', args: '', disk: 50, mounts: {}, ports: [], env: {}, registry: null },
      ...{ serverless: false, public: false, category: 'NVIDIA', startSsh: true, startJupyter: true },
      allowedCudaVersions: [],
    });
    assert.deepEqual(await get(id), template);
    const { templates, pagination } = await api.call(operations.listTemplates);
    assert.ok(templates.some((entry) => entry.id === id));
    assert.deepEqual(pagination, { nextCursor: null, hasNextPage: false });
  });

  it('keep every given setting', async () => {
    const given = {
      ...{ args: 'serve --port 80', disk: 7, ports: ['80/http'], env: { A: '1' }, serverless: true, category: 'CPU' },
      ...{ startSsh: false, startJupyter: false, allowedCudaVersions: ['12.4'] },
      mounts: { persistent: { size: 10, path: '/data' } },
    };
    const { id, ...rest } = await create(given);
    assert.deepEqual(rest, { name: 'mine', image: 'example/base:1', registry: null, public: false, ...given });
    assert.ok(id);
  });

  it('are updated by member, except that env and lists are replaced, and an empty text clears args', async () => {
    const { id } = await create({ args: 'serve', disk: 9, env: { A: '1', B: '2' }, ports: ['80/http'] });
    const body = { name: 'renamed', args: '', env: { C: '3' }, ports: [] };
    const changed = await api.call(operations.updateTemplate, { parameters: { id }, body });
    assert.deepEqual(
      [changed.name, changed.args, changed.env, changed.ports, changed.disk, changed.image],
      ['renamed', '', { C: '3' }, [], 9, 'example/base:1'],
    );
    assert.deepEqual(await get(id), changed);
    assert.deepEqual(await api.call(operations.updateTemplate, { parameters: { id }, body: {} }), changed);
  });

  it('answer 404 after their deletion', async () => {
    const { id } = await create();
    await api.call(operations.deleteTemplate, { parameters: { id } });
    await api.refused(404, operations.getTemplate, { parameters: { id } });
    await api.refused(404, operations.updateTemplate, { parameters: { id }, body: { name: 'x' } });
    const { detail } = await api.refused(404, operations.deleteTemplate, { parameters: { id } });
    assert.equal(detail, `template '${id}' not found`);
  });

  it('name every violation of the shape', async () => {
    const body = { name: '', disk: 0, ports: ['80'], bogus: 1, allowedCudaVersions: ['12'] };
    const { errors = [] } = await api.refused(422, operations.createTemplate, { body });
    assert.deepEqual(errors.map((error) => error.split(':')[0]).sort(), [
      ...['$.allowedCudaVersions[0]', '$.bogus', '$.disk', '$.image', '$.name', '$.ports[0]'],
    ]);
    const { id } = await create();
    const changed = { parameters: { id }, body: { disk: 0.5, createdAt: 'now' } };
    const refused = await api.refused(422, operations.updateTemplate, changed);
    assert.deepEqual(refused.errors?.map((error) => error.split(':')[0]).sort(), ['$.createdAt', '$.disk']);
  });

  it('report an invalid command and an unknown registry together', async () => {
    const broken = { args: 'echo "open', registry: 'nope' };
    const body = { name: 'x', image: 'i', ...broken };
    const { errors = [] } = await api.refused(400, operations.createTemplate, { body });
    assert.deepEqual(
      errors.map((error) => error.split(':')[0]),
      ['$.args', '$.registry'],
    );
    const { id } = await create();
    await api.refused(400, operations.updateTemplate, { parameters: { id }, body: broken });
  });

  it('are listed in pages, and reject the cursor of another list', async () => {
    await create();
    await create();
    const first = await api.call(operations.listTemplates, { query: { limit: 1 } });
    const cursor = first.pagination?.nextCursor ?? '';
    assert.equal(first.templates.length, 1);
    const second = await api.call(operations.listTemplates, { query: { limit: 1, cursor } });
    assert.notEqual(second.templates[0]?.id, first.templates[0]?.id);
    await api.refused(422, operations.listTemplates, { query: { cursor: 'bogus' } });
    await api.refused(422, operations.listRegistries, { query: { cursor } });
    await api.refused(422, operations.listTemplates, { query: { limit: 1001 } });
  });

  it('name the allowed methods', async () => {
    const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
    const put = await fetch(`${api.addresses.baseUrl}/v2/templates/x`, { method: 'PUT', headers });
    assert.deepEqual([put.status, put.headers.get('Allow')], [405, 'GET, PATCH, DELETE']);
    const post = await fetch(`${api.addresses.baseUrl}/v2/catalog/templates`, { method: 'POST', headers });
    assert.deepEqual([post.status, post.headers.get('Allow')], [405, 'GET']);
  });

  it('require a key', async () => {
    const anonymous = { headers: { Authorization: '' } };
    await api.refused(401, operations.listTemplates, anonymous);
    await api.refused(401, operations.createTemplate, { ...anonymous, body: {} });
  });

  describe('in the public catalog', () => {
    const catalog = async (source?: string) =>
      (await api.call(operations.listPublicTemplates, source === undefined ? {} : { query: { source } })).templates;

    it('have three sources, official by default, and are for pods or serverless endpoints', async () => {
      assert.deepEqual(await catalog(), await catalog('official'));
      const all = [...(await catalog()), ...(await catalog('verified')), ...(await catalog('community'))];
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
      assert.deepEqual([...new Set(all.map(({ serverless }) => serverless))].sort(), [false, true]);
      for (const template of all) assert.deepEqual([template.public, template.registry], [true, null]);
      await api.refused(422, operations.listPublicTemplates, { query: { source: 'unknown' } });
      await api.refused(422, operations.listPublicTemplates, { query: { sources: 'official' } });
    });

    it('can be read, but not changed or deleted', async () => {
      const [template] = await catalog('verified');
      assert.ok(template);
      const parameters = { id: template.id };
      assert.deepEqual(await get(template.id), template);
      await api.refused(404, operations.updateTemplate, { parameters, body: { name: 'mine now' } });
      await api.refused(404, operations.deleteTemplate, { parameters });
      const { templates } = await api.call(operations.listTemplates);
      assert.ok(!templates.some(({ id }) => id === template.id));
    });

    it('include public templates of the account in the community source', async () => {
      const own = await create({ public: true });
      assert.ok((await catalog('community')).some(({ id }) => id === own.id));
      await api.call(operations.updateTemplate, { parameters: { id: own.id }, body: { public: false } });
      assert.ok(!(await catalog('community')).some(({ id }) => id === own.id));
    });

    it('are at most 100 per source', async () => {
      for (let count = 0; count < 100; count++) await create({ public: true });
      assert.equal((await catalog('community')).length, 100);
    });
  });
});
