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

describe('Manifest of an endpoint', () => {
  it('is valid', () => {
    assert.deepEqual(checkManifest(manifest).violations, []);
  });

  it('omits absent, empty, and derived fields', () => {
    assert.deepEqual(
      Object.keys(manifest),
      ['name', 'type', 'scaling', 'image', 'args', 'disk', 'env', 'cpu', 'flashboot', 'timeout', 'workers'].filter(
        (name) => name !== 'disk',
      ),
    );
    assert.deepEqual(manifest.cpu, [{ id: 'cpu3c', vcpuCount: 2 }]);
  });

  it('contains the GPUs and volumes of the endpoint', () => {
    const gpu = { pools: ['ADA_24'], count: 1, allowedCudaVersions: [], minCudaVersion: null };
    const mounts = { network: [{ volumeId: 'v1', path: '/data' }], global: [] };
    const { gpu: asked, mounts: mounted } = manifestOf({ ...endpoint, gpu, mounts });
    assert.deepEqual(
      [asked, mounted],
      [{ pools: ['ADA_24'], count: 1 }, { network: [{ volumeId: 'v1', path: '/data' }] }],
    );
  });
});

describe('Change of a manifest', () => {
  it('is empty without a difference', () => {
    assert.deepEqual(changed({}), { body: {}, changes: [], refused: [] });
  });

  it('contains only the changed settings', () => {
    const { body, changes } = changed({ workers: { min: 1, max: 3, idleTimeout: 10 }, image: 'example/worker:2' });
    assert.deepEqual(body, { workers: { min: 1 }, image: 'example/worker:2' });
    assert.deepEqual(changes.map(changeWords), [
      'image: example/worker:1 → example/worker:2',
      'workers: min 0, max 3, idleTimeout 10 → min 1, max 3, idleTimeout 10',
    ]);
  });

  it('replaces the whole environment, and shows only the names of variables', () => {
    const { body, changes } = changed({ env: { MODE: 'slow', NEW: 'x' } });
    assert.deepEqual(body, { env: { MODE: 'slow', NEW: 'x' } });
    assert.deepEqual(changes.map(changeWords), ['env: change MODE, remove TOKEN, add NEW']);
  });

  it('clears settings that can be cleared', () => {
    assert.deepEqual(without('env', 'timeout', 'args').body, { env: {}, timeout: 300_000, args: '' });
    assert.deepEqual(without('workers').body, {});
  });

  it('rejects the removal of a required setting', () => {
    const { refused } = without('image');
    assert.match(refused[0]?.message ?? '', /image cannot be removed/);
  });

  it('rejects another type or hardware family with a reason', () => {
    assert.match(changed({ type: 'LOAD_BALANCER' }).refused[0]?.message ?? '', /type cannot be changed/);
    const { cpu: _, ...rest } = manifest;
    const { refused, body } = changeBetween(manifest, { ...rest, gpu: { pools: ['ADA_24'] } });
    assert.match(refused[0]?.message ?? '', /cannot change between GPUs and CPUs/);
    assert.equal('gpu' in body || 'cpu' in body, false);
  });

  it('replaces one form of the command with the other', () => {
    const { args: _, ...rest } = manifest;
    assert.deepEqual(changeBetween(manifest, { ...rest, cmd: ['deno', 'worker.ts'] }).body, {
      args: '',
      cmd: ['deno', 'worker.ts'],
    });
    assert.deepEqual(changeBetween({ ...rest, cmd: ['a'], entrypoint: ['b'] }, { ...rest, cmd: ['a'] }).body, {
      entrypoint: [],
    });
  });

  it('replaces args with cmd or entrypoint in a valid body', () => {
    const { args: _, ...rest } = manifest;
    for (const command of [{ cmd: ['deno', 'worker.ts'] }, { entrypoint: ['deno'] }]) {
      const { body } = changeBetween(manifest, { ...rest, ...command });
      assert.deepEqual(checkUpdateEndpoint(body, rich), []);
    }
  });

  it('changes the kind of volume in one request', () => {
    const network = [{ volumeId: 'v1', path: '/data' }];
    const { body } = changeBetween({ ...manifest, mounts: { network } }, { ...manifest, mounts: { global: network } });
    assert.deepEqual(body, { mounts: { network: [], global: network } });
  });

  it('sends the pools with the exclusions, and clears the CUDA version', () => {
    const gpu = { pools: ['ADA_24'], minCudaVersion: '12.4' };
    const { cpu: _, ...rest } = manifest;
    const { body } = changeBetween({ ...rest, gpu }, { ...rest, gpu: { pools: ['ADA_24'], excludedTypes: ['x'] } });
    assert.deepEqual(body, { gpu: { pools: ['ADA_24'], excludedTypes: ['x'], minCudaVersion: '' } });
  });
});

describe('Editable manifest of an endpoint', () => {
  it('removes line breaks from ids and names in its comment', () => {
    const evil = { ...endpoint, id: 'e1)\nenv:\n  A: 1\n# (', name: 'hello\r\ndisk: 1\u2028timeout: 1' };
    const [first, second, third] = editableYaml(evil, 'here\ndisk: 2', []).split(/[\r\n\u2028]/);
    assert.match(first ?? '', /^# Endpoint hello disk: 1 timeout: 1 \(e1\) env: A: 1 # \(\) on here disk: 2\.$/);
    assert.match(second ?? '', /^# Saving/);
    assert.match(third ?? '', /^name:/);
  });

  it('contains no schema directive, because editors would load the schema from an address of the platform', () => {
    const name = 'yaml-language-server: $schema=https://evil.example/x.json';
    assert.doesNotMatch(editableYaml({ ...endpoint, name }, name, []), /^#\s+yaml-language-server\s*:/m);
    const hostile = { ...endpoint, $schema: 'https://evil.example/x.json' };
    assert.doesNotMatch(endpointYaml(hostile, []), /schema/);
    assert.equal(endpointYaml(hostile, []), endpointYaml(endpoint, []));
  });
});

describe('Path of an endpoint document', () => {
  it('has a file name without hidden characters, links, and icons', () => {
    const path = documentPath(
      { kind: 'edit', connectionId: 'c', endpointId: 'e1\ud800' },
      'a\u202eb\u200b $(flame) [x](y)',
    );
    assert.equal(path, '/edit/c/e1%EF%BF%BD/ab $ (flame) [x] (y).endpoint.yaml');
  });

  it('is parsed to the same address for any name', () => {
    const path = documentPath({ kind: 'edit', connectionId: 'c/d', endpointId: 'a/b' }, '../x:y');
    assert.equal(path, '/edit/c%2Fd/a%2Fb/..-x-y.endpoint.yaml');
    assert.deepEqual(parseDocumentPath(path), { kind: 'edit', connectionId: 'c/d', endpointId: 'a/b' });
  });

  it('has no connection if it comes from an earlier release', () => {
    const address = { kind: 'edit', connectionId: undefined, endpointId: 'a/b' };
    assert.deepEqual(parseDocumentPath('/edit/a%2Fb/x.endpoint.yaml'), address);
  });

  it('is not parsed from other paths that the editor reads', () => {
    assert.equal(parseDocumentPath('/edit/abc/.vscode/settings.json'), undefined);
    assert.equal(parseDocumentPath('/edit/abc/.editorconfig'), undefined);
    assert.equal(parseDocumentPath('/edit/c/abc/.vscode/settings.json'), undefined);
    assert.equal(parseDocumentPath('/other/c/abc/x.yaml'), undefined);
    assert.equal(parseDocumentPath('/edit/c/%/x.yaml'), undefined);
    assert.equal(parseDocumentPath('/edit'), undefined);
  });
});
