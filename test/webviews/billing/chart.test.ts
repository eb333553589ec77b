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

describe('billing amounts in words', () => {
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
    it(`shows ${amount} as ${short}, exactly ${exact}`, () => {
      assert.equal(amountText(amount), short);
      assert.equal(exactAmountText(amount), exact);
    });
  }

  it('give every value of an axis the digits its step needs', () => {
    assert.equal(tickText(0.0002, 0.0001), '$0.0002');
    assert.equal(tickText(0, 0.0001), '$0.0000');
    assert.equal(tickText(0.5, 0.5), '$0.50');
    assert.equal(tickText(2000, 1000), '$2,000');
  });
});

describe('billing times in words', () => {
  const hour = { start: Date.parse('2025-11-21T14:00Z'), end: Date.parse('2025-11-21T15:00Z'), total: 0, parts: [] };

  it('are short below a bar, and UTC whatever the machine’s time zone', () => {
    assert.equal(shortLabel(hour.start, 'hour'), '14:00');
    assert.equal(shortLabel(Date.parse('2025-11-21T00:00Z'), 'hour'), 'Nov 21');
    assert.equal(shortLabel(hour.start, 'day'), 'Nov 21');
    assert.equal(shortLabel(hour.start, 'month'), 'Nov 2025');
    assert.equal(shortLabel(Date.parse('2026-01-01T00:00Z'), 'year'), '2026');
  });

  it('are whole in a tooltip, and say what is not over', () => {
    const now = Date.parse('2025-11-21T14:30Z');
    assert.equal(longLabel(hour, 'hour', now), 'Fri, Nov 21, 2025, 14:00 to 15:00 UTC, so far');
    assert.equal(longLabel(hour, 'hour', hour.end), 'Fri, Nov 21, 2025, 14:00 to 15:00 UTC');
    assert.equal(longLabel(hour, 'day', hour.end), 'Fri, Nov 21, 2025 UTC');
    assert.equal(longLabel(hour, 'month', hour.end), 'November 2025 UTC');
  });

  it('tell the window as a person would: with its last day, not with the one after', () => {
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

  it('and amounts are spoken in one sentence', () => {
    const [spent, unspent] = spendOf(
      response('day', '2025-11-20', [{ serverlessCpuAmount: 0.0003, serverlessDiskAmount: 0.0001 }, {}]),
    ).buckets;
    assert.ok(spent && unspent);
    assert.equal(
      spokenBucket(spent, 'day', spent.end),
      'Thu, Nov 20, 2025 UTC: $0.0004. Serverless CPU $0.0003, Serverless disk $0.0001',
    );
    assert.equal(spokenBucket(unspent, 'day', spent.end), 'Fri, Nov 21, 2025 UTC, so far: nothing spent');
  });
});

describe('the spend of a billing answer', () => {
  it('has every bucket of the window, also those the service left out', () => {
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

  it('names only what is not zero, in stacking order', () => {
    const { parts } = spendOf(response('day', '2025-11-19', [{ podGpuAmount: 2, serverlessCpuAmount: 1 }]));
    assert.deepEqual(
      parts.map(({ series, amount }) => [series.label, amount]),
      [
        ['Serverless CPU', 1],
        ['Pod GPU', 2],
      ],
    );
  });

  it('calls other what a newer service does not name', () => {
    const other = SERIES.at(-1);
    assert.ok(other);
    assert.equal(amountOf(other, { ...amounts({ serverlessCpuAmount: 1 }), totalAmount: 1.5 }), 0.5);
    assert.equal(amountOf(other, { ...amounts({ serverlessCpuAmount: 0.1, podGpuAmount: 0.2 }), totalAmount: 0.3 }), 0);
  });

  it('cuts months and leap years in UTC', () => {
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
    it(`reaches ${last} in steps of ${step} for ${max}`, () => {
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

  it('stacks what a bucket consists of, from the bottom up', () => {
    const [cpu, disk] = bars[0]?.segments ?? [];
    assert.ok(cpu && disk);
    assert.equal(cpu.y + cpu.height, bottom);
    assert.equal(disk.y + disk.height, cpu.y);
    assert.ok(Math.abs(cpu.height - 3 * disk.height) < 1e-6);
  });

  it('draws equal totals equally high, against the axis', () => {
    const four = ticks.find(({ text }) => text === '$4')?.y;
    assert.ok(four !== undefined);
    assert.ok(Math.abs((bars[0]?.segments.at(-1)?.y ?? 0) - four) < 1e-6);
    assert.ok(Math.abs((bars[2]?.segments.at(-1)?.y ?? 0) - four) < 1e-6);
  });

  it('draws nothing where nothing was spent, and the least amount so that it can be seen', () => {
    assert.deepEqual(bars[1]?.segments, []);
    assert.ok((bars[3]?.segments[1]?.height ?? 0) >= 2);
  });

  it('stays in its space at any width', () => {
    for (const width of [0, 90, 320, 4000]) {
      for (const { column, segments } of layOut(spend, width, 300).bars) {
        for (const rect of [column, ...segments]) {
          assert.ok(rect.width >= 0 && rect.height >= 0, `${width}`);
          assert.ok(width < 100 || rect.x + rect.width <= width, `${width}`);
        }
      }
    }
  });

  it('leaves out labels that would touch, but never that of the last bucket', () => {
    const labels = new Array<string>(30).fill('Nov 21');
    assert.equal(labelEvery(labels, 100), 1);
    assert.equal(labelEvery(labels, 30), 2);
    const month = spendOf(response('day', '2025-11-01', new Array(30).fill({ serverlessCpuAmount: 1 })));
    const shown = layOut(month, 600, 300).bars.map(({ label }) => label);
    assert.equal(shown.at(-1), 'Nov 30');
    assert.ok(shown.filter((label) => label === undefined).length > 10);
  });
});

describe('keys in the chart', () => {
  it('go from bar to bar and stop at the ends', () => {
    assert.equal(barAfterKey('ArrowLeft', 3, 7), 2);
    assert.equal(barAfterKey('ArrowLeft', 0, 7), 0);
    assert.equal(barAfterKey('ArrowRight', 6, 7), 6);
    assert.equal(barAfterKey('Home', 3, 7), 0);
    assert.equal(barAfterKey('End', 3, 7), 6);
    assert.equal(barAfterKey('a', 3, 7), undefined);
  });
});

describe('a chart with more buckets than a function call can have arguments', () => {
  it('is laid out', () => {
    const day = spendOf(response('day', '2025-11-15', [{ serverlessCpuAmount: 3 }]));
    const [bucket] = day.buckets;
    assert.ok(bucket);
    const many = { ...day, buckets: Array.from({ length: 200_000 }, () => bucket) };
    assert.equal(layOut(many, 600, 300).bars.length, 200_000);
  });
});
