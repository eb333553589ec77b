import assert from 'node:assert/strict';
import path from 'node:path';
import { ApiError } from '../../../../src/client/apiError.ts';
import {
  createEndpoint,
  findNamesake,
  InvalidManifestError,
  processOfDraft,
  readDraft,
  type ManifestSource,
} from '../../../../src/features/manifest/actions/createEndpoint.ts';
import { NoFolderError } from '../../../../src/features/manifest/actions/compareWithDeployed.ts';
import { cleanUp, fixtures } from '../../../platform/support.ts';
import { createPaused, storeOnPlatform } from '../../storeOnPlatform.ts';

const MANIFEST = `
name: made
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
image: registry.example.com/worker:1
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { min: 0, max: 0 }
`;
const LOCAL_PART = 'x-local: { directory: fixtures, command: node worker.mjs }\n';

const source = (changes: Partial<ManifestSource> = {}): ManifestSource => ({
  text: MANIFEST + LOCAL_PART,
  language: 'yaml',
  target: 'local',
  folder: path.dirname(fixtures),
  ...changes,
});

describe('readDraft', () => {
  it('uses the local directory for the local platform, and the image for a hosted platform', async () => {
    const [local, hosted] = [await readDraft(source()), await readDraft(source({ target: 'hosted' }))];
    assert.deepEqual([local.body.image, local.body.args], [`process:${fixtures}`, 'node worker.mjs']);
    assert.equal(hosted.body.image, 'registry.example.com/worker:1');
    assert.ok(!('x-local' in hosted.body));
  });

  it('requires a folder only for a relative directory', async () => {
    await assert.rejects(readDraft(source({ folder: undefined })), NoFolderError);
    const text = `${MANIFEST}x-local: { directory: ${fixtures}, command: node worker.mjs }\n`;
    assert.equal((await readDraft(source({ text, folder: undefined }))).body.image, `process:${fixtures}`);
    assert.ok(await readDraft(source({ target: 'hosted', folder: undefined })));
  });

  it('throws all problems of the text', async () => {
    const text = MANIFEST.replace('type: QUEUE\n', 'type: HEAP\n').replace('name: made', 'name: 5');
    await assert.rejects(readDraft(source({ text })), (error) => {
      assert.ok(error instanceof InvalidManifestError);
      assert.ok(error.problems.length >= 2);
      return true;
    });
  });
});

describe('createEndpoint', () => {
  afterEach(cleanUp);

  it('creates the endpoint on the platform and adds it to the store', async () => {
    const { client, store } = await storeOnPlatform();
    const created = await createEndpoint({ client, store }, await readDraft(source()), new AbortController().signal);
    assert.equal(created.image, `process:${fixtures}`);
    assert.equal(store.find(created.id)?.endpoint.name, 'made');
    assert.equal((await client.getEndpoint({ id: created.id })).name, 'made');
  });

  it('throws the validation error of the platform with its fields', async () => {
    const { client, store } = await storeOnPlatform();
    const draft = await readDraft(source({ text: `${MANIFEST}registry: unknown\n${LOCAL_PART}` }));
    await assert.rejects(createEndpoint({ client, store }, draft, new AbortController().signal), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.kind, 'validation');
      assert.deepEqual(
        error.fields.map((field) => field.path),
        [['registry']],
      );
      return true;
    });
    assert.deepEqual((await client.listEndpoints({})).endpoints, []);
  });

  it('can be canceled before the request is sent', async () => {
    const { client, store } = await storeOnPlatform();
    await assert.rejects(
      createEndpoint({ client, store }, await readDraft(source()), AbortSignal.abort()),
      (error) => error instanceof ApiError && error.kind === 'canceled',
    );
    assert.deepEqual((await client.listEndpoints({})).endpoints, []);
  });

  it('finds an endpoint with the same name that another client created', async () => {
    const { client, store } = await storeOnPlatform();
    assert.equal(await findNamesake(store, 'made'), undefined);
    const { id } = await createPaused(client, 'made');
    assert.equal((await findNamesake(store, 'made'))?.endpoint.id, id);
    assert.equal(await findNamesake(store, 'other'), undefined);
  });

  it('returns the command that a template adds', async () => {
    const { client } = await storeOnPlatform();
    const { id } = await client.createTemplate({
      body: { name: 'base', image: `process:${fixtures}`, serverless: true },
    });
    const text = MANIFEST.replace(/image: .*\n/, `templateId: ${id}\nargs: node worker.mjs\n`);
    const draft = await readDraft(source({ text, target: 'hosted' }));
    assert.equal((await processOfDraft(client, draft))?.command, 'node worker.mjs');
    assert.equal(await processOfDraft(client, await readDraft(source({ target: 'hosted' }))), undefined);
  });
});
