import assert from 'node:assert/strict';
import { compareReports } from '../../../../src/features/load/model/comparison.ts';
import { readReport } from '../../../../src/features/load/model/report.ts';
import { report } from '../loadReport.ts';

describe('the comparison of two load tests', () => {
  it('has the values of both', () => {
    const later = report({ latency: { p99: 600 }, cost: undefined, workers: 3 });
    const { values, isAlike } = compareReports(report(), later);
    const of = (metric: string) => values.find((value) => value.metric === metric);
    assert.deepEqual(of('p99'), { metric: 'p99', earlier: 300, later: 600 });
    assert.deepEqual(of('p50'), { metric: 'p50', earlier: 100, later: undefined });
    assert.deepEqual(of('errors'), { metric: 'errors', earlier: 0.01, later: 0.01 });
    assert.deepEqual(of('perThousand'), { metric: 'perThousand', earlier: 5, later: undefined });
    assert.equal(isAlike, true);
  });

  it('names the settings that differ', () => {
    const later = report({ settings: { 'workers.min': 0, 'workers.max': 5, flashboot: 'OFF' } });
    assert.deepEqual(compareReports(report(), later).settings, [
      { setting: 'workers.max', from: 3, to: 5 },
      { setting: 'flashboot', from: undefined, to: 'OFF' },
    ]);
  });

  it('says whether both had the same arrivals, whatever their random numbers', () => {
    const { profile } = report();
    assert.ok(profile.kind === 'rate');
    const isAlike = (changes: Parameters<typeof report>[0]) => compareReports(report(), report(changes)).isAlike;
    assert.equal(isAlike({ profile: { ...profile, seed: 2 } }), true);
    assert.equal(isAlike({ profile: { ...profile, rate: 20 } }), false);
    assert.equal(isAlike({ endpoint: { id: 'e2', name: 'other' } }), false);
    assert.equal(isAlike({ end: 'cap' }), false);
  });

  it('reads reports from their files, and nothing else', () => {
    assert.deepEqual(readReport(JSON.stringify(report())), report());
    for (const text of ['', '{}', '[]', JSON.stringify({ ...report(), loadReport: 2 })])
      assert.equal(readReport(text), undefined);
  });
});
