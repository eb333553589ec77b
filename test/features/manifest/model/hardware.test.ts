import assert from 'node:assert/strict';
import type { LiveValues } from '../../../../src/account/liveValues/liveValues.ts';
import type { CpuType, GpuType } from '../../../../src/contract/catalog.ts';
import { applyChanges } from '../../../../src/features/manifest/model/editing/textChanges.ts';
import { hardwareChanges } from '../../../../src/features/manifest/model/hardware/hardwareChanges.ts';
import { hardwareSettingsOf, otherErrors } from '../../../../src/features/manifest/model/hardware/hardwareSettings.ts';
import { stockFactsOf } from '../../../../src/features/manifest/model/hardware/pinnedHardware.ts';
import { readManifestFile } from '../../../../src/features/manifest/model/manifestFile.ts';
import { hostedYaml, readOne } from './readOne.ts';

const head = `name: a
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
image: example/a:1
`;
const gpu = (id: string, typeIds: readonly string[] = []) => ({ kind: 'gpu', id, count: 1, typeIds }) as const;
const cpu = (id: string, count: number) => ({ kind: 'cpu', id, count, typeIds: [] }) as const;

/** Returns the text after a choice. */
function chosen(text: string, offers: Parameters<typeof hardwareChanges>[2], environment?: string): string | undefined {
  const language = text.startsWith('{') ? 'json' : 'yaml';
  const changes = hardwareChanges(readManifestFile(text, { ...hostedYaml, language, environment }), 0, offers);
  return changes && applyChanges(text, changes);
}

describe('The choice of hardware for a manifest', () => {
  it('writes the pools in the order of preference, and keeps comments and formatting', () => {
    const before = `${head}gpu: # fast\n  count: 2\n  pools: [OLD] # the cheapest\n# end\n`;
    assert.equal(
      chosen(before, [gpu('B'), gpu('A')]),
      `${head}gpu: # fast\n  count: 2\n  pools: [B, A] # the cheapest\n# end\n`,
    );
  });

  it('writes into JSON with comments', () => {
    const before = '{\n  "name": "a", // one\n  "cpu": [{ "id": "c", "vcpuCount": 2 }]\n}\n';
    assert.equal(
      chosen(before, [cpu('c', 4)]),
      '{\n  "name": "a", // one\n  "cpu": [{ "id": "c", "vcpuCount": 4 }]\n}\n',
    );
  });

  it('adds missing hardware, and replaces the other kind', () => {
    assert.equal(chosen(head, [gpu('A')]), `${head}gpu:\n  pools:\n    - A\n`);
    const after = chosen(`${head}cpu: [{ id: c, vcpuCount: 2 }]\n`, [gpu('A')]);
    assert.deepEqual(readOne(after ?? '').manifest?.gpu, { pools: ['A'] });
    assert.equal(readOne(after ?? '').manifest?.cpu, undefined);
    const back = chosen(`${head}gpu: { pools: [A] }\n`, [cpu('c', 2), cpu('d', 4)]);
    assert.deepEqual(readOne(back ?? '').manifest?.cpu, [
      { id: 'c', vcpuCount: 2 },
      { id: 'd', vcpuCount: 4 },
    ]);
  });

  it('replaces a field with another shape', () => {
    assert.deepEqual(readOne(chosen(`${head}gpu: 3\n`, [gpu('A')]) ?? '').manifest?.gpu, { pools: ['A'] });
  });

  it('keeps only the exclusions of types in the pools', () => {
    const before = `${head}gpu:\n  pools: [OLD]\n  excludedTypes: [x, y]\n`;
    const after = (types: readonly string[]) => readOne(chosen(before, [gpu('A', types)]) ?? '').manifest?.gpu;
    assert.deepEqual(after(['y', 'z']), { pools: ['A'], excludedTypes: ['y'] });
    assert.deepEqual(after(['z']), { pools: ['A'] });
  });

  it('writes into the environment that has the hardware, and otherwise into the manifest', () => {
    const environments = 'x-environments:\n  prod:\n    patch:\n      gpu: { pools: [P] }\n  dev: {}\n';
    const before = `${head}gpu: { pools: [OLD] }\n${environments}`;
    assert.equal(chosen(before, [gpu('A')], 'prod'), before.replace('[P]', '[A]'));
    assert.equal(chosen(before, [gpu('A')], 'dev'), before.replace('[OLD]', '[A]'));
  });

  it('changes nothing if the manifest has the hardware', () => {
    const before = `${head}gpu: { pools: [A, B] }\n`;
    assert.equal(chosen(before, [gpu('A'), gpu('B')]), before);
  });

  it('is impossible at an anchor that other endpoints use', () => {
    const before = `${head}x: &x { pools: [OLD] }\ngpu: *x\n`;
    assert.equal(chosen(before, [gpu('A')]), undefined);
  });
});

describe('The settings of a manifest with errors', () => {
  const partOf = (text: string) => readManifestFile(text, hostedYaml).parts[0];

  it('leave out broken fields', () => {
    const part = partOf(`${head}gpu: { pools: 3 }\ndataCenterIds: [EU-1]\nmounts: none\n`);
    const settings = part && hardwareSettingsOf(part);
    assert.deepEqual([settings?.gpu, settings?.mounts, settings?.dataCenterIds], [undefined, undefined, ['EU-1']]);
  });

  it('are missing if the text is not a map', () => {
    const part = partOf('- a\n');
    assert.equal(part && hardwareSettingsOf(part), undefined);
  });

  it('can be corrected by the choice unless other fields are wrong', () => {
    const errors = (text: string) => otherErrors(partOf(text)?.problems ?? []).map(({ code }) => code);
    assert.deepEqual(errors(head), []);
    assert.deepEqual(errors(`${head}gpu: { pools: [] }\n`), []);
    assert.deepEqual(errors(`${head}gpu: { pools: [A] }\ncpu: []\n`), []);
    assert.deepEqual(errors(head.replace('QUEUE\n', 'QEUE\n')), ['notOneOf']);
  });
});

describe('A volume in a data center', () => {
  const centers = (inStock: readonly string[]) =>
    ['EU-1', 'US-1'].map((id) => ({ id, name: id, availability: inStock.includes(id) ? 'HIGH' : 'NONE' }));
  const type = (pool: string, ...inStock: readonly string[]) =>
    ({ id: `NVIDIA ${pool}`, pool, dataCenters: centers(inStock) }) as unknown as GpuType;
  const values: LiveValues = {
    gpus: [type('A', 'US-1'), type('B', 'EU-1'), type('C'), { ...type('D'), dataCenters: undefined }],
    cpus: [{ id: 'c', dataCenters: centers(['US-1']) } as unknown as CpuType],
    networkVolumes: [
      { id: 'eu', name: 'eu', size: 10, dataCenter: 'EU-1', type: 'STANDARD' },
      { id: 'us', name: 'us', size: 10, dataCenter: 'US-1', type: 'STANDARD' },
    ],
  };
  const problems = (fields: string) =>
    readOne(head + fields, { stock: stockFactsOf(values) }).problems.map(({ code, severity, message }) => [
      code,
      severity,
      message,
    ]);
  const mounts = (id: string) => `mounts: { network: [{ volumeId: ${id}, path: /data }] }\n`;
  const message = 'no stock in EU-1, where the network volumes keep the workers. Choose other hardware';

  it('without stock of the GPUs is a warning at the pools', () => {
    assert.deepEqual(problems(`gpu: { pools: [A] }\n${mounts('eu')}`), [
      ['pinnedWithoutStock', 'warning', `pools: ${message}`],
    ]);
    assert.deepEqual(problems(`gpu: { pools: [A, C] }\n${mounts('eu')}`).length, 1);
  });

  it('without stock of the CPUs is a warning', () => {
    assert.deepEqual(problems(`cpu: [{ id: c, vcpuCount: 2 }]\n${mounts('eu')}`), [
      ['pinnedWithoutStock', 'warning', `cpu: ${message}`],
    ]);
  });

  it('is fine if one of the pools or one of the data centers has stock', () => {
    assert.deepEqual(problems(`gpu: { pools: [A, B] }\n${mounts('eu')}`), []);
    assert.deepEqual(problems(`gpu: { pools: [A] }\n${mounts('us')}`), []);
    const both = 'mounts: { network: [{ volumeId: eu, path: /a }, { volumeId: us, path: /b }] }\n';
    assert.deepEqual(problems(`gpu: { pools: [A] }\n${both}`), []);
  });

  it('is fine if the stock or the volume is not known', () => {
    assert.deepEqual(problems(`gpu: { pools: [D] }\n${mounts('eu')}`), []);
    assert.deepEqual(problems(`gpu: { pools: [A] }\n${mounts('other')}`), []);
    assert.equal(stockFactsOf({ ...values, cpus: undefined }), undefined);
    assert.equal(stockFactsOf({ ...values, networkVolumes: [] }), undefined);
  });

  it('is fine if nothing is pinned, and does not fail on broken fields', () => {
    assert.deepEqual(problems('gpu: { pools: [A] }\n'), []);
    assert.ok(problems(`gpu: { pools: 3 }\n${mounts('eu')}`).every(([code]) => code !== 'pinnedWithoutStock'));
    assert.ok(problems('gpu: { pools: [A] }\nmounts: 3\n').every(([code]) => code !== 'pinnedWithoutStock'));
  });
});
