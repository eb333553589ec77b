import assert from 'node:assert/strict';
import path from 'node:path';
import type { Manifest } from '../../../../../src/contract/manifest.ts';
import { operations } from '../../../../../src/contract/operations.ts';
import { manifestOf as deployedManifest } from '../../../../../src/features/manifest/model/deployment/endpointManifest.ts';
import { endpointSections, looksLikeSecret } from '../../../../../src/features/manifest/model/starters/fromEndpoint.ts';
import { manifestText } from '../../../../../src/features/manifest/model/starters/section.ts';
import { cleanUp, endpointBody, fixtures, platformForTest } from '../../../../platform/support.ts';
import { LANGUAGES, localBody, manifestOf } from './starters.ts';

const source = { platform: 'Production', relative: (directory: string) => path.basename(directory), hidden: [] };

describe('endpointSections', () => {
  after(cleanUp);

  it('creates an endpoint with the same settings', async () => {
    const { api } = await platformForTest();
    const given = {
      workers: { min: 0, max: 0 },
      env: { GREETING: 'Hi\nyou', EMPTY: '' },
      disk: 7,
      flashboot: 'FLASHBOOT',
    } as const;
    const original = await api.call(operations.createEndpoint, { body: endpointBody(given) });
    for (const language of LANGUAGES) {
      const body = await localBody(endpointSections(original, source), path.dirname(fixtures), language);
      const copy = await api.call(operations.createEndpoint, { body });
      assert.deepEqual(deployedManifest(copy), deployedManifest(original));
      assert.notEqual(copy.id, original.id);
    }
  });

  it('turns a process image into x-local, with a directory relative to the file', async () => {
    const { api } = await platformForTest();
    const original = await api.call(operations.createEndpoint, { body: endpointBody({ workers: { min: 0, max: 0 } }) });
    const manifest = manifestOf(endpointSections(original, source)) as Record<string, unknown>;
    assert.deepEqual([manifest['image'], manifest['args']], [undefined, undefined]);
    assert.equal((manifest['x-local'] as { readonly directory: string }).directory, path.basename(fixtures));
  });

  it('keeps the setting for GPUs of the local platform, with and without a process', async () => {
    const { api } = await platformForTest();
    const gpus = { cpu: undefined, gpu: { pools: ['ADA_24'] }, 'x-local': { gpu: 'ignore' as const } };
    const paused = { workers: { min: 0, max: 0 }, ...gpus };
    for (const image of [undefined, { image: 'example/worker:1', args: undefined }]) {
      const original = await api.call(operations.createEndpoint, { body: endpointBody({ ...paused, ...image }) });
      const sections = endpointSections(original, source);
      const local = (manifestOf(sections) as Manifest)['x-local'];
      assert.equal(local?.gpu, 'ignore');
      assert.equal(local.directory, image ? undefined : path.basename(fixtures));
      const copy = await api.call(operations.createEndpoint, {
        body: await localBody(sections, path.dirname(fixtures)),
      });
      assert.deepEqual(deployedManifest(copy), deployedManifest(original));
    }
  });

  it('omits the values of variables whose names look like secrets, and lists the names', async () => {
    const { api } = await platformForTest();
    const env = { HF_TOKEN: 'value-1', 'evil_KEY\nname: other': 'value-2', LOG_LEVEL: 'debug' };
    const body = endpointBody({ workers: { min: 0, max: 0 }, env });
    const original = await api.call(operations.createEndpoint, { body });
    const sections = endpointSections({ ...original, name: 'a\nimage: b' }, { ...source, platform: 'x\ny: z' });
    for (const language of LANGUAGES) {
      const text = manifestText(sections, language);
      assert.match(text, /(#|\/\/) - HF_TOKEN\n/);
      assert.ok(!text.includes('value-'));
    }
    const manifest = manifestOf(sections) as Record<string, unknown>;
    assert.deepEqual(manifest['env'], { LOG_LEVEL: 'debug' });
    assert.deepEqual([manifest['name'], manifest['image']], ['a\nimage: b', undefined]);
  });

  it('writes known secrets as references, and other text of the platform as literals', async () => {
    const { api } = await platformForTest();
    const env = { AUTH_TOKEN: 'known-secret', LOOT: '${secret:OTHER}', PLAIN: 'q8ZrT2vLx0Wn5KpYb7Md', WORD: 'hello' };
    const original = await api.call(operations.createEndpoint, {
      body: endpointBody({ workers: { min: 0, max: 0 }, env }),
    });
    const hidden = [{ reference: { kind: 'secret', name: 'AUTH' }, value: 'known-secret' }] as const;
    const manifest = manifestOf(endpointSections(original, { ...source, hidden })) as Record<string, unknown>;
    assert.deepEqual(manifest['env'], {
      AUTH_TOKEN: '${secret:AUTH}',
      LOOT: '$${secret:OTHER}',
      PLAIN: 'q8ZrT2vLx0Wn5KpYb7Md',
      WORD: 'hello',
    });
  });

  it('recognizes names of secrets', () => {
    const secrets = [
      'API_KEY',
      'apiKey',
      'HF_TOKEN',
      'DB_PASSWORD',
      'aws-secret-access-key',
      'PGPASSWORD',
      'APIKEY',
      'CREDENTIALS',
    ];
    const others = [
      'LOG_LEVEL',
      'MONKEYS',
      'MAX_TOKENS',
      'KEYBOARD',
      'PORT',
      'TOKENIZER',
      'PATH',
      'AUTHOR',
      'PASSTHROUGH',
    ];
    assert.deepEqual(
      secrets.filter((name) => !looksLikeSecret(name)),
      [],
    );
    assert.deepEqual(others.filter(looksLikeSecret), []);
  });
});
