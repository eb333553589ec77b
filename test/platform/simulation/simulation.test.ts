import assert from 'node:assert/strict';
import type { SimulatedLoad, SimulatedSettings, SimulationResult } from '../../../src/contract/launch/simulation.ts';
import { prepareLoad } from '../../../src/platform/simulation/preparedLoad.ts';
import { simulateGroup } from '../../../src/platform/simulation/simulation.ts';
import { loadOf, settingsOf } from './simulationSupport.ts';

function simulated(load: SimulatedLoad, settings: SimulatedSettings): SimulationResult {
  const [result] = simulateGroup(prepareLoad(load), [settings]);
  return result ?? assert.fail('there is no result');
}

const DAY_MS = 86_400_000;
const byCount = (requestCount: number) => ({ type: 'REQUEST_COUNT', requestCount }) as const;

describe('The simulation of a queue', () => {
  it('of one job pays for the start, the job, and the idle time of a worker', () => {
    assert.deepEqual(simulated(loadOf([500]), settingsOf()), {
      ...{ id: 'one', usd: 3 + 1 + 5, completed: 1, timedOut: 0, coldStarts: 1, resumes: 0, peakWorkers: 1 },
      ...{ waitMs: { p50: 3_000, p90: 3_000, p95: 3_000, p99: 3_000, max: 3_000 }, utilization: 1 / 9 },
    });
  });

  it('of no job costs nothing, and has no percentiles', () => {
    const { usd, completed, waitMs, utilization } = simulated(loadOf([], { durationMs: DAY_MS }), settingsOf());
    assert.deepEqual([usd, completed, utilization], [0, 0, null]);
    assert.deepEqual(waitMs, { p50: null, p90: null, p95: null, p99: null, max: null });
  });

  it('charges each begun second of a process, and nothing before the process is up', () => {
    const { usd } = simulated(loadOf([0], { processStartsMs: [1_999], executionsMs: [1_001] }), settingsOf());
    // 1,001 ms of the start, 1,001 ms of the job, and 5 s of idle time.
    assert.equal(usd, 8);
  });

  it('keeps a worker for jobs within its idle timeout, and starts another one later', () => {
    // The first worker ends its job after 4 s, and stops at 9 s.
    assert.equal(simulated(loadOf([0, 8_999]), settingsOf()).coldStarts, 1);
    assert.equal(simulated(loadOf([0, 9_001]), settingsOf()).coldStarts, 2);
  });

  it('starts a second worker when a job has waited for the delay of the scaler', () => {
    const jobs = loadOf([0, 0, 0], { executionsMs: [10_000] });
    const one = settingsOf({ max: 5, scaling: { type: 'QUEUE_DELAY', queueDelay: 2 } });
    const { coldStarts, waitMs } = simulated(jobs, one);
    // At 2 s, three jobs wait, and one worker starts. Two more are ready at 5 s.
    assert.deepEqual([coldStarts, waitMs.p50, waitMs.max], [3, 5_000, 5_000]);
    const patient = settingsOf({ max: 5, scaling: { type: 'QUEUE_DELAY', queueDelay: 60 } });
    assert.deepEqual([simulated(jobs, patient).coldStarts, simulated(jobs, patient).waitMs.max], [1, 23_000]);
  });

  it('starts one worker per number of requests', () => {
    const jobs = loadOf([0, 0, 0, 0, 0], { executionsMs: [10_000] });
    assert.equal(simulated(jobs, settingsOf({ max: 5, scaling: byCount(2) })).coldStarts, 3);
    assert.equal(simulated(jobs, settingsOf({ max: 2, scaling: byCount(2) })).coldStarts, 2);
  });

  it('pays for the minimum of workers until the end of the load or of the last job', () => {
    const settings = settingsOf({ min: 2, max: 2 });
    const empty = simulated(loadOf([], { durationMs: 60_000 }), settings);
    assert.deepEqual([empty.usd, empty.coldStarts], [120, 2]);
    const { usd } = simulated(loadOf([58_000], { durationMs: 60_000, executionsMs: [11_000] }), settings);
    assert.equal(usd, 140);
  });

  it('resumes a worker from standby, which costs nothing', () => {
    const settings = settingsOf({ flashboot: 'FLASHBOOT' });
    const { usd, coldStarts, resumes, waitMs } = simulated(loadOf([0, 300_000]), settings);
    // 3 + 1 + 5 s, and then 0.5 + 1 + 5 s, which are 7 begun seconds.
    assert.deepEqual([usd, coldStarts, resumes, waitMs.p50, waitMs.max], [16, 1, 1, 500, 3_000]);
    assert.equal(simulated(loadOf([0, 700_000]), settings).coldStarts, 2, 'a worker is on standby for ten minutes');
    const priority = settingsOf({ flashboot: 'PRIORITY_FLASHBOOT' });
    assert.equal(simulated(loadOf([0, 700_000]), priority).coldStarts, 1);
  });

  it('ends a job at its execution timeout, and starts the next one', () => {
    const jobs = loadOf([0, 0], { executionsMs: [60_000, 1_000], executionTimeoutMs: 2_000 });
    const { completed, timedOut, waitMs } = simulated(jobs, settingsOf());
    assert.deepEqual([completed, timedOut, waitMs.max], [1, 1, 5_000]);
  });

  it('ends a job at its time to live, while it waits and while it runs', () => {
    const jobs = loadOf([0, 0], { executionsMs: [60_000], ttlMs: 10_000 });
    const { completed, timedOut, waitMs, usd } = simulated(jobs, settingsOf());
    assert.deepEqual([completed, timedOut, waitMs.p50, waitMs.max], [0, 2, 3_000, 10_000]);
    assert.equal(usd, 15);
  });

  it('expires jobs after a day if no worker may start', () => {
    const { timedOut, usd, waitMs } = simulated(loadOf([0, 5]), settingsOf({ max: 0 }));
    assert.deepEqual([timedOut, usd, waitMs.p50], [2, 0, DAY_MS]);
  });

  it('throttles workers beyond the capacity', () => {
    const jobs = loadOf([0, 0, 0, 0], { capacity: 2, executionsMs: [10_000] });
    const { peakWorkers, coldStarts, waitMs, usd } = simulated(jobs, settingsOf({ max: 4, scaling: byCount(1) }));
    // The second worker starts with the second decision, 20 ms after the first one.
    assert.deepEqual([peakWorkers, coldStarts, waitMs.max], [2, 2, 13_020]);
    assert.equal(usd, 2 * (3 + 20 + 5));
  });

  it('executes several jobs on a worker at the same time', () => {
    const { waitMs, utilization, usd } = simulated(loadOf([0, 0, 0], { concurrency: 2 }), settingsOf());
    assert.deepEqual([waitMs.p50, waitMs.max, usd, utilization], [3_000, 4_000, 10, 0.2]);
  });

  it('pauses between two jobs of a worker', () => {
    assert.equal(simulated(loadOf([0, 0], { handOverMs: 40 }), settingsOf()).waitMs.max, 4_040);
  });

  it('scales execution times with the hardware', () => {
    assert.equal(simulated(loadOf([0, 0]), settingsOf({ executionFactor: 0.5 })).waitMs.max, 3_500);
  });

  it('uses lists of times again when they are too short', () => {
    const { waitMs } = simulated(loadOf([0, 100_000, 200_000], { coldStartsMs: [1_000, 2_000] }), settingsOf());
    assert.deepEqual([waitMs.p50, waitMs.max], [1_000, 2_000]);
  });
});

describe('The simulation of a load-balanced endpoint', () => {
  const balanced = (arrivals: readonly number[], changes: Partial<SimulatedLoad> = {}): SimulatedLoad =>
    loadOf(arrivals, { type: 'LOAD_BALANCER', ...changes });
  const settings = settingsOf({ max: 2, scaling: byCount(1) });

  it('gives each request to the ready worker with the fewest ones', () => {
    const { waitMs, peakWorkers } = simulated(balanced([0, 0, 7_000, 7_001], { executionsMs: [3_000] }), settings);
    // The first worker to be ready gets both requests. The third one goes to the idle worker, and the fourth one to the first worker again,
    // which is busy until 9 s.
    assert.deepEqual([waitMs.p50, waitMs.max, peakWorkers], [1_999, 6_000, 2]);
  });

  it('gives requests to busy workers, which queue them', () => {
    const one = settingsOf({ scaling: byCount(10) });
    const serial = simulated(balanced([0, 4_000, 4_000], { executionsMs: [4_000] }), one);
    assert.deepEqual([serial.waitMs.p50, serial.waitMs.max, serial.completed], [3_000, 7_000, 3]);
    const parallel = simulated(balanced([0, 4_000, 4_000], { executionsMs: [4_000], concurrency: 9 }), one);
    assert.deepEqual([parallel.waitMs.p50, parallel.waitMs.max], [0, 3_000]);
  });

  it('refuses requests that wait two minutes for a worker', () => {
    const { timedOut, waitMs } = simulated(balanced([0], { coldStartsMs: [130_000] }), settings);
    assert.deepEqual([timedOut, waitMs.max], [1, 120_000]);
  });

  it('gives up requests at the execution timeout, even those that a worker has not begun', () => {
    const one = settingsOf({ scaling: byCount(10) });
    const jobs = balanced([0, 0, 0], { executionsMs: [4_000, 4_000, 1_000], executionTimeoutMs: 5_000 });
    const { completed, timedOut, waitMs } = simulated(jobs, one);
    // The second one begins after 4 s and is given up 1 s later. So is the third one, which never begins.
    assert.deepEqual([completed, timedOut, waitMs.max], [1, 2, 8_000]);
  });
});
