import assert from 'node:assert/strict';
import {
  afterProbe,
  healthOf,
  probePause,
  type Health,
  type HealthState,
} from '../../../src/platform/balancer/healthWatch.ts';

const MINUTE = 60_000;

/** Returns the states after one probe per minute. */
function states(...probes: Health[]): string[] {
  let state: HealthState | undefined = { state: 'starting', notReadySince: 0 };
  return probes.map((health, index) => {
    state &&= afterProbe(state, health, index * MINUTE);
    return state?.state ?? 'replace';
  });
}

describe('Health of a load-balanced worker', () => {
  it('follows the status of the health path', () => {
    assert.deepEqual([200, 204, 201, 301, 404, 500, 503].map(healthOf), [
      'ready',
      'starting',
      ...Array<Health>(5).fill('unhealthy'),
    ]);
  });

  it('stays "starting" before the worker listens, and is "sick" when it no longer listens', () => {
    assert.deepEqual(states('unreachable', 'starting', 'unreachable', 'ready', 'unreachable', 'unreachable', 'ready'), [
      ...['starting', 'starting', 'starting', 'ready', 'sick', 'sick', 'ready'],
    ]);
  });

  it('changes in both directions', () => {
    assert.deepEqual(states('unhealthy', 'starting', 'ready', 'starting', 'ready', 'unhealthy', 'ready'), [
      ...['sick', 'starting', 'ready', 'starting', 'ready', 'sick', 'ready'],
    ]);
  });

  it('requires a replacement after eight minutes without being ready', () => {
    const bad = Array<Health>(12).fill('unhealthy');
    assert.equal(states(...bad).indexOf('replace'), 8);
    assert.equal(states(...bad.slice(0, 5), 'ready', ...bad).indexOf('replace'), 14);
  });

  it('is probed often at first, and once per second later', () => {
    const start = Date.parse('2026-03-18T12:00:00Z');
    const starting: HealthState = { state: 'starting', notReadySince: start };
    assert.equal(probePause(starting, start + 9_999), 100);
    assert.equal(probePause(starting, start + 10_000), 1_000);
    assert.equal(probePause({ state: 'ready', notReadySince: 0 }, 1), 1_000);
  });
});
