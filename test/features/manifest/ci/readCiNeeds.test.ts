import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localFiles } from '../../../../src/cli/localFiles.ts';
import { planCiWorkflow, readCiNeeds } from '../../../../src/features/manifest/ci/actions/planCiWorkflow.ts';

const MANIFEST = `name: hello
env: { TOKEN: "\${secret:HF_TOKEN}", LEVEL: "\${env:LOG_LEVEL}" }
x-build: { repository: ghcr.io/team/hello }
x-environments:
  production:
    patch:
      env: { TOKEN: null, KEY: "\${secret:PRODUCTION_KEY}" }
      x-build: { repository: registry.example.com/team/hello }
`;
const LOCAL = 'x-local: { directory: hello, command: node worker.mjs }\n';

describe('The needs of a workflow', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const needs = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    return readCiNeeds(localFiles, folder, new AbortController().signal);
  };

  it('are the references, registries, and tests of all manifests and environments', async () => {
    assert.deepEqual(await needs({ 'a/hello.endpoint.yaml': MANIFEST }), {
      registries: ['ghcr.io', 'registry.example.com'],
      tests: 'none',
      gates: [],
      secrets: ['HF_TOKEN', 'PRODUCTION_KEY'],
      variables: ['LOG_LEVEL'],
    });
  });

  it('are containers for tests unless each manifest has a process', async () => {
    const job = { 'hello.job.json': '{ "input": {}, "expect": {} } // a test' };
    assert.equal((await needs({ 'hello.endpoint.yaml': MANIFEST, ...job })).tests, 'containers');
    assert.equal((await needs({ 'hello.endpoint.yaml': MANIFEST + LOCAL })).tests, 'processes');
  });

  it('are the endpoints with a gate, by name if their file has several', async () => {
    const gate = `${MANIFEST}x-gate: { require: true }\n`;
    const { gates } = await needs({
      'a/one.endpoint.yaml': gate,
      'two.endpoint.yaml': MANIFEST,
      'three.endpoint.yaml': `${gate}---\n${MANIFEST}---\n${gate.replace('hello', 'second')}`,
    });
    assert.deepEqual(
      gates.toSorted((left, right) => left.path.localeCompare(right.path)),
      [
        { path: 'a/one.endpoint.yaml' },
        { path: 'three.endpoint.yaml', endpoint: 'hello' },
        { path: 'three.endpoint.yaml', endpoint: 'second' },
      ],
    );
  });

  it('contain tests if a request has an expectation', async () => {
    const file = { 'hello.endpoint.yaml': MANIFEST + LOCAL };
    assert.equal((await needs({ ...file, 'hello.http': '### get\nGET /\n' })).tests, 'none');
    assert.equal((await needs({ ...file, 'hello.http': '### get\n# @expect status 200\nGET /\n' })).tests, 'processes');
  });

  it('do not overwrite the pipeline of a repository', async () => {
    const setup = {
      ...(await needs({ 'hello.endpoint.yaml': MANIFEST })),
      ...{
        folder: '.',
        branch: 'main',
        program: { version: '1.0.0', vsix: 'https://example.com/a.vsix', digest: 'ab' },
      },
    };
    const planned = planCiWorkflow('gitlab', setup, (file) => file === '.gitlab-ci.yml');
    assert.equal(planned.path, '.gitlab/cloud-compute.yml');
    assert.equal(planned.include, 'include: [{ local: .gitlab/cloud-compute.yml }]');
    assert.deepEqual(planned.secrets.slice(1), [
      ...['HF_TOKEN', 'PRODUCTION_KEY'],
      ...['REGISTRY_USERNAME', 'REGISTRY_PASSWORD'],
    ]);
  });
});
