import assert from 'node:assert/strict';
import { ApiError, type ErrorKind } from '../../../../src/client/apiError.ts';
import {
  renderGroup,
  renderModel,
  renderNotice,
  renderRegistry,
  renderTemplate,
  renderVolume,
  type Surroundings,
} from '../../../../src/features/endpoints/resources/resourceRenderer.ts';
import { isResource, nodeId } from '../../../../src/features/endpoints/resources/resourceNode.ts';

const error = (kind: ErrorKind) =>
  new ApiError(kind, 'the *service* says', { operation: 'listRegistries', status: 418 });
const alone: Surroundings = { endpoints: [], templates: [] };
const users: Surroundings = {
  endpoints: [
    { name: 'hello', registry: 'r1', networkVolumes: ['v1'], mounts: {} },
    { name: 'other', registry: null, networkVolumes: [], mounts: { network: [{ volumeId: 'v1' }] } },
  ],
  templates: [{ id: 't1', name: 'base', serverless: true, registry: 'r1' }],
};

describe('the rows of resources', () => {
  it('list the endpoints and templates that use a credential', () => {
    const row = renderRegistry({ id: 'r1', name: 'ghcr' }, users, false);
    assert.deepEqual([row.label, row.description, row.icon], ['ghcr', 'used by 2', 'key']);
    assert.match(row.tooltip.source, /\| Used by \| endpoint hello \|\n\| Used by \| template base \|/);
    assert.equal(row.spoken, 'Registry credential ghcr, used by 2');
    assert.equal(renderRegistry({ id: 'r2', name: 'idle' }, users, false).description, '');
  });

  it('mark a credential that is being deleted and offer no commands for it', () => {
    const row = renderRegistry({ id: 'r1', name: 'ghcr' }, users, true);
    assert.deepEqual(
      [row.description, row.icon, row.contextValue, row.spoken],
      ['Deleting…', 'loading~spin', 'deleting', 'Registry credential ghcr, deleting'],
    );
  });

  it('show the price and the jobs of a public model, and edit an image on click', () => {
    const model = { id: 'image-edit', name: 'Image Editing', price: 0.02, inQueue: 2, inProgress: 0 };
    const row = renderModel(model);
    assert.deepEqual([row.label, row.description], ['Image Editing', '$0.02 per image · 2 in queue']);
    assert.equal(row.spoken, 'Public model Image Editing, $0.02 per image, 2 in queue');
    assert.equal(row.command, 'cloudCompute.images.edit');
    assert.match(row.tooltip.source, /\| In progress \| 0 jobs \|/);
  });

  it('say that a platform does not have the public models', () => {
    const row = renderNotice('publicModels', { items: [], known: false, error: error('notFound') });
    assert.deepEqual([row?.label, row?.description], ['Not available on this platform.', 'Try again']);
  });

  it('list the settings of a template without the values of its environment', () => {
    const template = {
      id: 't',
      name: 'base',
      serverless: true,
      image: 'ghcr.io/me/base:1',
      disk: 5,
      env: { TOKEN: 'hush' },
    };
    const row = renderTemplate({ ...template, ports: ['8000/http'], args: 'serve | tee log' });
    assert.equal(row.description, 'ghcr.io/me/base:1');
    for (const fact of ['| Disk | 5 GB |', '| Environment | `TOKEN` |', '| Command | `serve \\| tee log` |']) {
      assert.ok(row.tooltip.source.includes(fact), fact);
    }
    assert.ok(!row.tooltip.source.includes('hush'));
    assert.equal(renderTemplate({ ...template, serverless: false }).description, 'ghcr.io/me/base:1 · for pods');
  });

  it('show the location of a volume and the endpoints that use it', () => {
    const volume = { id: 'v1', name: 'data', size: 20, dataCenter: 'EU-RO-1', type: 'HIGH_PERFORMANCE' };
    const row = renderVolume(volume, users);
    assert.equal(row.description, '20 GB · EU-RO-1 · mounted by 2 endpoints');
    assert.match(row.tooltip.source, /Mounted by \| hello \|\n\| Mounted by \| other /);
    assert.match(row.tooltip.source, /high performance/);
    assert.equal(row.spoken, 'Network volume data, 20 gigabytes in EU-RO-1');
  });

  it('escape Markdown in names', () => {
    const name = '[click](command:evil) | **x**';
    for (const row of [
      renderRegistry({ id: '`|', name }, alone, false),
      renderTemplate({ id: 'x', name, serverless: true, image: '`|' }),
      renderVolume({ id: 'x', name, size: 10, dataCenter: name, type: 'STANDARD' }, alone),
    ]) {
      assert.ok(!row.tooltip.source.includes('[click]('), row.tooltip.source);
      assert.ok(!row.tooltip.source.includes('**x**'), row.tooltip.source);
    }
  });

  it('name the first users and count the others', () => {
    const names = Array.from({ length: 100 }, (_, index) => `e${index}`);
    const endpoints = names.map((name) => ({ name, registry: 'r1', networkVolumes: [], mounts: {} }));
    const { tooltip, description } = renderRegistry({ id: 'r1', name: 'x' }, { endpoints, templates: [] }, false);
    assert.equal(description, 'used by 100');
    assert.match(tooltip.source, /endpoint e19 \|\n\| Used by \| 80 more \|$/);
  });

  it('have stable ids', () => {
    assert.equal(nodeId({ kind: 'group', group: 'registries' }), 'group:registries');
    assert.equal(nodeId({ kind: 'resource', group: 'templates', id: 'x' }), 'templates/x');
    assert.equal(nodeId({ kind: 'notice', group: 'templates' }), 'notice:templates');
    assert.equal(nodeId({ kind: 'resource', group: 'templates', id: '[x](y:z)' }), 'templates/%5Bx%5D(y%3Az)');
    assert.ok(isResource({ kind: 'resource', group: 'templates', id: 'x' }));
    for (const other of [undefined, {}, { kind: 'worker' }, { kind: 'group', group: 'templates' }]) {
      assert.ok(!isResource(other));
    }
  });
});

describe('the groups of resources', () => {
  it('count their resources and mark a list that may be out of date', () => {
    const items = [{ id: 'r', name: 'ghcr' }];
    assert.equal(renderGroup('registries', { items, known: true, error: undefined }).description, '1');
    const row = renderGroup('registries', { items, known: true, error: error('network') });
    assert.equal(row.description, '1, may be out of date');
    assert.match(row.tooltip.source, /the \\\*service\\\* says \\\(418\\\)$/);
    assert.equal(row.spoken, 'Registry Credentials, 1, may be out of date');
    assert.equal(renderGroup('templates', { items: [], known: false, error: undefined }).description, '');
  });

  it('have no notice while they have rows or have not been read', () => {
    assert.equal(renderNotice('templates', { items: [], known: false, error: undefined }), undefined);
    const items = [{ id: 'r', name: 'ghcr' }];
    assert.equal(renderNotice('registries', { items, known: true, error: error('network') }), undefined);
  });

  it('offer a command when they are empty', () => {
    const empty = { items: [], known: true, error: undefined };
    assert.equal(renderNotice('registries', empty)?.command, 'cloudCompute.registries.create');
    assert.equal(renderNotice('networkVolumes', empty)?.command, 'cloudCompute.volumes.create');
  });

  const refusals: [ErrorKind, string, string][] = [
    ['forbidden', 'The API key has no permission to list them.', 'cloudCompute.registries.delete'],
    ['unauthorized', 'The API key was not accepted.', 'cloudCompute.connections.replaceKey'],
    ['notFound', 'Not available on this platform.', 'cloudCompute.resources.refresh'],
    ['rateLimited', 'Too many requests.', 'cloudCompute.resources.refresh'],
    ['network', 'The platform cannot be reached.', 'cloudCompute.resources.refresh'],
    ['timeout', 'The platform did not respond in time.', 'cloudCompute.resources.refresh'],
    ['server', 'Could not read the list.', 'cloudCompute.showLog'],
  ];
  for (const [kind, label, command] of refusals) {
    it(`show the error and its remedy: ${kind}`, () => {
      const row = renderNotice('registries', { items: [], known: false, error: error(kind) });
      assert.deepEqual([row?.label, row?.command, row?.icon], [label, command, 'warning']);
      assert.equal(row?.spoken, `${label} ${row?.description ?? ''}`);
    });
  }

  it('do not offer to delete templates or volumes by id', () => {
    const row = renderNotice('templates', { items: [], known: false, error: error('forbidden') });
    assert.equal(row?.command, 'cloudCompute.resources.refresh');
  });
});
