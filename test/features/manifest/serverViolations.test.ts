import assert from 'node:assert/strict';
import { formatViolation } from '../../../src/contract/violation.ts';
import { parseServerError, violationInManifest } from '../../../src/features/manifest/serverViolations.ts';
import type { Manifest } from '../../../src/contract/manifest.ts';

const manifest: Manifest = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
  'x-local': { directory: '.', command: ['python3', 'worker.py'] },
};

describe("the service's violations", () => {
  it('are read as they are written', () => {
    for (const path of [[], ['image'], ['gpu', 'pools', 0], ['cpu', 1, 'vcpuCount']]) {
      const violation = { path, message: 'is wrong: very', status: 400 } as const;
      assert.deepEqual(parseServerError(formatViolation(violation)), { path, message: 'is wrong: very' });
    }
  });

  it('are left alone when they have another form', () => {
    for (const line of ['the image cannot be pulled', '$.a', '$: ', ''])
      assert.equal(parseServerError(line), undefined, line);
  });

  it('point at the local part they were made from', () => {
    const moved = (path: (string | number)[], target: 'local' | 'hosted' = 'local') =>
      violationInManifest({ path, message: '' }, manifest, target).path;
    assert.deepEqual(moved(['image']), ['x-local', 'directory']);
    assert.deepEqual(moved(['args']), ['x-local', 'command']);
    assert.deepEqual(moved(['cmd', 1]), ['x-local', 'command', 1]);
    assert.deepEqual(moved(['gpu', 'pools', 0]), ['gpu', 'pools', 0]);
    assert.deepEqual(moved(['image'], 'hosted'), ['image']);
  });
});
