import assert from 'node:assert/strict';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { readManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';
import {
  scalingChanges,
  type ChosenScaling,
} from '../../../../../src/features/manifest/model/editing/scalingChanges.ts';

const text = `# A worker of the shop.
name: shop
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 } # seconds
gpu: { pools: [AMPERE_24] }
workers:
  # Two are enough.
  max: 2
image: example/shop:1
`;

const chosen: ChosenScaling = {
  ...{ scaling: { type: 'QUEUE_DELAY', queueDelay: 4 }, min: 0, max: 2, idleTimeout: 10, flashboot: 'OFF' },
  hardware: undefined,
};

function edited(changes: Partial<ChosenScaling>, from = text, environment?: string): string {
  const file = readManifestFile(from, { language: 'yaml', target: 'hosted', environment });
  const found = scalingChanges(file, 0, { ...chosen, ...changes });
  assert.ok(found);
  const result = applyChanges(from, found);
  const { parts } = readManifestFile(result, { language: 'yaml', target: 'hosted', environment });
  assert.ok(parts[0]?.manifest, JSON.stringify(parts[0]?.problems.map(({ message }) => message)));
  return result;
}

describe('a change of the scaling in a manifest', () => {
  it('writes no default, and nothing that is already there', () => {
    assert.equal(edited({}), text);
  });

  it('changes values and keeps comments', () => {
    assert.equal(
      edited({ scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, max: 5 }),
      text.replace('queueDelay: 4', 'queueDelay: 1').replace('max: 2', 'max: 5'),
    );
  });

  it('adds missing settings', () => {
    const result = edited({ min: 1, idleTimeout: 60, flashboot: 'FLASHBOOT' });
    assert.match(result, /  max: 2\n  min: 1\n  idleTimeout: 60\n/);
    assert.match(result, /\nflashboot: FLASHBOOT\n/);
    assert.match(result, /# Two are enough\./);
  });

  it('removes the idle timeout that another scaling rule ignores', () => {
    const from = text.replace('  max: 2\n', '  max: 2\n  idleTimeout: 60\n');
    const result = edited({ scaling: { type: 'REQUEST_COUNT', requestCount: 3 }, idleTimeout: undefined }, from);
    assert.match(result, /scaling: \{ type: REQUEST_COUNT, requestCount: 3 \} # seconds/);
    assert.doesNotMatch(result, /idleTimeout/);
  });

  it('changes the hardware', () => {
    const hardware = { kind: 'gpu', id: 'ADA_24', count: 1, typeIds: [] } as const;
    assert.equal(edited({ hardware }), text.replace('AMPERE_24', 'ADA_24'));
  });

  it('changes the chosen environment if its patch has one of the settings', () => {
    const from = `${text}x-environments:\n  dev:\n    patch:\n      workers: { max: 1 }\n`;
    const result = edited({ max: 4 }, from, 'dev');
    assert.equal(result, from.replace('{ max: 1 }', '{ max: 4 }'));
  });
});
