import assert from 'node:assert/strict';
import type { EndpointRecord } from '../../../src/platform/domain/endpoint.ts';
import { imageOfRelease, releaseDiff, rollout } from '../../../src/platform/domain/release.ts';
import type { WorkerView } from '../../../src/platform/domain/worker.ts';

describe('A release', () => {
  const endpoint = {
    ...{ name: 'e', env: {}, timeout: 1, flashboot: 'OFF', mounts: {}, dataCenterIds: [] },
    workers: { min: 0, max: 1, idleTimeout: 5 },
  } as unknown as EndpointRecord;

  it('names each setting that differs, with null for a missing value', () => {
    const workers = { ...endpoint.workers, max: 2 };
    const after: EndpointRecord = { ...endpoint, workers, timeout: 2, flashboot: 'FLASHBOOT', disk: 7 };
    assert.deepEqual(releaseDiff(endpoint, after), {
      diff: [
        { field: 'workers.max', old: 1, new: 2 },
        { field: 'timeout', old: 1, new: 2 },
        { field: 'flashboot', old: 'OFF', new: 'FLASHBOOT' },
        { field: 'template.disk', old: null, new: 7 },
      ],
      replaceWorkers: true,
    });
    assert.equal(releaseDiff(endpoint, { ...endpoint, workers }).replaceWorkers, false);
  });

  it('has the image that a later change replaced, or else that of the endpoint', () => {
    const changed = (version: number, from: string | undefined, to: string) => ({
      version,
      diff: releaseDiff({ ...endpoint, image: from } as EndpointRecord, { ...endpoint, image: to }).diff,
    });
    const releases = [changed(5, 'b', 'c'), { version: 4, diff: [] }, changed(3, 'a', 'b'), { version: 1, diff: [] }];
    const images = [1, 2, 3, 4, 5, 6].map((version) => imageOfRelease({ image: 'c' }, releases, version));
    assert.deepEqual(images, ['a', 'a', 'b', 'b', 'c', 'c']);
  });

  it('is rolled out by the share of workers on its version, and at once without workers', () => {
    const progress = (...versions: number[]) => {
      const { inProgress, percentOnLatest } = rollout(
        versions.map((version) => ({ version }) as WorkerView),
        2,
      );
      return [inProgress, percentOnLatest];
    };
    assert.deepEqual(
      [progress(), progress(1), progress(1, 2, 2), progress(2)],
      [
        ...[
          [false, 100],
          [true, 0],
        ],
        ...[
          [true, 67],
          [false, 100],
        ],
      ],
    );
  });
});
