import assert from 'node:assert/strict';
import { latencyWords, profileWords, progressWords, reportTables } from '../../../../src/features/load/model/words.ts';
import { report } from '../loadReport.ts';

const rowsOf = (title: string | undefined, ...reports: Parameters<typeof reportTables>) =>
  reportTables(...reports).find((table) => table.title === title)?.rows ?? [];

describe('A load test in words', () => {
  it('has latencies with three digits', () => {
    assert.deepEqual([0, 0.5, 12.34, 999.4, 999.6, 1_250, 61_500, undefined].map(latencyWords), [
      '0 ms',
      '0.5 ms',
      '12.3 ms',
      '999 ms',
      '1 s',
      '1.25 s',
      '61.5 s',
      '–',
    ]);
  });

  it('describes its arrivals', () => {
    const profile = { kind: 'rate', rate: 5, rampTo: 5, seconds: 60, arrivals: 'constant', seed: 1 } as const;
    assert.deepEqual(
      [
        profile,
        { ...profile, rampTo: 50, arrivals: 'poisson' } as const,
        { kind: 'trace', offsets: [0, 2_000] } as const,
      ].map(profileWords),
      [
        '5 per second for 1 min',
        '5 to 50 per second for 1 min, at random times (Poisson)',
        '2 recorded arrivals in 2 s',
      ],
    );
  });

  it('has its state in one line', () => {
    const { counts } = report();
    const state = { elapsedMs: 1, counts: { ...counts, notSent: 10 }, inFlight: 3, latency: { p50: 10, p99: 2_000 } };
    assert.equal(
      progressWords({ ...state, isDraining: true, errors: 0.125, usd: 0.25 }),
      'draining, 90 sent, 3 in flight, p50 10 ms, p99 2 s, 12.5 % errors, $0.2500',
    );
  });

  it('names what ended it, its failures, and its thresholds', () => {
    const thresholds = [
      { text: 'p99<2s', value: 300, holds: true },
      { text: 'cost<$1', holds: false },
    ];
    const ended = report({ end: 'cap', thresholds });
    const summary = Object.fromEntries(rowsOf(undefined, ended) as [string, string][]);
    assert.match(summary['Ended by'] ?? '', /^the cost cap/);
    assert.deepEqual([summary['Failed'], summary['Reasons'], summary['Not sent']], ['1', 'FAILED: 1', undefined]);
    assert.deepEqual(rowsOf('Thresholds', ended), [
      ['p99<2s', '300 ms', 'holds'],
      ['cost<$1', '–', 'violated'],
    ]);
  });

  it('has the change of each value since an earlier load test', () => {
    const later = report({ latency: { p50: 100, p99: 600 }, settings: { 'workers.min': 0, 'workers.max': 5 } });
    const rows = rowsOf('Compared with 2026-01-01T00:00:00.000Z', later, report());
    const row = (name: string) => rows.find(([first]) => first === name);
    assert.deepEqual(row('p50'), ['p50', '100 ms', '100 ms', '±0 %']);
    assert.deepEqual(row('p99'), ['p99', '300 ms', '600 ms', '+100 %']);
    assert.deepEqual(row('workers.max'), ['workers.max', '3', '5', '']);
  });
});
