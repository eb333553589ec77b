import assert from 'node:assert/strict';
import { measureHistory, measureMeter } from '../../../../src/features/spend/model/measurement.ts';
import { health } from '../../endpoints/sample.ts';

const job = (executionTime?: number, delayTime?: number, status = 'COMPLETED') => ({
  status,
  executionTime,
  delayTime,
});
const record = (gpuAmount: number, cpuAmount: number) => ({
  ...{ startTime: '2026-03-01T00:00:00Z', endTime: '2026-03-02T00:00:00Z', serverlessId: 'e' },
  ...{ totalAmount: gpuAmount + cpuAmount + 7, gpuAmount, cpuAmount, diskAmount: 7 },
});

describe('The measured time of a job', () => {
  it('is the mean run time of completed jobs', () => {
    const jobs = [job(1_000), job(3_000), job(90_000, 0, 'FAILED'), job()];
    assert.deepEqual(measureHistory(jobs), { kind: 'history', seconds: 2, jobs: 2, coldStart: undefined });
    assert.equal(measureHistory([job(5, 0, 'FAILED')]), undefined);
    assert.equal(measureHistory([]), undefined);
  });

  it('has a cold start: the median of the waits of at least one second', () => {
    const coldStartOf = (...waits: number[]) => {
      const measurement = measureHistory(waits.map((wait) => job(100, wait)));
      return measurement?.kind === 'history' ? measurement.coldStart : undefined;
    };
    assert.deepEqual(coldStartOf(20, 4_000, 999), { seconds: 4, jobs: 1 });
    assert.deepEqual(coldStartOf(9_000, 1_000, 2_000), { seconds: 2, jobs: 3 });
    assert.deepEqual(coldStartOf(4_000, 1_000, 2_000, 9_000), { seconds: 3, jobs: 4 });
    assert.equal(coldStartOf(20), undefined);
  });

  it('is the metered time of the workers, without their disks, divided by the number of ended jobs', () => {
    const jobs = health({ completed: 8, failed: 2 });
    assert.deepEqual(measureMeter({ records: [record(0, 0.05), record(0, 0.05)] }, jobs, 0.36), {
      kind: 'meter',
      seconds: 100,
      jobs: 10,
      billedSeconds: 1_000,
    });
  });

  it('is unknown without metered time, jobs, or a price', () => {
    const some = health({ completed: 1 });
    assert.equal(measureMeter({ records: [] }, some, 0.36), undefined);
    assert.equal(measureMeter({ records: [record(0, 1)] }, health({}), 0.36), undefined);
    assert.equal(measureMeter({ records: [record(0, 1)] }, some, 0), undefined);
  });
});
