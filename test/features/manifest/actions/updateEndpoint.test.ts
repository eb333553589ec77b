import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import {
  InvalidEditError,
  overwrittenSettings,
  processAfter,
  readEdit,
} from '../../../../src/features/manifest/actions/updateEndpoint.ts';
import { replacesWorkers } from '../../../../src/features/manifest/model/deployment/difference.ts';
import { editableYaml } from '../../../../src/features/manifest/editing/endpointText.ts';
import { cleanUp, fixtures } from '../../../platform/support.ts';
import { createPaused, storeOnPlatform } from '../../storeOnPlatform.ts';

const LOCAL = { target: 'local' } as const;

describe('Updating an endpoint from its edited manifest', () => {
  afterEach(cleanUp);

  async function withEndpoint() {
    const { client, store } = await storeOnPlatform();
    const endpoint = await createPaused(client, 'edited');
    await store.refresh();
    return { client, store, endpoint, text: editableYaml(endpoint, 'Local Platform', []) };
  }

  const isInvalid = (kind: InvalidEditError['kind'], reason?: RegExp) => (error: unknown) => {
    assert.ok(error instanceof InvalidEditError);
    assert.equal(error.kind, kind);
    if (reason) assert.match(error.reasons.join('\n'), reason);
    return true;
  };

  it('changes nothing if the text is unchanged', async () => {
    const { endpoint, text } = await withEndpoint();
    const { body, changes } = await readEdit(text, endpoint, LOCAL);
    assert.deepEqual([body, changes], [{}, []]);
  });

  it('changes the setting for GPUs on the local platform only', async () => {
    const { client, store, endpoint, text } = await withEndpoint();
    const edited = `${text}x-local:\n  gpu: ignore\n`;
    const change = await readEdit(edited, endpoint, LOCAL);
    assert.deepEqual(change.body, { 'x-local': { gpu: 'ignore' } });
    assert.equal(replacesWorkers(change), true);
    const updated = await store.update(client, endpoint.id, change.body);
    assert.equal(editableYaml(updated, 'Local Platform', []), edited);
    assert.deepEqual((await readEdit(text, updated, LOCAL)).body, { 'x-local': {} });
    await assert.rejects(readEdit(edited, endpoint, { target: 'hosted' }), isInvalid('localOnly'));
    await assert.rejects(readEdit(text, updated, { target: 'hosted' }), isInvalid('localOnly'));
    assert.deepEqual((await readEdit(edited, updated, { target: 'hosted' })).body, {});
  });

  it('sends only the difference, which the platform and the store apply', async () => {
    const { client, store, endpoint, text } = await withEndpoint();
    const change = await readEdit(text.replace('queueDelay: 1', 'queueDelay: 7'), endpoint, LOCAL);
    assert.deepEqual(change.body, { scaling: { type: 'QUEUE_DELAY', queueDelay: 7 } });
    assert.equal(replacesWorkers(change), false);
    const updated = await store.update(client, endpoint.id, change.body);
    assert.equal(updated.scaling.queueDelay, 7);
    assert.equal(store.find(endpoint.id)?.endpoint.scaling.queueDelay, 7);
    assert.equal((await client.getEndpoint({ id: endpoint.id })).name, 'edited');
  });

  for (const [what, edit, kind, reason] of [
    ['a text that is not a manifest', () => 'name: [', 'notManifest', /./],
    [
      'a process in x-local, which applies only to files',
      (text: string) => `${text}x-local:\n  directory: .\n  command: node a.mjs\n`,
      'process',
      undefined,
    ],
    ['x-build, which applies only to files', (text: string) => `${text}x-build: {}\n`, 'onlyInFiles', /^x-build$/],
    [
      'x-verify, which applies only to files',
      (text: string) => `${text}x-verify: { input: {} }\n`,
      'onlyInFiles',
      /^x-verify$/,
    ],
    [
      'another type, which is fixed at creation',
      (text: string) =>
        text
          .replace('type: QUEUE\n', 'type: LOAD_BALANCER\n')
          .replace(/scaling:\n.*\n.*\n/, 'scaling:\n  type: REQUEST_COUNT\n  requestCount: 1\n'),
      'change',
      /^type cannot be changed/,
    ],
  ] as const)
    it(`refuses ${what}`, async () => {
      const { endpoint, text } = await withEndpoint();
      await assert.rejects(readEdit(edit(text), endpoint, LOCAL), isInvalid(kind, reason));
    });

  it('names the command of a process that the change starts', async () => {
    const { client, endpoint, text } = await withEndpoint();
    const change = await readEdit(text.replace('worker.mjs', 'other.mjs'), endpoint, LOCAL);
    assert.equal(replacesWorkers(change), true);
    const process = await processAfter(client, change, endpoint);
    assert.equal(process?.directory, fixtures);
    assert.match(process.command, /other\.mjs$/);
    assert.equal(await processAfter(client, await readEdit(text, endpoint, LOCAL), endpoint), undefined);
  });

  it('names the command that comes from a template', async () => {
    const { client, endpoint, text } = await withEndpoint();
    const template = await client.createTemplate({
      body: { name: 'base', image: `process:${fixtures}`, args: 'node server.mjs', serverless: true },
    });
    const change = await readEdit(`${text}templateId: ${template.id}\n`, endpoint, LOCAL);
    assert.match((await processAfter(client, change, endpoint))?.command ?? '', /server\.mjs/);
  });

  it('names the settings that another edit has changed in the meantime', async () => {
    const { client, endpoint, text } = await withEndpoint();
    const change = await readEdit(text.replace('queueDelay: 1', 'queueDelay: 7'), endpoint, LOCAL);
    assert.deepEqual(await overwrittenSettings(client, change, endpoint), []);
    await client.updateEndpoint({
      id: endpoint.id,
      body: { name: 'renamed', scaling: { type: 'QUEUE_DELAY', queueDelay: 9 } },
    });
    assert.deepEqual(await overwrittenSettings(client, change, endpoint), ['scaling']);
  });

  it('rejects with the error of the platform if the endpoint no longer exists', async () => {
    const { client, endpoint, text } = await withEndpoint();
    const change = await readEdit(text.replace('queueDelay: 1', 'queueDelay: 7'), endpoint, LOCAL);
    await client.deleteEndpoint({ id: endpoint.id });
    await assert.rejects(
      overwrittenSettings(client, change, endpoint),
      (error) => error instanceof ApiError && error.kind === 'notFound',
    );
  });
});
