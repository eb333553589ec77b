import assert from 'node:assert/strict';
import { BUCKET_SIZES, MAX_BUCKETS } from '../../../../../src/contract/billing.ts';
import {
  addBuckets,
  boundariesOf,
  bucketAt,
  countBuckets,
} from '../../../../../src/features/spend/billing/model/buckets.ts';

const day = (time: number) => new Date(time).toISOString().slice(0, 10);

describe('buckets', () => {
  it('ends months, weeks, and years at UTC boundaries, including leap years', () => {
    const end = (start: string, size: 'month' | 'week' | 'year') => day(addBuckets(Date.parse(start), size, 1));
    assert.equal(end('2024-02-01', 'month'), '2024-03-01');
    assert.equal(end('2025-12-01', 'month'), '2026-01-01');
    assert.equal(end('2025-12-29', 'week'), '2026-01-05');
    assert.equal(end('2024-01-01', 'year'), '2025-01-01');
  });

  it('moves back in time', () => {
    assert.equal(day(addBuckets(Date.parse('2025-03-01'), 'month', -13)), '2024-02-01');
  });

  it('lists all boundaries of a window, also of times with an offset', () => {
    const window = {
      startTime: '2025-11-19T00:00:00Z',
      endTime: '2025-11-21T01:00:00+01:00',
      bucketSize: 'day',
    } as const;
    assert.deepEqual(boundariesOf(window).map(day), ['2025-11-19', '2025-11-20', '2025-11-21']);
  });

  it('lists the last boundaries of a window with more buckets than the platform returns', () => {
    const window = { startTime: '0001-01-01T00:00:00Z', endTime: '9999-01-01T00:00:00Z', bucketSize: 'hour' } as const;
    const boundaries = boundariesOf(window);
    assert.equal(boundaries.length, MAX_BUCKETS + 1);
    assert.equal(boundaries.at(-1), Date.parse(window.endTime));
  });

  it('counts the buckets of a window like its boundaries', () => {
    for (const [startTime, endTime] of [
      ['2024-02-01T00:00:00Z', '2025-03-01T00:00:00Z'],
      ['2024-02-28T10:30:00Z', '2025-02-28T10:29:00Z'],
      ['2024-02-28T10:30:00Z', '2025-02-28T10:31:00Z'],
      ['2025-11-21T00:00:00Z', '2025-11-21T00:00:00Z'],
      ['2025-11-21T00:00:00Z', '2025-11-20T00:00:00Z'],
    ] as const)
      for (const bucketSize of BUCKET_SIZES) {
        const window = { startTime, endTime, bucketSize };
        assert.equal(countBuckets(window), boundariesOf(window).length - 1, JSON.stringify(window));
      }
  });

  it('finds the bucket of a time', () => {
    const boundaries = [10, 20, 30];
    assert.deepEqual(
      [9, 10, 19, 20, 29, 30].map((time) => bucketAt(boundaries, time)),
      [undefined, 0, 0, 1, 1, undefined],
    );
  });
});
