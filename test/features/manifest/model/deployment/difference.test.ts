// Clauses of the interface: Rules 4.
import assert from 'node:assert/strict';
import { checkUpdateEndpoint } from '../../../../../src/contract/endpointRules.ts';
import { checkManifest } from '../../../../../src/contract/manifest.ts';
import { manifestOf } from '../../../../../src/features/manifest/model/deployment/endpointManifest.ts';
import { changeBetween, changeWords } from '../../../../../src/features/manifest/model/deployment/difference.ts';
import type { Manifest } from '../../../../../src/contract/manifest.ts';
import { endpoint } from '../../../endpoints/sample.ts';

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
  it('names variables as added and removed that have the name of an inherited member', () => {
    const [before, after] = [{ A: '1' }, { constructor: 'c' }];
    assert.equal(
      changeWords({ field: 'env', before, after: { ...before, ...after } }),
      changeWords({ field: 'env', before, after: { ...before, other: 'c' } }).replace('other', 'constructor'),
    );
    assert.match(changeWords({ field: 'env', before: after, after: {} }), /remove constructor/);
  });

  it('is empty without a difference', () => {
    assert.deepEqual(changed({}), { body: {}, changes: [], refused: [] });
  });

  it('contains only the changed settings', () => {
    const { body, changes } = changed({ workers: { min: 1, max: 3, idleTimeout: 10 }, image: 'example/worker:2' });
    assert.deepEqual(body, { workers: { min: 1 }, image: 'example/worker:2' });
    assert.deepEqual(changes.map(changeWords), ['image: example/worker:1 → example/worker:2', 'workers.min: 0 → 1']);
    const pushed = (tag: string, digit: string) => `example/worker:${tag}@sha256:${digit.repeat(64)}`;
    assert.equal(
      changeWords({ field: 'image', before: pushed('1', 'a'), after: pushed('2', 'b') }),
      'image: example/worker:1@sha256:aaaaaaaaaaaa… → example/worker:2@sha256:bbbbbbbbbbbb…',
    );
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
