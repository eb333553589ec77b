import assert from 'node:assert/strict';
import { checkUpdateEndpoint } from '../../../../src/contract/endpointRules.ts';
import { checkManifest } from '../../../../src/contract/manifest.ts';
import { manifestOf } from '../../../../src/features/endpoints/editing/endpointManifest.ts';
import { changeBetween, changeWords } from '../../../../src/features/endpoints/editing/manifestChange.ts';
import { documentPath, parseDocumentPath } from '../../../../src/features/endpoints/editing/endpointAddress.ts';
import { editableYaml, endpointYaml } from '../../../../src/features/endpoints/editing/endpointText.ts';
import type { Manifest } from '../../../../src/contract/manifest.ts';
import { endpoint } from '../sample.ts';

const rich = {
  ...endpoint,
  image: 'example/worker:1',
  env: { MODE: 'fast', TOKEN: 'secret' },
  args: 'node worker.mjs',
  entrypoint: undefined,
  cmd: ['node', 'worker.mjs'],
  cpu: [{ id: 'cpu3c', vcpuCount: 2, memory: 4 }],
  gpu: null,
  registry: null,
  ports: [],
};
const manifest = manifestOf(rich) as Manifest;

const changed = (changes: Partial<Manifest>) => changeBetween(manifest, { ...manifest, ...changes });
const without = (...names: (keyof Manifest)[]) =>
  changeBetween(
    manifest,
    Object.fromEntries(Object.entries(manifest).filter(([name]) => !names.includes(name as never))),
  );

describe('the manifest of an endpoint', () => {
  it('is one that would create it', () => {
    assert.deepEqual(checkManifest(manifest).violations, []);
  });

  it('leaves out what was not told, what is empty, and what follows from something else', () => {
    assert.deepEqual(
      Object.keys(manifest),
      ['name', 'type', 'scaling', 'image', 'args', 'disk', 'env', 'cpu', 'flashboot', 'timeout', 'workers'].filter(
        (name) => name !== 'disk',
      ),
    );
    assert.deepEqual(manifest.cpu, [{ id: 'cpu3c', vcpuCount: 2 }]);
  });

  it('holds the GPUs and volumes of an endpoint', () => {
    const gpu = { pools: ['ADA_24'], count: 1, allowedCudaVersions: [], minCudaVersion: null };
    const mounts = { network: [{ volumeId: 'v1', path: '/data' }], global: [] };
    const { gpu: asked, mounts: mounted } = manifestOf({ ...endpoint, gpu, mounts });
    assert.deepEqual(
      [asked, mounted],
      [{ pools: ['ADA_24'], count: 1 }, { network: [{ volumeId: 'v1', path: '/data' }] }],
    );
  });
});

describe('the change that an edit makes', () => {
  it('is empty when nothing is different', () => {
    assert.deepEqual(changed({}), { body: {}, changes: [], refused: [] });
  });

  it('holds only what changed', () => {
    const { body, changes } = changed({ workers: { min: 1, max: 3, idleTimeout: 10 }, image: 'example/worker:2' });
    assert.deepEqual(body, { workers: { min: 1 }, image: 'example/worker:2' });
    assert.deepEqual(changes.map(changeWords), [
      'image: example/worker:1 → example/worker:2',
      'workers: min 0, max 3, idleTimeout 10 → min 1, max 3, idleTimeout 10',
    ]);
  });

  it('replaces the environment whole, and tells the names only', () => {
    const { body, changes } = changed({ env: { MODE: 'slow', NEW: 'x' } });
    assert.deepEqual(body, { env: { MODE: 'slow', NEW: 'x' } });
    assert.deepEqual(changes.map(changeWords), ['env: another MODE, without TOKEN, with NEW']);
  });

  it('takes away what can be taken away', () => {
    assert.deepEqual(without('env', 'timeout', 'args').body, { env: {}, timeout: 300_000, args: '' });
    assert.deepEqual(without('workers').body, {});
  });

  it('refuses to take away what cannot be', () => {
    const { refused } = without('image');
    assert.match(refused[0]?.message ?? '', /image cannot be taken away/);
  });

  it('refuses another type and another hardware family, and says why', () => {
    assert.match(changed({ type: 'LOAD_BALANCER' }).refused[0]?.message ?? '', /type cannot be changed/);
    const { cpu: _, ...rest } = manifest;
    const { refused, body } = changeBetween(manifest, { ...rest, gpu: { pools: ['ADA_24'] } });
    assert.match(refused[0]?.message ?? '', /GPUs or on CPUs for its life/);
    assert.equal('gpu' in body || 'cpu' in body, false);
  });

  it('says a command in one way instead of the other', () => {
    const { args: _, ...rest } = manifest;
    assert.deepEqual(changeBetween(manifest, { ...rest, cmd: ['deno', 'worker.ts'] }).body, {
      args: '',
      cmd: ['deno', 'worker.ts'],
    });
    assert.deepEqual(changeBetween({ ...rest, cmd: ['a'], entrypoint: ['b'] }, { ...rest, cmd: ['a'] }).body, {
      entrypoint: [],
    });
  });

  it('replaces args with cmd or entrypoint in a body that breaks no rule', () => {
    const { args: _, ...rest } = manifest;
    for (const command of [{ cmd: ['deno', 'worker.ts'] }, { entrypoint: ['deno'] }]) {
      const { body } = changeBetween(manifest, { ...rest, ...command });
      assert.deepEqual(checkUpdateEndpoint(body, rich), []);
    }
  });

  it('switches the kind of volume in one request', () => {
    const network = [{ volumeId: 'v1', path: '/data' }];
    const { body } = changeBetween({ ...manifest, mounts: { network } }, { ...manifest, mounts: { global: network } });
    assert.deepEqual(body, { mounts: { network: [], global: network } });
  });

  it('gives the pools with the exclusions, and clears CUDA versions', () => {
    const gpu = { pools: ['ADA_24'], minCudaVersion: '12.4' };
    const { cpu: _, ...rest } = manifest;
    const { body } = changeBetween({ ...rest, gpu }, { ...rest, gpu: { pools: ['ADA_24'], excludedTypes: ['x'] } });
    assert.deepEqual(body, { gpu: { pools: ['ADA_24'], excludedTypes: ['x'], minCudaVersion: '' } });
  });
});

describe('the editable manifest of an endpoint', () => {
  it('keeps ids and names from adding lines', () => {
    const evil = { ...endpoint, id: 'e1)\nenv:\n  A: 1\n# (', name: 'hello\r\ndisk: 1\u2028timeout: 1' };
    const [first, second, third] = editableYaml(evil, 'here\ndisk: 2').split(/[\r\n\u2028]/);
    assert.match(first ?? '', /^# Endpoint hello disk: 1 timeout: 1 \(e1\) env: A: 1 # \(\) on here disk: 2\.$/);
    assert.match(second ?? '', /^# Saving/);
    assert.match(third ?? '', /^name:/);
  });

  it('names no schema, which an editor would load from wherever the platform says', () => {
    const name = 'yaml-language-server: $schema=https://evil.example/x.json';
    assert.doesNotMatch(editableYaml({ ...endpoint, name }, name), /^#\s+yaml-language-server\s*:/m);
    const told = { ...endpoint, $schema: 'https://evil.example/x.json' };
    assert.doesNotMatch(endpointYaml(told), /schema/);
    assert.equal(endpointYaml(told), endpointYaml(endpoint));
  });
});

describe('the address of an endpoint document', () => {
  it('has a file name without hidden characters, links, and icons', () => {
    const path = documentPath(
      { kind: 'edit', connectionId: 'c', endpointId: 'e1\ud800' },
      'a\u202eb\u200b $(flame) [x](y)',
    );
    assert.equal(path, '/edit/c/e1%EF%BF%BD/ab $ (flame) [x] (y).endpoint.yaml');
  });

  it('comes back as it was, whatever the endpoint is called', () => {
    const path = documentPath({ kind: 'edit', connectionId: 'c/d', endpointId: 'a/b' }, '../x:y');
    assert.equal(path, '/edit/c%2Fd/a%2Fb/..-x-y.endpoint.yaml');
    assert.deepEqual(parseDocumentPath(path), { kind: 'edit', connectionId: 'c/d', endpointId: 'a/b' });
  });

  it('of an earlier release has no connection', () => {
    const address = { kind: 'edit', connectionId: undefined, endpointId: 'a/b' };
    assert.deepEqual(parseDocumentPath('/edit/a%2Fb/x.endpoint.yaml'), address);
  });

  it('is none of what the editor asks for beside it', () => {
    assert.equal(parseDocumentPath('/edit/abc/.vscode/settings.json'), undefined);
    assert.equal(parseDocumentPath('/edit/abc/.editorconfig'), undefined);
    assert.equal(parseDocumentPath('/edit/c/abc/.vscode/settings.json'), undefined);
    assert.equal(parseDocumentPath('/other/c/abc/x.yaml'), undefined);
    assert.equal(parseDocumentPath('/edit/c/%/x.yaml'), undefined);
    assert.equal(parseDocumentPath('/edit'), undefined);
  });
});
