import assert from 'node:assert/strict';
import { spendByKind } from '../../../src/features/spend/billing/model/kinds.ts';
import type { BillingChart } from '../../../src/webviews/billing/messages.ts';
import { initialModel, withChart } from '../../../src/webviews/billing/model.ts';
import {
  barsBetween,
  drawnBars,
  extentOf,
  panned,
  stacked,
  timesOf,
  zoomed,
  type Scale,
} from '../../../src/webviews/charts/bars.ts';
import { stylesOf } from '../../../src/webviews/billing/styles.ts';
import {
  basisText,
  bucketText,
  localWindowText,
  labelSize,
  shortLabel,
  spokenBar,
  windowText,
} from '../../../src/webviews/billing/words.ts';
import { barAfterKey, toggled } from '../../../src/webviews/charts/keys.ts';
import { amountText, exactAmountText, tickText } from '../../../src/webviews/charts/numbers.ts';
import { response, sentFor } from './sample.ts';
import { byEndpoint, NOW } from './states.ts';

const chartOf = (...given: Parameters<typeof response>): BillingChart => ({
  grouping: 'kind',
  ...spendByKind(response(...given)),
});

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
    [1e-13, '$0.00', '$0.00'],
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
    assert.equal(tickText(-20, 20), '-$20');
  });
});

describe('billing times', () => {
  const START = Date.parse('2025-11-21T14:00Z');

  it('formats short labels in UTC, regardless of the local time zone', () => {
    assert.equal(shortLabel(START, 'hour'), '14:00');
    assert.equal(shortLabel(Date.parse('2025-11-21T00:00Z'), 'hour'), 'Nov 21');
    assert.equal(shortLabel(START, 'day'), 'Nov 21');
    assert.equal(shortLabel(START, 'month'), 'Nov 2025');
    assert.equal(shortLabel(Date.parse('2026-01-01T00:00Z'), 'year'), '2026');
  });

  it('labels distant bars with dates that tell them apart', () => {
    const HOUR_MS = 3_600_000;
    assert.equal(labelSize('hour', 23 * HOUR_MS), 'hour');
    assert.equal(labelSize('hour', 24 * HOUR_MS), 'day');
    assert.equal(labelSize('hour', 200 * 24 * HOUR_MS), 'month');
    assert.equal(labelSize('week', 200 * 24 * HOUR_MS), 'month');
    assert.equal(labelSize('year', 366 * 24 * HOUR_MS), 'year');
  });

  it('names the interval of a bar and marks a bar that is not over', () => {
    const hour = chartOf('hour', '2025-11-21T14:00Z', [{}]);
    assert.equal(bucketText({ ...hour, running: 0 }, 0), 'Fri, Nov 21, 2025, 14:00 to 15:00 UTC, so far');
    assert.equal(bucketText(hour, 0), 'Fri, Nov 21, 2025, 14:00 to 15:00 UTC');
    assert.equal(bucketText(chartOf('day', '2025-11-21', [{}]), 0), 'Fri, Nov 21, 2025 UTC');
    assert.equal(bucketText(chartOf('week', '2025-11-17', [{}]), 0), 'Week of Mon, Nov 17, 2025 UTC');
    assert.equal(bucketText(chartOf('month', '2025-11-01', [{}]), 0), 'November 2025 UTC');
    assert.equal(bucketText(chartOf('year', '2025-01-01', [{}]), 0), '2025 UTC');
  });

  it('formats the window in UTC and in local time', () => {
    const week = chartOf('day', '2025-11-15', new Array(7).fill({}));
    assert.equal(windowText(week), 'Nov 15, 2025, 00:00 to Nov 22, 2025, 00:00 UTC');
    assert.equal(localWindowText(week, 'Asia/Kolkata'), 'Nov 15, 2025, 05:30 to Nov 22, 2025, 05:30 Asia/Calcutta');
    assert.equal(localWindowText(week, 'UTC'), undefined);
  });

  it('describes a bar for screen readers, without the hidden groups', () => {
    const chart = chartOf('day', '2025-11-20', [{ serverlessCpuAmount: 0.0003, serverlessDiskAmount: 0.0001 }, {}]);
    assert.equal(
      spokenBar(chart, 0, []),
      'Thu, Nov 20, 2025 UTC: $0.0004. Serverless CPU $0.0003, Serverless disk $0.0001',
    );
    assert.equal(
      spokenBar(chart, 0, ['serverlessCpuAmount']),
      'Thu, Nov 20, 2025 UTC: $0.0004. Serverless disk $0.0001',
    );
    assert.equal(spokenBar({ ...chart, running: 1 }, 1, []), 'Fri, Nov 21, 2025 UTC, so far: no spend');
  });

  it('explains the basis of a forecast', () => {
    const forecast = { month: 0, spent: 1, expected: 2, low: 1, high: 3, dailyMean: 2 };
    assert.equal(basisText({ ...forecast, days: 14 }), 'Based on $2.00 a day, the mean of the last 14 days.');
    assert.equal(basisText({ ...forecast, days: 1 }), 'Based on $2.00 a day, yesterday’s spend.');
    assert.equal(basisText({ ...forecast, days: 0 }), 'A forecast needs one complete day of spend.');
  });
});

describe('the layout of stacked bars', () => {
  const scale: Scale = { x: (index) => index * 10, y: (amount) => 100 - amount * 10, slot: 10, ratio: 1 };
  const series = [
    [3, 0, -1, 0.001],
    [1, 0, -2, 2],
  ];
  const all = [0, 1, 2, 3];

  it('stacks positive amounts up from zero, and negative ones down', () => {
    const [first, second] = stacked(series, all, scale);
    assert.deepEqual([first?.[0]?.y, first?.[0]?.height], [70, 30]);
    assert.deepEqual([second?.[0]?.y, second?.[0]?.height], [60, 10]);
    assert.deepEqual([first?.[1]?.y, first?.[1]?.height], [100, 10]);
    assert.deepEqual([second?.[1]?.y, second?.[1]?.height], [110, 20]);
  });

  it('draws nothing for an empty bucket and keeps the smallest amount visible', () => {
    const [first] = stacked(series, [1, 3], scale);
    assert.equal(first?.length, 1);
    assert.equal(first[0]?.height, 1.5);
  });

  it('finds the lowest and the highest end of the visible bars', () => {
    assert.deepEqual(extentOf(series, [0, 4]), [-3, 4]);
    assert.deepEqual(extentOf(series, [3, 4]), [0, 2.001]);
    assert.deepEqual(extentOf([], [0, 4]), [0, 0]);
  });

  it('draws the largest bar of each column of pixels when there are more bars than pixels', () => {
    const totals = Array.from({ length: 200_000 }, (_, index) => (index === 123_456 ? 99 : index % 7));
    const bars = drawnBars(totals, [0, totals.length], 1000);
    assert.equal(bars.length, 1000);
    assert.ok(bars.includes(123_456));
    assert.deepEqual(drawnBars(totals, [10, 13], 1000), [10, 11, 12]);
  });

  it('leaves no column of pixels empty when there are more bars than pixels', () => {
    const totals = new Array<number>(10_000).fill(1);
    const columns = drawnBars(totals, [0, 10_000], 784).map((bar) => Math.floor(((bar + 0.5) / 10_000) * 784));
    assert.deepEqual(
      columns,
      Array.from({ length: 784 }, (_, column) => column),
    );
  });
});

describe('the zoom of the chart', () => {
  it('keeps the bar at its place, and never leaves the period', () => {
    assert.deepEqual(zoomed([0, 100], 0.5, 50, 100), [25, 75]);
    assert.deepEqual(zoomed([0, 100], 0.5, 0, 100), [0, 50]);
    assert.deepEqual(zoomed([25, 75], 4, 50, 100), [0, 100]);
    assert.deepEqual(zoomed([0, 100], 0.001, 99, 100), [95, 99]);
    assert.deepEqual(panned([90, 100], 5, 100), [90, 100]);
    assert.deepEqual(panned([50, 60], -55, 100), [0, 10]);
  });

  it('is stored as times, and shows everything when no bar is between them', () => {
    const week = chartOf('day', '2025-11-15', new Array(7).fill({}));
    const zoom = timesOf(week, [1, 5]);
    assert.deepEqual(barsBetween(week, zoom), [1, 5]);
    assert.equal(timesOf(week, [0, 7]), undefined);
    assert.deepEqual(barsBetween(week, [0, 1]), [0, 7]);
    assert.deepEqual(barsBetween(week, [Number.NaN, Number.NaN]), [0, 7]);
  });

  it('is discarded with other bars, as hidden groups are with other groups', () => {
    const week = chartOf('day', '2025-11-15', new Array(7).fill({ podGpuAmount: 1 }));
    const { view } = sentFor({}, NOW);
    const model = {
      ...withChart(initialModel(view, undefined), week),
      zoom: [week.times[1] ?? 0, week.times[5] ?? 0] as const,
      hidden: ['podGpuAmount'],
    };
    assert.deepEqual(withChart(model, { ...week }).zoom, model.zoom);
    const waiting = withChart(model, undefined);
    const day = chartOf('hour', '2025-11-15', new Array(24).fill({ podGpuAmount: 1 }));
    assert.equal(withChart(waiting, day).zoom, undefined);
    assert.deepEqual(withChart(waiting, day).hidden, model.hidden);
    assert.deepEqual(withChart(waiting, { ...week, grouping: 'volume' }).hidden, []);
  });
});

describe('keyboard navigation in the chart', () => {
  it('moves between bars and stops at the first and last bar', () => {
    const keys = ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown', 'PageUp', 'a'];
    assert.deepEqual(
      keys.map((key) => barAfterKey(key, 13, 30)),
      [12, 14, 0, 29, 3, 23, undefined],
    );
    assert.equal(barAfterKey('ArrowLeft', 0, 7), 0);
    assert.equal(barAfterKey('ArrowRight', 6, 7), 6);
  });
});

describe('the groups of the chart', () => {
  it('can be hidden, except the last one', () => {
    assert.deepEqual(toggled([], 'a', ['a', 'b']), ['a']);
    assert.deepEqual(toggled(['a'], 'b', ['a', 'b']), ['a']);
    assert.deepEqual(toggled(['a'], 'a', ['a', 'b']), []);
  });

  it('keep their style when their order changes', () => {
    const { chart } = sentFor(byEndpoint, NOW);
    assert.ok(chart);
    const before = stylesOf(chart);
    const after = stylesOf({ series: chart.series.toReversed() });
    for (const [id, style] of before) assert.deepEqual(after.get(id), style);
    assert.equal(new Set([...before.values()].map((style) => JSON.stringify(style))).size, before.size);
  });
});
