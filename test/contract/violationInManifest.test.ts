import assert from 'node:assert/strict';
import { violationInManifest } from '../../src/contract/manifest.ts';
import { fieldError } from '../../src/contract/violation.ts';
import type { Manifest } from '../../src/contract/manifest.ts';

const manifest: Manifest = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
  'x-local': { directory: '.', command: ['python3', 'worker.py'] },
};

describe('violationInManifest', () => {
  it('maps fields of a local worker to x-local', () => {
    const moved = (path: (string | number)[], target: 'local' | 'hosted' = 'local') =>
      violationInManifest(fieldError(path, 'serviceMessage', { message: '' }), manifest, target).path;
    assert.deepEqual(moved(['image']), ['x-local', 'directory']);
    assert.deepEqual(moved(['args']), ['x-local', 'command']);
    assert.deepEqual(moved(['cmd', 1]), ['x-local', 'command', 1]);
    assert.deepEqual(moved(['gpu', 'pools', 0]), ['gpu', 'pools', 0]);
    assert.deepEqual(moved(['image'], 'hosted'), ['image']);
  });
});
