import assert from 'node:assert/strict';
import type { CpuType, DataCenter, GpuType } from '../../../../../src/contract/catalog.ts';
import { inlayHints } from '../../../../../src/features/manifest/model/reading/inlayHints.ts';
import type { LiveValues } from '../../../../../src/account/liveValues/liveValues.ts';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';
import { halfTyped, parsed, samples } from '../samples.ts';

const gpu = (name: string, pool: string | null, serverless?: number) =>
  ({
    ...{ id: `NVIDIA ${name}`, name, pool, manufacturer: 'NVIDIA', memory: 24, secure: true, community: false },
    price: { secure: 9, community: 9, ...(serverless === undefined ? {} : { serverless }) },
    maxCount: { secure: 8, community: 0 },
  }) satisfies GpuType;

const cpu: CpuType = {
  ...{ id: 'cpu3c', name: 'CPU3', group: 'cpu', vcpu: { min: 2, max: 32 }, ramGbPerVcpu: 2 },
  price: { securePerVcpu: 9, serverlessPerVcpu: 0.0312 },
};
const center = (id: string, name: string) =>
  ({
    ...{ id, name, region: 'EUROPE', globalNetwork: true, networkVolumeTypes: [], compliance: [] },
  }) satisfies DataCenter;

const values: LiveValues = {
  gpus: [
    gpu('RTX 4090', 'ADA_24', 0.69),
    gpu('L4', 'ADA_24', 0.436),
    gpu('A5000', 'AMPERE_24', 1.5),
    gpu('Secret', 'NO_PRICE'),
    gpu('Pods', null, 3),
  ],
  cpus: [cpu],
  dataCenters: [center('EU-RO-1', 'Romania'), center('SAME', 'SAME')],
  registries: [{ id: 'r1', name: 'ghcr' }],
  templates: [{ id: 't1', name: 'vLLM', serverless: true }],
  networkVolumes: [{ id: 'n1', name: 'models', size: 10, dataCenter: 'EU-RO-1', type: 'STANDARD' }],
  globalVolumes: [{ id: 'g1', name: 'shared', createdAt: '2026-01-01T00:00:00Z' }],
};

/** Returns each hint with the text before it on its line. */
function hintsOf(text: string, language: ManifestLanguage = 'yaml', known = values) {
  return inlayHints(parsed(text, language).parts, known, { start: 0, end: text.length }).map(
    ({ offset, text: hint }) => `${text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim()} ${hint}`,
  );
}

describe('inlayHints', () => {
  it('show the range of prices of a pool, multiplied by the count', () => {
    assert.deepEqual(hintsOf('gpu:\n  pools:\n    - ADA_24\n    - AMPERE_24\n'), [
      '- ADA_24 $0.436–$0.69/h',
      '- AMPERE_24 $1.50/h',
    ]);
    assert.deepEqual(hintsOf('gpu:\n  count: 2\n  pools: [ADA_24]\n'), ['pools: [ADA_24 $0.872–$1.38/h']);
    assert.deepEqual(hintsOf('{"gpu": {"pools": ["ADA_24"], "count": 2}}', 'json'), [
      '{"gpu": {"pools": ["ADA_24" $0.872–$1.38/h',
    ]);
  });

  it('omit the prices of excluded types, and explain the rest', () => {
    const text = 'gpu: {pools: [ADA_24], count: 2, excludedTypes: [NVIDIA L4]}';
    const [hint, ...others] = inlayHints(parsed(text).parts, values, { start: 0, end: text.length });
    assert.deepEqual([hint?.text, others], ['$1.38/h', []]);
    assert.equal(hint?.tooltip, 'Price of a running worker with 2 GPUs: RTX 4090 $1.38/h');
  });

  it('show the price of a CPU worker, or of a vCPU without a valid count', () => {
    assert.deepEqual(
      hintsOf('cpu:\n  - id: cpu3c\n    vcpuCount: 4\n  - id: cpu3c\n  - id: cpu3c\n    vcpuCount: x\n'),
      ['- id: cpu3c $0.125/h', '- id: cpu3c $0.0312/h per vCPU', '- id: cpu3c $0.0312/h per vCPU'],
    );
    assert.deepEqual(hintsOf('{"cpu": [{"id": "cpu3c", "vcpuCount": 2}]}', 'json'), [
      '{"cpu": [{"id": "cpu3c" $0.0624/h',
    ]);
  });

  for (const [ms, words] of [
    [300_000, '5 min'],
    [1_000, '1 s'],
    [604_800_000, '7 d'],
    [5_400_000, '1 h 30 min'],
  ] as const)
    it(`show a timeout of ${ms} as ${words}`, () => {
      assert.deepEqual(hintsOf(`timeout: ${ms}`), [`timeout: ${ms} ${words}`]);
      assert.deepEqual(hintsOf(`{"timeout": ${ms}}`, 'json'), [`{"timeout": ${ms} ${words}`]);
    });

  it('show no duration for other values', () => {
    for (const value of ['999', '-5000', '1.5', '"300000"', 'soon', '1e300', '', '[1]', '99999999999999999999'])
      assert.deepEqual(hintsOf(`timeout: ${value}`), [], value);
  });

  it('show the names of IDs', () => {
    const text = `registry: r1
templateId: t1
dataCenterIds: [EU-RO-1, SAME, XX]
networkVolumes: [n1]
mounts:
  network: [{ volumeId: n1, path: /a }]
  global:
    - volumeId: g1
`;
    assert.deepEqual(hintsOf(text), [
      'dataCenterIds: [EU-RO-1 Romania',
      'registry: r1 ghcr',
      'templateId: t1 vLLM',
      'networkVolumes: [n1 models',
      'network: [{ volumeId: n1 models',
      '- volumeId: g1 shared',
    ]);
  });

  it('show nothing that is not known', () => {
    assert.deepEqual(hintsOf('gpu: {pools: [ADA_24]}\ncpu: [{id: cpu3c}]\nregistry: r1\n', 'yaml', {}), []);
    assert.deepEqual(hintsOf('gpu: {pools: [NO_PRICE, null, 7, ""]}\ncpu: [{id: x}]\nregistry: r2\n'), []);
  });

  it('appear once for a value at an anchor', () => {
    assert.deepEqual(hintsOf('networkVolumes: [&v n1]\nmounts: {network: [{volumeId: *v}]}'), [
      'networkVolumes: [&v n1 models',
      'mounts: {network: [{volumeId: *v models',
    ]);
    assert.deepEqual(hintsOf('mounts: {network: [&m {volumeId: n1}, *m]}'), [
      'mounts: {network: [&m {volumeId: n1 models',
    ]);
    assert.deepEqual(hintsOf('cpu: [&c {id: cpu3c, vcpuCount: 2}, *c]'), ['cpu: [&c {id: cpu3c $0.0624/h']);
  });

  it('are limited to the given range and cover all endpoints', () => {
    const text = 'timeout: 5000\n---\ntimeout: 6000\n';
    assert.deepEqual(hintsOf(text), ['timeout: 5000 5 s', 'timeout: 6000 6 s']);
    const first = inlayHints(parsed(text).parts, values, { start: 0, end: 13 });
    assert.deepEqual(
      first.map((hint) => hint.text),
      ['5 s'],
    );
  });

  it('work in half-typed texts', () => {
    for (const { text, parts } of halfTyped())
      for (const { offset } of inlayHints(parts, values, { start: 0, end: text.length }))
        assert.ok(offset > 0 && offset <= text.length, text);
    for (const [language, text] of samples) assert.equal(hintsOf(text, language).length, 5);
  });
});
