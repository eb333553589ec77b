import assert from 'node:assert/strict';
import path from 'node:path';
import { ApiError } from '../../../../src/client/apiError.ts';
import type { Client } from '../../../../src/client/client.ts';
import type { Endpoint, UpdateEndpointBody } from '../../../../src/contract/endpoint.ts';
import {
  compareWithDeployed,
  directoryInFile,
  NoFolderError,
} from '../../../../src/features/manifest/actions/compareWithDeployed.ts';
import { readEnvValues, NO_VALUES } from '../../../../src/features/manifest/actions/resolveBody.ts';
import { createEndpoint, readDraft } from '../../../../src/features/manifest/actions/createEndpoint.ts';
import {
  deployedText,
  pullManifest,
  UneditableTextError,
} from '../../../../src/features/manifest/actions/pullManifest.ts';
import {
  overwrittenSettings,
  planUpdate,
  updateFromManifest,
} from '../../../../src/features/manifest/actions/updateEndpoint.ts';
import type { Resolve } from '../../../../src/features/manifest/model/deployment/compare.ts';
import type { HiddenValue } from '../../../../src/account/secrets/hiddenValues.ts';
import { applyChanges } from '../../../../src/features/manifest/model/editing/textChanges.ts';
import { readManifestFile, type ManifestFile } from '../../../../src/features/manifest/model/manifestFile.ts';
import type { ManifestLanguage } from '../../../../src/features/manifest/model/text/node.ts';
import { cleanUp, fixtures } from '../../../platform/support.ts';
import { storeOnPlatform } from '../../storeOnPlatform.ts';

const texts: Readonly<Record<ManifestLanguage, string>> = {
  yaml: `# The greeter of the shop.
name: made
type: QUEUE # jobs wait in a queue
scaling: { type: QUEUE_DELAY, queueDelay: 1 } # seconds
cpu:
  # Cheapest first.
  - id: cpu3c
    vcpuCount: 2
workers: { min: 0, max: 0 }
env:
  MODE: fast # or slow
  COLOR: red
x-local:
  directory: fixtures # beside this file
  command: node worker.mjs
`,
  json: `// The greeter of the shop.
{
  "name": "made",
  "type": "QUEUE", // jobs wait in a queue
  "scaling": { "type": "QUEUE_DELAY", "queueDelay": 1 }, // seconds
  "cpu": [
    // Cheapest first.
    { "id": "cpu3c", "vcpuCount": 2 }
  ],
  "workers": { "min": 0, "max": 0 },
  "env": {
    "MODE": "fast", // or slow
    "COLOR": "red",
  },
  "x-local": {
    "directory": "fixtures", // beside this file
    "command": "node worker.mjs"
  }
}
`,
};

const surroundings = { target: 'local', folder: path.dirname(fixtures) } as const;
const signal = new AbortController().signal;

function manifestAt({ parts }: ManifestFile, index: number) {
  const { manifest } = parts[index] ?? {};
  assert.ok(manifest);
  return manifest;
}

function fileOf(text: string, language: ManifestLanguage) {
  const file = readManifestFile(text, { language, target: 'local' });
  assert.deepEqual(
    file.problems.filter(({ severity }) => severity === 'error'),
    [],
  );
  return { file, manifest: manifestAt(file, 0) };
}

const literal: Resolve = (text) => text;

async function compare(
  client: Client,
  text: string,
  language: ManifestLanguage,
  endpoint: Endpoint,
  resolve: Resolve = literal,
  hidden: readonly HiddenValue[] = [],
) {
  const { file, manifest } = fileOf(text, language);
  const comparison = await compareWithDeployed(client, { manifest, resolve, ...surroundings }, endpoint);
  return { file, part: 0, comparison, hidden, ...surroundings };
}

const fieldsOf = ({ comparison }: Awaited<ReturnType<typeof compare>>) =>
  comparison.changes.map(({ field }) => field).sort();

describe('A manifest and its deployed endpoint', () => {
  afterEach(cleanUp);

  async function created(text: string, language: ManifestLanguage) {
    const { client, store } = await storeOnPlatform();
    const draft = await readDraft({ text, language, ...surroundings });
    const endpoint = await createEndpoint({ client, store }, draft, signal);
    return { client, store, endpoint };
  }

  for (const language of ['yaml', 'json'] as const) {
    const text = texts[language];

    it(`${language}: is in sync after its creation, and after an update from a changed file`, async () => {
      const { client, store, endpoint } = await created(text, language);
      assert.deepEqual(fieldsOf(await compare(client, text, language, endpoint)), []);

      const changed = text.replace('node worker.mjs', 'node other.mjs').replace('red', 'blue').replace('Cheapest', 'x');
      const { manifest } = fileOf(changed, language);
      const plan = await planUpdate(client, { manifest, resolve: literal, ...surroundings }, endpoint.id);
      assert.deepEqual(plan.comparison.body, { args: 'node other.mjs', env: { MODE: 'fast', COLOR: 'blue' } });
      assert.deepEqual(plan.violations, []);
      assert.equal(plan.process?.command, 'node other.mjs');
      assert.deepEqual(await overwrittenSettings(client, plan.comparison, plan.endpoint), []);

      const updated = await updateFromManifest({ client, store }, plan, { values: [], signal });
      assert.deepEqual(fieldsOf(await compare(client, changed, language, updated)), []);
      assert.equal(store.find(endpoint.id)?.endpoint.args, 'node other.mjs');
    });

    it(`${language}: drifts when the endpoint changes, and is in sync after a pull that keeps the comments`, async () => {
      const { client, endpoint } = await created(text, language);
      const drift: UpdateEndpointBody = {
        name: 'renamed',
        timeout: 600_000,
        scaling: { type: 'QUEUE_DELAY', queueDelay: 7 },
        workers: { max: 2 },
        env: { MODE: 'slow', SIZE: 'large' },
        cpu: [
          { id: 'cpu3c', vcpuCount: 4 },
          { id: 'cpu5c', vcpuCount: 2 },
        ],
        disk: 30,
        ports: ['8000/http'],
        cmd: ['node', 'third.mjs'],
      };
      await client.updateEndpoint({ id: endpoint.id, body: drift });
      const deployed = await client.getEndpoint({ id: endpoint.id });
      const source = await compare(client, text, language, deployed);
      assert.deepEqual(
        fieldsOf(source),
        ['args', 'cmd', 'cpu', 'env', 'name', 'ports', 'scaling', 'timeout', 'workers'].sort(),
      );
      const { changes, kept } = pullManifest(source);
      assert.deepEqual(kept, []);
      const pulled = applyChanges(text, changes);
      for (const comment of ['The greeter of the shop', 'jobs wait', 'seconds', 'Cheapest first', 'or slow', 'beside'])
        assert.ok(pulled.includes(comment), `${comment} in ${pulled}`);
      const { manifest } = fileOf(pulled, language);
      assert.deepEqual(manifest['x-local'], { directory: 'fixtures', command: ['node', 'third.mjs'] });
      assert.deepEqual(manifest.env, { MODE: 'slow', SIZE: 'large' });
      assert.deepEqual(manifest.workers, { min: 0, max: 2 });
      assert.deepEqual(fieldsOf(await compare(client, pulled, language, deployed)), []);
    });

    it(`${language}: is compared with a text that has its comments, its form, and only the differences`, async () => {
      const { client, endpoint } = await created(text, language);
      const same = deployedText(await compare(client, text, language, endpoint));
      assert.equal(same, text);
      await client.updateEndpoint({ id: endpoint.id, body: { scaling: { type: 'QUEUE_DELAY', queueDelay: 7 } } });
      const deployed = await client.getEndpoint({ id: endpoint.id });
      const other = deployedText(await compare(client, text, language, deployed));
      assert.equal(other, same.replace(/(queueDelay"?: )1/, '$17'));
    });
  }

  it('shows references instead of their values, and hides values that the file does not contain', async () => {
    const text = texts.yaml.replace('COLOR: red', 'TOKEN: ${env:TOKEN}\n  OTHER: ${env:OTHER}');
    const resolve: Resolve = (value) =>
      value.startsWith('${') ? { '${env:TOKEN}': 'hush', '${env:OTHER}': 'new' }[value] : value;
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const env = { MODE: 'slow', TOKEN: 'hush', OTHER: 'old-secret', EXTRA: 'another-secret' };
    const deployed = await client.updateEndpoint({ id: endpoint.id, body: { env } });
    const hidden: readonly HiddenValue[] = [{ reference: { kind: 'secret', name: 'EXTRA' }, value: 'another-secret' }];
    const source = await compare(client, text, 'yaml', deployed, resolve, hidden);
    const shown = deployedText(source);
    assert.doesNotMatch(shown, /hush|secret/);
    assert.match(
      shown,
      /env:\n {2}MODE: slow # or slow\n {2}TOKEN: \$\{env:TOKEN\}\n {2}OTHER: \(another value\)\n {2}EXTRA: \(another value\)\n/,
    );
    const { changes, kept } = pullManifest(source);
    assert.deepEqual(kept, ['OTHER']);
    assert.match(
      applyChanges(text, changes),
      /MODE: slow # or slow\n {2}TOKEN: \$\{env:TOKEN\}\n {2}OTHER: \$\{env:OTHER\}\n {2}EXTRA: "\$\{secret:EXTRA\}"\n/,
    );
  });

  it('has the settings of its template, and names them itself after a pull of other settings', async () => {
    const { client } = await storeOnPlatform();
    const { id } = await client.createTemplate({
      body: {
        name: 'base',
        image: `process:${fixtures}`,
        args: 'node worker.mjs',
        env: { A: '1', B: '2' },
        serverless: true,
      },
    });
    const text = texts.yaml.replace(/env:\n.*\n.*\n/, '').replace(/x-local:\n.*\n.*\n/, `templateId: ${id} # shared\n`);
    const { manifest } = fileOf(text, 'yaml');
    const endpoint = await client.createEndpoint({ body: manifest });
    assert.deepEqual(fieldsOf(await compare(client, text, 'yaml', endpoint)), []);

    const renamed = await client.updateEndpoint({ id: endpoint.id, body: { name: 'other' } });
    const { changes } = pullManifest(await compare(client, text, 'yaml', renamed));
    assert.equal(applyChanges(text, changes), text.replace('made', 'other'));

    const changed = await client.updateEndpoint({ id: endpoint.id, body: { name: 'made', env: { A: '1' } } });
    const source = await compare(client, text, 'yaml', changed);
    assert.deepEqual(source.comparison.body, { env: { A: '1', B: '2' } });
    const pulled = applyChanges(text, pullManifest(source).changes);
    const { env, templateId, image, args } = fileOf(pulled, 'yaml').manifest;
    assert.deepEqual([env, templateId, image, args], [{ A: '1' }, undefined, `process:${fixtures}`, 'node worker.mjs']);
    assert.deepEqual(fieldsOf(await compare(client, pulled, 'yaml', changed)), []);
  });

  it('sends no secret that the variables of a template refer to', async () => {
    const { client, store } = await storeOnPlatform();
    const { id } = await client.createTemplate({
      body: { name: 'thief', image: `process:${fixtures}`, env: { LOOT: '${secret:TOKEN}' }, serverless: true },
    });
    const text = texts.yaml.replace(/x-local:\n.*\n.*\n/, `templateId: ${id}\n`).replace('red', '${secret:COLOR}');
    const { manifest } = fileOf(text, 'yaml');
    const endpoint = await client.createEndpoint({ body: { ...manifest, env: { COLOR: 'red' } } });
    const source = { ...NO_VALUES, secret: (name: string) => Promise.resolve(`value of ${name}`) };
    const { resolve, values } = await readEnvValues([manifest.env], source);
    assert.deepEqual(values, ['value of COLOR']);
    const plan = await planUpdate(client, { manifest, resolve, ...surroundings }, endpoint.id);
    const updated = await updateFromManifest({ client, store }, plan, { values });
    assert.deepEqual(updated.env, { LOOT: '${secret:TOKEN}', MODE: 'fast', COLOR: 'value of COLOR' });
  });

  it('removes the values of references from the error of an update', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const { manifest } = fileOf(texts.yaml.replace('red', '${secret:COLOR}'), 'yaml');
    const { resolve, values } = await readEnvValues([manifest.env], {
      ...NO_VALUES,
      secret: () => Promise.resolve('crimson-secret'),
    });
    const plan = await planUpdate(client, { manifest, resolve, ...surroundings }, endpoint.id);
    const failing = {
      update: () =>
        Promise.reject(new ApiError('validation', 'crimson-secret is no color', { operation: 'updateEndpoint' })),
    };
    await assert.rejects(
      updateFromManifest({ client, store: failing }, plan, { values }),
      (error) => error instanceof ApiError && !error.message.includes('crimson'),
    );
  });

  it('is compared without the settings of a template that no longer exists', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const text = `${texts.yaml}templateId: gone\n`;
    assert.deepEqual(fieldsOf(await compare(client, text, 'yaml', endpoint)), []);
  });

  it('loses x-local in a pull if the endpoint has no command that x-local can express', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const changed = { ...endpoint, image: 'example/worker:2', args: undefined, cmd: ['serve'] };
    const source = await compare(client, texts.yaml, 'yaml', changed);
    const { manifest } = fileOf(applyChanges(texts.yaml, pullManifest(source).changes), 'yaml');
    assert.deepEqual([manifest['x-local'], manifest.image, manifest.cmd], [undefined, 'example/worker:2', ['serve']]);
  });

  for (const language of ['yaml', 'json'] as const)
    it(`${language}: keeps the other members of x-local in a pull`, async () => {
      const { client, endpoint } = await created(texts[language], language);
      const member =
        language === 'json'
          ? '"inputSchema": "in.json", // schema\n    "directory"'
          : 'inputSchema: in.json # schema\n  directory';
      const text = texts[language].replace(language === 'json' ? '"directory"' : 'directory', member);
      const pulled = async (deployed: Endpoint, from = text) => {
        const changes = pullManifest(await compare(client, from, language, deployed)).changes;
        const result = applyChanges(from, changes);
        assert.deepEqual(fieldsOf(await compare(client, result, language, deployed)), []);
        return { result, local: fileOf(result, language).manifest['x-local'] };
      };
      const changed = await client.updateEndpoint({
        id: endpoint.id,
        body: { args: 'node other.mjs', 'x-local': { gpu: 'ignore' } },
      });
      const program = { directory: 'fixtures', command: 'node other.mjs' };
      const first = await pulled(changed);
      assert.deepEqual(first.local, { inputSchema: 'in.json', ...program, gpu: 'ignore' });
      assert.match(first.result, /(#|\/\/) schema\n/);
      const second = await pulled(
        await client.updateEndpoint({ id: endpoint.id, body: { 'x-local': {} } }),
        first.result,
      );
      assert.deepEqual(second.local, { inputSchema: 'in.json', ...program });
      const image = { ...changed, image: 'example/worker:2', args: undefined, cmd: ['serve'] };
      assert.deepEqual((await pulled(image)).local, { inputSchema: 'in.json', gpu: 'ignore' });
    });

  it('is pulled in a file with several endpoints without a change of the others', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const second = texts.yaml.replace('made', 'second');
    const text = `${second}---\n${texts.yaml}`;
    const { file } = fileOf(text, 'yaml');
    const deployed = await client.updateEndpoint({ id: endpoint.id, body: { timeout: 1_000 } });
    const manifest = manifestAt(file, 1);
    const comparison = await compareWithDeployed(client, { manifest, resolve: literal, ...surroundings }, deployed);
    const { changes } = pullManifest({ file, part: 1, comparison, hidden: [], ...surroundings });
    assert.equal(applyChanges(text, changes), `${text}timeout: 1000\n`);
  });

  it('is not pulled if a merged map supplies the setting, and the comparison shows only the endpoint', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const text = texts.yaml.replace('name: made\n', '<<: &base { timeout: 5000 }\nname: made\n');
    const source = await compare(client, text, 'yaml', endpoint);
    assert.throws(() => pullManifest(source), UneditableTextError);
    const shown = deployedText(source);
    assert.match(shown, /timeout: 300000/);
    assert.doesNotMatch(shown, /<<|#/);
  });

  it('is not updated to another type, and the violation names the field', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const text = texts.yaml
      .replace('type: QUEUE ', 'type: LOAD_BALANCER ')
      .replace('type: QUEUE_DELAY, queueDelay: 1', 'type: REQUEST_COUNT, requestCount: 1');
    const { manifest } = fileOf(text, 'yaml');
    const { violations } = await planUpdate(client, { manifest, resolve: literal, ...surroundings }, endpoint.id);
    assert.deepEqual(
      violations.map(({ code, path: field }) => [code, field]),
      [['typeChanged', ['type']]],
    );
  });

  it('reports a broken rule of an update at its field, and the fields that the platform rejects', async () => {
    const { client, store, endpoint } = await created(texts.yaml, 'yaml');
    const { manifest } = fileOf(`${texts.yaml}registry: unknown\n`, 'yaml');
    const plan = await planUpdate(client, { manifest, resolve: literal, ...surroundings }, endpoint.id);
    await assert.rejects(updateFromManifest({ client, store }, plan, { values: [], signal }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(
        error.fields.map((field) => field.path),
        [['registry']],
      );
      return true;
    });
  });

  it('names the settings that another client has changed since the plan was made', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const { manifest } = fileOf(texts.yaml.replace('queueDelay: 1', 'queueDelay: 3'), 'yaml');
    const plan = await planUpdate(client, { manifest, resolve: literal, ...surroundings }, endpoint.id);
    const scaling = { type: 'QUEUE_DELAY', queueDelay: 9 } as const;
    await client.updateEndpoint({ id: endpoint.id, body: { scaling, timeout: 1_000 } });
    assert.deepEqual(await overwrittenSettings(client, plan.comparison, plan.endpoint), ['scaling']);
  });

  it('sends no update that is canceled before', async () => {
    const { client, store, endpoint } = await created(texts.yaml, 'yaml');
    const { manifest } = fileOf(texts.yaml.replace('queueDelay: 1', 'queueDelay: 3'), 'yaml');
    const plan = await planUpdate(client, { manifest, resolve: literal, ...surroundings }, endpoint.id);
    await assert.rejects(
      updateFromManifest({ client, store }, plan, { values: [], signal: AbortSignal.abort() }),
      (error) => error instanceof ApiError && error.kind === 'canceled',
    );
    assert.equal((await client.getEndpoint({ id: endpoint.id })).scaling.queueDelay, 1);
    assert.equal(store.find(endpoint.id)?.updating, false);
  });

  it('requires a folder for a relative directory', async () => {
    const { client, endpoint } = await created(texts.yaml, 'yaml');
    const { manifest } = fileOf(texts.yaml, 'yaml');
    const source = { manifest, resolve: literal, target: 'local', folder: undefined } as const;
    await assert.rejects(compareWithDeployed(client, source, endpoint), NoFolderError);
  });
});

describe('directoryInFile', () => {
  it('is relative inside the folder of the manifest, and absolute outside', () => {
    const [folder, inside] = [path.resolve('/srv/shop'), path.resolve('/srv/shop/a/b')];
    assert.equal(directoryInFile(inside, folder), 'a/b');
    assert.equal(directoryInFile(folder, folder), '.');
    assert.equal(directoryInFile(path.resolve('/srv'), folder), path.resolve('/srv'));
    assert.equal(directoryInFile(inside, undefined), inside);
  });
});
