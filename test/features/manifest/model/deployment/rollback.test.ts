import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkUpdateEndpoint } from '../../../../../src/contract/endpointRules.ts';
import { UpdateEndpointBody, type Endpoint } from '../../../../../src/contract/endpoint.ts';
import { Release, type ReleaseDiffEntry } from '../../../../../src/contract/release.ts';
import { bodyOf } from '../../../../../src/features/manifest/actions/compareWithDeployed.ts';
import { compareWithEndpoint } from '../../../../../src/features/manifest/model/deployment/compare.ts';
import { manifestOf } from '../../../../../src/features/manifest/model/deployment/endpointManifest.ts';
import {
  rollbackTo,
  versionBefore,
  type Rollback,
} from '../../../../../src/features/manifest/model/deployment/rollback.ts';
import type { EndpointRecord } from '../../../../../src/platform/domain/endpoint.ts';
import { endpoint as sample } from '../../../endpoints/sample.ts';
import { anyManifest, answerOf, changed, created } from './generated.ts';

const MASK = '********';

/** Returns releases, newest first. @param diffs changes of version 2, version 3, and so on */
function releasesOf(...diffs: readonly (readonly ReleaseDiffEntry[])[]): readonly Release[] {
  return [[], ...diffs]
    .map((diff, index) =>
      Release.parse({
        ...{ id: `r${index + 1}`, version: index + 1, source: 'MANUAL', workerCount: 0 },
        ...{ createdAt: '2026-03-01T12:00:00Z', diff },
      }),
    )
    .reverse();
}

function change(field: string, old: unknown, now: unknown): ReleaseDiffEntry {
  return { field, old, new: now };
}

function rollback(endpoint: Endpoint, releases: readonly Release[], version = 1): Rollback {
  return rollbackTo(endpoint, releases, version) ?? assert.fail(`there is no version ${version}`);
}

/** Returns the rollback of one release. */
const rollbackOf = (endpoint: Endpoint, ...diff: readonly ReleaseDiffEntry[]) => rollback(endpoint, releasesOf(diff));

const base = { ...sample, image: 'example/worker:2', cpu: [{ id: 'cpu3c', vcpuCount: 2, memory: 4 }], disk: 10 };
const gpu = { pools: ['ADA_24'], count: 2, allowedCudaVersions: [], minCudaVersion: null };
const onGpus = { ...base, cpu: undefined, gpu };

describe('The versions of an endpoint', () => {
  it('end before the newest one, which is the default of a rollback', () => {
    const [first, second] = [change('timeout', 1, 2), change('timeout', 2, 300_000)];
    assert.equal(versionBefore(base, releasesOf([first], [second])), 2);
    assert.equal(versionBefore(base, releasesOf()), undefined);
    assert.equal(versionBefore(base, []), undefined);
  });

  it('end before the settings that the endpoint has, if it has returned to them', () => {
    const [away, back] = [change('timeout', 300_000, 1), change('timeout', 1, 300_000)];
    assert.equal(versionBefore(base, releasesOf([change('timeout', 2, 300_000)], [away], [back])), 1);
    assert.equal(versionBefore(base, releasesOf([away], [back])), undefined);
  });

  it('are the only ones to return to', () => {
    assert.equal(rollbackTo(base, releasesOf([]), 3), undefined);
  });

  it('include the newest one, to which nothing returns', () => {
    const { body, changes, lost } = rollback(base, releasesOf([change('timeout', 1, 300_000)]), 2);
    assert.deepEqual({ body, changes, lost }, { body: {}, changes: [], lost: [] });
  });
});

describe('A rollback', () => {
  for (const [endpoint, diff, body] of [
    [base, [change('name', 'old', 'hello')], { name: 'old' }],
    [
      base,
      [change('scaling', { type: 'REQUEST_COUNT', requestCount: 2 }, base.scaling)],
      { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } },
    ],
    [base, [change('timeout', 60_000, 300_000)], { timeout: 60_000 }],
    [base, [change('flashboot', 'FLASHBOOT', 'OFF')], { flashboot: 'FLASHBOOT' }],
    [{ ...base, flashboot: 'FLASHBOOT' }, [change('flashboot', 'OFF', 'FLASHBOOT')], { flashboot: 'OFF' }],
    [base, [change('locations', ['EU-RO-1'], [])], { dataCenterIds: ['EU-RO-1'] }],
    [{ ...base, dataCenterIds: ['EU-RO-1'] }, [change('locations', [], ['EU-RO-1'])], { dataCenterIds: [] }],
    [
      base,
      [change('cpu', [{ id: 'cpu5c', vcpuCount: 4 }], [{ id: 'cpu3c', vcpuCount: 2 }])],
      { cpu: [{ id: 'cpu5c', vcpuCount: 4 }] },
    ],
    [base, [change('workers.min', 1, 0)], { workers: { min: 1 } }],
    [base, [change('workers.max', 1, 3)], { workers: { max: 1 } }],
    [base, [change('workers.idleTimeout', 60, 10)], { workers: { idleTimeout: 60 } }],
    [base, [change('workers.min', 1, 0), change('workers.max', 5, 3)], { workers: { min: 1, max: 5 } }],
    [base, [change('template.imageName', 'example/worker:1', 'example/worker:2')], { image: 'example/worker:1' }],
    [base, [change('template.disk', 20, 10)], { disk: 20 }],
    [{ ...base, ports: ['80/http'] }, [change('template.ports', null, ['80/http'])], { ports: [] }],
    [base, [change('template.ports', ['80/http'], null)], { ports: ['80/http'] }],
    [{ ...base, registry: 'r1' }, [change('template.registry', null, 'r1')], { registry: null }],
    [base, [change('template.registry', 'r1', null)], { registry: 'r1' }],
    [onGpus, [change('gpuCount', 1, 2)], { gpu: { count: 1 } }],
    [onGpus, [change('gpu.pools', ['AMPERE_24'], ['ADA_24'])], { gpu: { pools: ['AMPERE_24'] } }],
    [
      onGpus,
      [change('gpu.excludedTypes', ['NVIDIA L4'], null)],
      { gpu: { pools: ['ADA_24'], excludedTypes: ['NVIDIA L4'] } },
    ],
    [
      { ...onGpus, gpu: { ...gpu, excludedTypes: ['NVIDIA L4'] } },
      [change('gpu.excludedTypes', null, ['NVIDIA L4'])],
      { gpu: { pools: ['ADA_24'] } },
    ],
    [onGpus, [change('gpu.allowedCudaVersions', ['12.4'], null)], { gpu: { allowedCudaVersions: ['12.4'] } }],
    [
      { ...onGpus, gpu: { ...gpu, allowedCudaVersions: ['12.4'] } },
      [change('gpu.allowedCudaVersions', null, ['12.4'])],
      { gpu: { allowedCudaVersions: [] } },
    ],
    [onGpus, [change('gpu.minCudaVersion', '12.4', null)], { gpu: { minCudaVersion: '12.4' } }],
    [
      { ...onGpus, gpu: { ...gpu, minCudaVersion: '12.4' } },
      [change('gpu.minCudaVersion', null, '12.4')],
      { gpu: { minCudaVersion: '' } },
    ],
    [
      base,
      [change('mounts.network', [{ volumeId: 'v1', path: '/data' }], [])],
      { mounts: { network: [{ volumeId: 'v1', path: '/data' }] } },
    ],
    [
      { ...base, mounts: { network: [{ volumeId: 'v1', path: '/data' }] } },
      [change('mounts.network', [], [{ volumeId: 'v1', path: '/data' }])],
      { mounts: { network: [] } },
    ],
    [
      onGpus,
      [change('mounts.global', [{ volumeId: 'g1', path: '/all' }], [])],
      { mounts: { global: [{ volumeId: 'g1', path: '/all' }] } },
    ],
    [{ ...onGpus, 'x-local': { gpu: 'ignore' } }, [change('x-local.gpu', null, 'ignore')], { 'x-local': {} }],
    [onGpus, [change('x-local.gpu', 'ignore', null)], { 'x-local': { gpu: 'ignore' } }],
  ] as const satisfies readonly (readonly [object, readonly ReleaseDiffEntry[], UpdateEndpointBody])[])
    it(`returns ${diff.map(({ field, old }) => `${field} to ${JSON.stringify(old)}`).join(' and ')}`, () => {
      const { body: sent, refused, lost } = rollbackOf(endpoint as Endpoint, ...diff);
      assert.deepEqual({ sent, refused, lost }, { sent: body, refused: [], lost: [] });
      assert.deepEqual(UpdateEndpointBody.parse(sent), body);
    });

  it('takes back several releases, each with the value before it', () => {
    const releases = releasesOf(
      [change('timeout', 1_000, 2_000), change('workers.max', 1, 2)],
      [change('timeout', 2_000, 3_000)],
      [change('workers.max', 2, 3), change('name', 'first', 'hello')],
    );
    const endpoint = { ...base, timeout: 3_000 };
    assert.deepEqual(rollback(endpoint, releases, 3).body, { workers: { max: 2 }, name: 'first' });
    assert.deepEqual(rollback(endpoint, releases, 2).body, { workers: { max: 2 }, name: 'first', timeout: 2_000 });
    assert.deepEqual(rollback(endpoint, releases, 1).body, { workers: { max: 1 }, name: 'first', timeout: 1_000 });
  });

  it('does nothing if later releases have already returned the settings', () => {
    const releases = releasesOf([change('timeout', 300_000, 1_000)], [change('timeout', 1_000, 300_000)]);
    assert.deepEqual(rollback(base, releases).body, {});
  });

  it('names settings that it does not know, in any name and form, and keeps them', () => {
    for (const field of ['futureSetting', 'constructor', '__proto__', 'toString'])
      assert.deepEqual(
        [
          rollbackOf(base, change(field, 1, 2), change('timeout', 1, 300_000)).body,
          rollbackOf(base, change(field, 1, 2)).lost,
        ],
        [{ timeout: 1 }, [{ field, reason: 'unknown' }]],
      );
    for (const entry of [
      change('workers.max', '1', '3'),
      change('template.ports', '80/http', ''),
      change('template.env', 'A=1', 'A=2'),
      change('template.env', { A: 1 }, { A: 2 }),
      change('scaling', null, base.scaling),
    ])
      assert.deepEqual(
        [rollbackOf(base, entry).body, rollbackOf(base, entry).lost],
        [{}, [{ field: entry.field, reason: 'unknown' }]],
      );
  });

  it('keeps a disk that the earlier version did not have, because an endpoint cannot lose it', () => {
    const { body, refused, lost } = rollbackOf(base, change('template.disk', null, 10), change('timeout', 1, 300_000));
    assert.deepEqual(
      { body, refused, lost },
      { body: { timeout: 1 }, refused: [], lost: [{ field: 'disk', reason: 'notClearable' }] },
    );
  });
});

describe('A rollback of a command', () => {
  const command = (changes: Partial<Endpoint>) => ({ ...base, ...changes });

  it('returns from args to other args', () => {
    const now = command({ args: 'b', cmd: ['b'] });
    assert.deepEqual(rollbackOf(now, change('template.args', 'a', 'b'), change('template.cmd', ['a'], ['b'])).body, {
      args: 'a',
    });
  });

  it('returns from args to lists, also to those that the args describe', () => {
    const now = command({ args: 'a b', cmd: ['a', 'b'] });
    assert.deepEqual(rollbackOf(now, change('template.args', null, 'a b')).body, { args: '', cmd: ['a', 'b'] });
    const other = change('template.cmd', ['c'], ['a', 'b']);
    assert.deepEqual(rollbackOf(now, change('template.args', null, 'a b'), other).body, { args: '', cmd: ['c'] });
    const both = command({ args: '{"entrypoint":["e"],"cmd":["c"]}', entrypoint: ['e'], cmd: ['c'] });
    assert.deepEqual(rollbackOf(both, change('template.args', null, both.args)).body, {
      ...{ args: '', entrypoint: ['e'], cmd: ['c'] },
    });
  });

  it('returns from lists to args', () => {
    const now = command({ entrypoint: ['e'], cmd: ['c'] });
    const diff = [
      change('template.args', 'a', null),
      change('template.entrypoint', null, ['e']),
      change('template.cmd', ['a'], ['c']),
    ];
    assert.deepEqual(rollbackOf(now, ...diff).body, { args: 'a' });
  });

  it('returns to the command of the image', () => {
    const args = command({ args: 'a', cmd: ['a'] });
    assert.deepEqual(rollbackOf(args, change('template.args', null, 'a'), change('template.cmd', null, ['a'])).body, {
      args: '',
    });
    assert.deepEqual(rollbackOf(command({ cmd: ['a'] }), change('template.cmd', null, ['a'])).body, { cmd: [] });
  });
});

describe('A rollback of environment variables', () => {
  const withEnv = (env: Record<string, string>) => ({ ...base, env });
  const env = (old: unknown, now: unknown) => change('template.env', old, now);
  const masked = (...names: string[]) => names.map((name) => ({ field: `env.${name}`, reason: 'masked' }));

  it('removes those that were added', () => {
    const { body, lost } = rollbackOf(withEnv({ KEPT: '1', NEW: '2' }), env(null, { NEW: MASK }));
    assert.deepEqual({ body, lost }, { body: { env: { KEPT: '1' } }, lost: [] });
    assert.deepEqual(rollbackOf(withEnv({ NEW: '2' }), env(null, { NEW: MASK })).body, { env: {} });
  });

  it('names those that were changed or removed if their values are hidden, and does not guess them', () => {
    const now = withEnv({ A: 'a2', NEW: 'n' });
    const { body, lost } = rollbackOf(now, env({ A: MASK, B: MASK }, { A: MASK, NEW: MASK }));
    assert.deepEqual({ body, lost }, { body: { env: { A: 'a2' } }, lost: masked('A', 'B') });
  });

  it('restores values that the platform does not hide, with names of any kind', () => {
    const now = withEnv({ A: 'a2', toString: 'x' });
    const old = Object.fromEntries([
      ['A', 'a1'],
      ['B', '*'],
      ['__proto__', 'p'],
    ]);
    const { body, lost } = rollbackOf(now, env(old, { A: 'a2', toString: 'x' }));
    assert.deepEqual({ env: body.env, lost }, { env: old, lost: [] });
  });

  it('names no variable that the wanted version did not have, whatever happened to it since', () => {
    const releases = releasesOf(
      [env(null, { A: MASK })],
      [env({ A: MASK }, { A: MASK })],
      [env({ A: MASK }, null)],
      [env(null, { A: MASK })],
    );
    assert.deepEqual(rollback(withEnv({ A: '4' }), releases).lost, []);
    assert.deepEqual(rollback(withEnv({ A: '4' }), releases).body, { env: {} });
    assert.deepEqual(rollback(withEnv({ A: '4' }), releases, 3).lost, masked('A'));
  });

  it('knows a value before several changes, even if the platform hides those between', () => {
    const releases = releasesOf([env({ A: 'a1' }, { A: 'a2' })], [env({ A: MASK }, { A: MASK })]);
    const { body, lost } = rollback(withEnv({ A: 'a3' }), releases);
    assert.deepEqual({ body, lost }, { body: { env: { A: 'a1' } }, lost: [] });
  });

  it('sends no variables if the platform hides one of the present values, because it would replace it', () => {
    const now = withEnv({ SECRET: MASK, NEW: 'n' });
    const { body, lost } = rollbackOf(now, env(null, { NEW: MASK }), change('timeout', 1, 300_000));
    assert.deepEqual({ body, lost }, { body: { timeout: 1 }, lost: masked('NEW') });
    assert.deepEqual(rollbackOf(withEnv({ SECRET: MASK }), change('timeout', 1, 300_000)).body, { timeout: 1 });
  });
});

/** Returns the settings of an endpoint without variables whose earlier values are lost, and without a disk that it cannot lose. */
function comparable(endpoint: Endpoint, { lost }: Rollback): object {
  const { env = {}, disk, ...settings } = manifestOf(endpoint);
  const isLost = (field: string) => lost.some((one) => one.field === field);
  const known = Object.entries(env).filter(([name]) => !isLost(`env.${name}`));
  return { ...settings, env: new Map(known), disk: isLost('disk') ? undefined : disk };
}

describe('Any sequence of changes', () => {
  const sequences = fc
    .constantFrom('gpu' as const, 'cpu' as const)
    .chain((family) => fc.array(anyManifest(family), { minLength: 2, maxLength: 5 }));

  it('can be taken back to each version, except for settings that are named', () => {
    fc.assert(
      fc.property(sequences, ([first, ...others]) => {
        assert.ok(first);
        const surroundings = { target: 'local', folder: '/srv' } as const;
        const versions: EndpointRecord[] = [created(bodyOf(first, surroundings)).record];
        const diffs: (readonly ReleaseDiffEntry[])[] = [];
        for (const other of others) {
          const record = versions.at(-1) ?? assert.fail();
          const { body } = compareWithEndpoint(bodyOf(other, surroundings), answerOf(record), (text) => text);
          const next = changed(record, body);
          if (next.diff.length === 0) continue;
          versions.push(next.endpoint);
          diffs.push(next.diff);
        }
        const record = versions.at(-1) ?? assert.fail();
        for (const wanted of versions) {
          const found = rollback(answerOf(record), releasesOf(...diffs), wanted.version);
          assert.deepEqual(found.refused, []);
          assert.ok(found.lost.every(({ reason }) => reason !== 'unknown'));
          assert.deepEqual(checkUpdateEndpoint(found.body, answerOf(record)), []);
          const after = answerOf(changed(record, UpdateEndpointBody.parse(found.body)).endpoint);
          assert.deepEqual(comparable(after, found), comparable(answerOf(wanted), found));
        }
      }),
      { numRuns: 300 },
    );
  });
});
