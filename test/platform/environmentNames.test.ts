// Clauses of the interface: Endpoints 7.
import assert from 'node:assert/strict';
import process from 'node:process';
import { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { cleanUp, dataDirectory, endpointBody, platformForTest, type Api } from './support.ts';

/** Names that every JavaScript object inherits, or that have a setter. They are JSON because a literal `__proto__` sets the prototype. */
const NAMES = '{"__proto__":"p","constructor":"c","toString":"t","hasOwnProperty":"h","valueOf":"v"}';
const env = JSON.parse(NAMES) as Record<string, string>;

describe('Names of environment variables', () => {
  afterEach(cleanUp);

  const paused = { workers: { min: 0, max: 0 } };
  const written = (value: Record<string, string> | undefined): string => JSON.stringify(value);
  const read = async (api: Api, id: string) => {
    const response = await api.fetch(operations.getEndpoint, { parameters: { id } });
    return (await response.json()) as { env: Record<string, string> };
  };

  it('are returned unchanged, even after a restart', async () => {
    const dataDir = await dataDirectory();
    const first = await platformForTest({ dataDir });
    const { id } = await first.api.createEndpoint({ ...paused, env });
    assert.equal(written((await read(first.api, id)).env), NAMES);
    await first.platform.close();
    const second = await platformForTest({ dataDir });
    assert.equal(written((await read(second.api, id)).env), NAMES);
  });

  it('pass the schema of a response', async () => {
    const { api } = await platformForTest();
    const created = await api.createEndpoint({ ...paused, env });
    assert.equal(written(created.env), NAMES);
    assert.equal(written(Endpoint.parse(created).env), NAMES);
  });

  it('are merged with those of a template, and the body wins', async () => {
    const { api } = await platformForTest();
    const body = { name: 'base', image: 'example/base:1', serverless: true, env: { ...env, A: 'a' } };
    const template = await api.call(operations.createTemplate, { body });
    assert.equal(written(template.env), written({ ...env, A: 'a' }));
    const winning = JSON.parse('{"__proto__":"mine","B":"b"}') as Record<string, string>;
    const created = await api.createEndpoint({ ...paused, templateId: template.id, env: winning });
    assert.deepEqual(Object.entries(created.env ?? {}), Object.entries({ ...env, A: 'a', ...winning }));
  });

  it('are listed in a release only if their values change', async () => {
    const { api } = await platformForTest();
    const { id } = await api.createEndpoint({ ...paused, env: { A: 'a' } });
    const update = async (changed: unknown) =>
      api.call(operations.updateEndpoint, { parameters: { id }, body: { env: changed } });
    await update({ ...env, A: 'a' });
    await update({ ...env, A: 'b' });
    const { releases } = await api.call(operations.listEndpointReleases, { parameters: { id } });
    const names = releases.map(({ diff }) =>
      diff.map(({ field, old, new: now }) => [field, Object.keys(old ?? {}), Object.keys(now ?? {})]),
    );
    assert.deepEqual(names, [[['template.env', ['A'], ['A']]], [['template.env', [], Object.keys(env)]], []]);
  });

  it('reach the worker', async () => {
    const { api } = await platformForTest();
    const program = `console.log(JSON.stringify(Object.entries(process.env))); setTimeout(() => 0, 60_000)`;
    const endpoint = await api.createEndpoint({ env, cmd: [process.execPath, '-e', program] });
    const [worker] = await api.workers(endpoint);
    const events = await api.logsUntil(endpoint, worker?.id ?? '', ({ source }) => source === 'container');
    const line = events.find(({ source }) => source === 'container')?.line ?? '[]';
    const seen = JSON.parse(line) as [string, string][];
    assert.deepEqual(Object.fromEntries(seen.filter(([name]) => Object.hasOwn(env, name))), env);
  });

  it('are read from a manifest', () => {
    const text = JSON.stringify({ ...endpointBody(), env: JSON.parse(NAMES) as unknown });
    const { parts, problems } = readManifestFile(text, { language: 'json', target: 'local' });
    const manifest = parts[0]?.manifest;
    assert.deepEqual(problems, []);
    assert.equal(written(manifest?.env), NAMES);
  });
});
