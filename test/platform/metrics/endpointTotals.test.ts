import assert from 'node:assert/strict';
import type { EndpointRecord } from '../../../src/platform/domain/endpoint.ts';
import { Metrics } from '../../../src/platform/metrics/metrics.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import { manualClock } from '../support.ts';

const ENDPOINTS = 10_000;
/** Number of endpoints with series of their own. */
const OWN = 500;

describe('The sums for Prometheus', () => {
  it('have series for the 500 endpoints that were active last, and one for the sum of all others', () => {
    const clock = manualClock(Date.parse('2026-03-01T00:00:00Z'));
    const store = openSqliteStore(':memory:');
    const metrics = new Metrics(store, clock);
    metrics.start();
    const all = Array.from({ length: ENDPOINTS }, (_, index) => {
      const endpoint = { id: `e${index}`, name: `endpoint ${index}`, type: 'QUEUE', version: 1 } as EndpointRecord;
      return { endpoint, meter: metrics.meterOf(endpoint) };
    });
    const expose = () => metrics.exposed(all, { withOthers: true });
    expose();
    for (const { meter } of all) {
      clock.advance(1);
      meter.arrived();
    }
    const exposed = expose();
    assert.deepEqual(
      exposed.map(({ id }) => id),
      [...all.slice(-OWN).map(({ endpoint }) => endpoint.id), 'other'],
    );
    const arrivals = () => expose().reduce((sum, { totals }) => sum + totals.arrivals, 0);
    assert.equal(exposed.at(-1)?.totals.arrivals, ENDPOINTS - OWN);

    // An endpoint that becomes active takes the place of another one.
    clock.advance(1);
    all[0]?.meter.arrived();
    assert.ok(expose().some(({ id }) => id === 'e0'));
    assert.equal(expose().length, OWN + 1);
    clock.advance(1);
    all[0]?.meter.arrived();
    assert.ok(arrivals() >= ENDPOINTS - OWN, 'the sum of the others does not decrease');
    store.close();
  });
});
