import assert from 'node:assert/strict';
import { labelEvery, layOut, niceTicks } from '../../../src/webviews/billing/layout.ts';
import { barAfterKey } from '../../../src/webviews/billing/model.ts';
import { amountOf, SERIES } from '../../../src/webviews/billing/series.ts';
import { bucketEnd, spendOf } from '../../../src/webviews/billing/spend.ts';
import {
  amountText,
  exactAmountText,
  longLabel,
  shortLabel,
  spokenBucket,
  tickText,
  windowText,
} from '../../../src/webviews/billing/words.ts';
import { amounts, response } from './sample.ts';

describe('billing amounts', () => {
  const cases: [amount: number, short: string, exact: string][] = [
    [0, '$0.00', '$0.00'],
    [0.0004123, '$0.000412', '$0.0004123'],
    [0.0004, '$0.0004', '$0.0004'],
    [0.000000001, '$0.000000001', '$0.000000001'],
    [0.05, '$0.05', '$0.05'],
    [0.5, '$0.50', '$0.50'],
    [0.1 + 0.2, '$0.30', '$0.30'],
    [12.345, '$12.35', '$12.345'],
    [1234567.891, '$1,234,567.89', '$1,234,567.891'],
    [-1.5, '-$1.50', '-$1.50'],
  ];
  for (const [amount, short, exact] of cases) {
    it(`formats ${amount} as ${short}, with the exact value ${exact}`, () => {
      assert.equal(amountText(amount), short);
      assert.equal(exactAmountText(amount), exact);
    });
  }

  it('formats axis values with the digits that the step requires', () => {
    assert.equal(tickText(0.0002, 0.0001), '$0.0002');
    assert.equal(tickText(0, 0.0001), '$0.0000');
    assert.equal(tickText(0.5, 0.5), '$0.50');
    assert.equal(tickText(2000, 1000), '$2,000');
  });
});

describe('billing times', () => {
  const hour = { start: Date.parse('2025-11-21T14:00Z'), end: Date.parse('2025-11-21T15:00Z'), total: 0, parts: [] };

  it('formats short labels in UTC, regardless of the local time zone', () => {
    assert.equal(shortLabel(hour.start, 'hour'), '14:00');
    assert.equal(shortLabel(Date.parse('2025-11-21T00:00Z'), 'hour'), 'Nov 21');
    assert.equal(shortLabel(hour.start, 'day'), 'Nov 21');
    assert.equal(shortLabel(hour.start, 'month'), 'Nov 2025');
    assert.equal(shortLabel(Date.parse('2026-01-01T00:00Z'), 'year'), '2026');
  });

  it('formats long labels and marks a bucket that is not over', () => {
    const now = Date.parse('2025-11-21T14:30Z');
    assert.equal(longLabel(hour, 'hour', now), 'Fri, Nov 21, 2025, 14:00 to 15:00 UTC, so far');
    assert.equal(longLabel(hour, 'hour', hour.end), 'Fri, Nov 21, 2025, 14:00 to 15:00 UTC');
    assert.equal(longLabel(hour, 'day', hour.end), 'Fri, Nov 21, 2025 UTC');
    assert.equal(longLabel(hour, 'month', hour.end), 'November 2025 UTC');
  });

  it('formats the period with its last day as the end', () => {
    assert.equal(
      windowText(spendOf(response('day', '2025-11-15', new Array(7).fill({})))),
      'Nov 15 to Nov 21, 2025 UTC',
    );
    assert.equal(
      windowText(spendOf(response('month', '2025-01-01', new Array(12).fill({})))),
      'Jan 2025 to Dec 2025 UTC',
    );
    assert.equal(
      windowText(spendOf(response('hour', '2025-11-20T15:00Z', new Array(24).fill({})))),
      'Nov 20, 15:00 to Nov 21, 15:00 UTC',
    );
  });

  it('describes a bucket for screen readers', () => {
    const [spent, unspent] = spendOf(
      response('day', '2025-11-20', [{ serverlessCpuAmount: 0.0003, serverlessDiskAmount: 0.0001 }, {}]),
    ).buckets;
    assert.ok(spent && unspent);
    assert.equal(
      spokenBucket(spent, 'day', spent.end),
      'Thu, Nov 20, 2025 UTC: $0.0004. Serverless CPU $0.0003, Serverless disk $0.0001',
    );
    assert.equal(spokenBucket(unspent, 'day', spent.end), 'Fri, Nov 21, 2025 UTC, so far: no spend');
  });
});

describe('the spend of a billing answer', () => {
  it('includes the buckets that the service omits', () => {
    const { buckets } = spendOf(
      response('day', '2025-11-19', [{ serverlessCpuAmount: 1 }, undefined, { podGpuAmount: 2 }]),
    );
    assert.deepEqual(
      buckets.map(({ start, total }) => [new Date(start).toISOString().slice(0, 10), total]),
      [
        ['2025-11-19', 1],
        ['2025-11-20', 0],
        ['2025-11-21', 2],
      ],
    );
  });

  it('includes only amounts other than zero, in stacking order', () => {
    const { parts } = spendOf(response('day', '2025-11-19', [{ podGpuAmount: 2, serverlessCpuAmount: 1 }]));
    assert.deepEqual(
      parts.map(({ series, amount }) => [series.label, amount]),
      [
        ['Serverless CPU', 1],
        ['Pod GPU', 2],
      ],
    );
  });

  it('assigns the rest of the total to the series “other”', () => {
    const other = SERIES.at(-1);
    assert.ok(other);
    assert.equal(amountOf(other, { ...amounts({ serverlessCpuAmount: 1 }), totalAmount: 1.5 }), 0.5);
    assert.equal(amountOf(other, { ...amounts({ serverlessCpuAmount: 0.1, podGpuAmount: 0.2 }), totalAmount: 0.3 }), 0);
  });

  it('ends months and years at UTC boundaries, including leap years', () => {
    const end = (start: string, size: 'month' | 'week' | 'year') =>
      new Date(bucketEnd(Date.parse(start), size)).toISOString().slice(0, 10);
    assert.equal(end('2024-02-01', 'month'), '2024-03-01');
    assert.equal(end('2025-12-01', 'month'), '2026-01-01');
    assert.equal(end('2025-12-29', 'week'), '2026-01-05');
    assert.equal(end('2024-01-01', 'year'), '2025-01-01');
  });
});

describe('the axis of the chart', () => {
  const cases: [max: number, count: number, last: number, step: number][] = [
    [0.0004, 4, 0.0004, 0.0001],
    [0.00041, 4, 0.0006, 0.0002],
    [9, 5, 10, 2],
    [1, 5, 1, 0.2],
    [1234, 4, 1500, 500],
    [0, 4, 1, 0.5],
  ];
  for (const [max, count, last, step] of cases) {
    it(`ends at ${last} with a step of ${step} for a maximum of ${max}`, () => {
      const ticks = niceTicks(max, count);
      assert.equal(Number(ticks.step.toPrecision(12)), step);
      assert.equal(Number(ticks.values.at(-1)?.toPrecision(12)), last);
      assert.equal(ticks.values[0], 0);
      assert.ok(ticks.values.length <= count + 2);
    });
  }
});

describe('the layout of the chart', () => {
  const spend = spendOf(
    response('day', '2025-11-15', [
      { serverlessCpuAmount: 3, serverlessDiskAmount: 1 },
      {},
      { serverlessCpuAmount: 4 },
      { serverlessCpuAmount: 4, serverlessDiskAmount: 0.000001 },
    ]),
  );
  const { plot, bars, ticks } = layOut(spend, 600, 300);
  const bottom = plot.y + plot.height;

  it('stacks the parts of a bucket from the bottom up', () => {
    const [cpu, disk] = bars[0]?.segments ?? [];
    assert.ok(cpu && disk);
    assert.equal(cpu.y + cpu.height, bottom);
    assert.equal(disk.y + disk.height, cpu.y);
    assert.ok(Math.abs(cpu.height - 3 * disk.height) < 1e-6);
  });

  it('draws equal totals at the same height as their axis value', () => {
    const four = ticks.find(({ text }) => text === '$4')?.y;
    assert.ok(four !== undefined);
    assert.ok(Math.abs((bars[0]?.segments.at(-1)?.y ?? 0) - four) < 1e-6);
    assert.ok(Math.abs((bars[2]?.segments.at(-1)?.y ?? 0) - four) < 1e-6);
  });

  it('draws nothing for an empty bucket and keeps the smallest amount visible', () => {
    assert.deepEqual(bars[1]?.segments, []);
    assert.ok((bars[3]?.segments[1]?.height ?? 0) >= 2);
  });

  it('stays inside the chart at every width', () => {
    for (const width of [0, 90, 320, 4000]) {
      for (const { column, segments } of layOut(spend, width, 300).bars) {
        for (const rect of [column, ...segments]) {
          assert.ok(rect.width >= 0 && rect.height >= 0, `${width}`);
          assert.ok(width < 100 || rect.x + rect.width <= width, `${width}`);
        }
      }
    }
  });

  it('omits labels that would overlap, but keeps the last one', () => {
    const labels = new Array<string>(30).fill('Nov 21');
    assert.equal(labelEvery(labels, 100), 1);
    assert.equal(labelEvery(labels, 30), 2);
    const month = spendOf(response('day', '2025-11-01', new Array(30).fill({ serverlessCpuAmount: 1 })));
    const shown = layOut(month, 600, 300).bars.map(({ label }) => label);
    assert.equal(shown.at(-1), 'Nov 30');
    assert.ok(shown.filter((label) => label === undefined).length > 10);
  });
});

describe('keyboard navigation in the chart', () => {
  it('moves between bars and stops at the first and last bar', () => {
    assert.equal(barAfterKey('ArrowLeft', 3, 7), 2);
    assert.equal(barAfterKey('ArrowLeft', 0, 7), 0);
    assert.equal(barAfterKey('ArrowRight', 6, 7), 6);
    assert.equal(barAfterKey('Home', 3, 7), 0);
    assert.equal(barAfterKey('End', 3, 7), 6);
    assert.equal(barAfterKey('a', 3, 7), undefined);
  });
});

describe('a chart with more buckets than a function call can have arguments', () => {
  it('has a layout', () => {
    const day = spendOf(response('day', '2025-11-15', [{ serverlessCpuAmount: 3 }]));
    const [bucket] = day.buckets;
    assert.ok(bucket);
    const many = { ...day, buckets: Array.from({ length: 200_000 }, () => bucket) };
    assert.equal(layOut(many, 600, 300).bars.length, 200_000);
  });
});
