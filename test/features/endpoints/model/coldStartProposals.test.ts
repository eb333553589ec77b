import assert from 'node:assert/strict';
import type { TraceSpan, WorkerStartTrace } from '../../../../src/contract/control/controlTraces.ts';
import {
  coldStartProposals,
  type Proposal,
  type StartFacts,
} from '../../../../src/features/endpoints/model/coldStartProposals.ts';
import { coldStartText } from '../../../../src/features/endpoints/model/coldStartText.ts';

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const span = (kind: string, from: number, to: number, rest: Partial<TraceSpan> = {}) =>
  ({ kind, start: at(from), end: at(to), ...rest }) as TraceSpan;
const imported = (name: string, from: number, to: number, depth = 0) =>
  span('importing', from, to, { name, depth, selfSeconds: to - from });
const layer = (name: string, from: number, to: number, bytes?: number) =>
  span('pullingLayer', from, to, { name, ...(bytes !== undefined && { bytes }) });
const present = (name: string) => ({ ...layer(name, 0, 0), isPresent: true });

/** A cold start of 20 s, with some parts. */
const started = (...parts: TraceSpan[]): WorkerStartTrace => ({
  ...{ workerId: 'w', endpointId: 'e', readyAt: at(20) },
  spans: [span('coldStart', 0, 20), ...parts],
});

/** An endpoint for which nothing avoids cold starts. */
const settings: StartFacts['settings'] = {
  ...{ flashboot: 'FLASHBOOT', minWorkers: 1, maxWorkers: 3, idleTimeout: 5, hasGpus: false },
};
const week = { days: 7, coldStarts: 70 };

const cases: readonly {
  readonly name: string;
  readonly facts: Partial<StartFacts>;
  readonly expected: readonly Proposal[];
}[] = [
  {
    name: 'the slow imports of the program, the slowest first, and not what they import',
    facts: {
      start: started(imported('a', 1, 4), imported('b', 4, 12), imported('b.c', 4, 11, 1), imported('d', 12, 13)),
    },
    expected: [
      { code: 'importLazily', module: 'b', seconds: 8, cost: undefined },
      { code: 'importLazily', module: 'a', seconds: 3, cost: undefined },
    ],
  },
  {
    name: 'dollars at the frequency of the measured cold starts',
    facts: { start: started(imported('a', 0, 9)), metrics: week, usdPerHour: 3.6 },
    // 10 cold starts a day for 30 days, of 9 s each, at $0.001 a second.
    expected: [
      { code: 'importLazily', module: 'a', seconds: 9, cost: { usd: -2.7, isAtMost: false, coldStarts: 70, days: 7 } },
    ],
  },
  {
    name: 'no dollars without a price',
    facts: { start: started(imported('a', 0, 9)), metrics: week },
    expected: [{ code: 'importLazily', module: 'a', seconds: 9, cost: undefined }],
  },
  {
    name: 'no dollars without cold starts',
    facts: { start: started(imported('a', 0, 9)), metrics: { days: 7, coldStarts: 0 }, usdPerHour: 1 },
    expected: [{ code: 'importLazily', module: 'a', seconds: 9, cost: undefined }],
  },
  {
    name: 'the layer for which the pull waited, for the time without other layers',
    facts: { start: started(layer('a', 0, 4, 100), layer('b', 1, 10, 900)) },
    expected: [{ code: 'shrinkLayer', layer: 'b', bytes: 900, seconds: 6 }],
  },
  {
    name: 'no layer if they all take equally long',
    facts: { start: started(layer('a', 0, 10, 100), layer('b', 0, 10, 100)) },
    expected: [],
  },
  {
    name: 'the order of layers if a small one precedes a large one, and the engine has the first ones',
    facts: { start: started(present('base'), layer('code', 0, 1, 10), layer('weights', 1, 10, 1_000)) },
    expected: [{ code: 'moveLayerUp', layer: 'weights', before: 'code', seconds: 9 }],
  },
  {
    name: 'no order of layers for an image that the engine does not have at all',
    facts: { start: started(layer('code', 0, 1, 10), layer('weights', 1, 10, 1_000)) },
    expected: [{ code: 'shrinkLayer', layer: 'weights', bytes: 1_000, seconds: 9 }],
  },
  {
    name: 'FlashBoot if it is off',
    facts: { start: started(), settings: { ...settings, flashboot: 'OFF' } },
    expected: [{ code: 'flashboot', seconds: 20 }],
  },
  {
    name: 'no FlashBoot with GPUs, whose memory a worker on standby keeps',
    facts: { start: started(), settings: { ...settings, flashboot: 'OFF', hasGpus: true } },
    expected: [],
  },
  {
    name: 'a minimum of one worker, for what it costs to run all the time',
    facts: { start: started(), settings: { ...settings, minWorkers: 0 }, metrics: week, usdPerHour: 1 },
    expected: [{ code: 'minWorkers', seconds: 20, cost: { usd: 720, isAtMost: true, coldStarts: 70, days: 7 } }],
  },
  {
    name: 'no minimum for an endpoint without measured cold starts',
    facts: { start: started(), settings: { ...settings, minWorkers: 0 } },
    expected: [],
  },
  {
    name: 'an idle timeout that covers half of the pauses before cold starts',
    facts: {
      start: started(),
      settings: { ...settings, minWorkers: 0 },
      metrics: {
        ...week,
        recent: {
          ...{ days: 2, step: 60 },
          points: [
            { at: at(0), arrivals: 1, coldStart: { count: 1, sum: 20, p50: 20, p90: 20, p99: 20, max: 20 } },
            { at: at(240), arrivals: 1, coldStart: { count: 1, sum: 20, p50: 20, p90: 20, p99: 20, max: 20 } },
            { at: at(9_000), arrivals: 1, coldStart: { count: 1, sum: 20, p50: 20, p90: 20, p99: 20, max: 20 } },
          ],
        },
      },
      usdPerHour: 3.6,
    },
    // Two pauses of at most 300 s each, less 5 s, in two days.
    expected: [
      {
        ...{ code: 'idleTimeout', timeout: 300, avoided: 1, seconds: 20 },
        cost: { usd: 8.85, isAtMost: true, coldStarts: 3, days: 2 },
      },
      { code: 'minWorkers', seconds: 20, cost: { usd: 2_592, isAtMost: true, coldStarts: 70, days: 7 } },
    ],
  },
  {
    name: 'nothing for a start that has not ended',
    facts: {
      start: { ...started(imported('a', 0, 9)), readyAt: undefined },
      settings: { ...settings, flashboot: 'OFF' },
    },
    expected: [],
  },
];

describe('coldStartProposals', () => {
  for (const { name, facts, expected } of cases) {
    it(`returns ${name}`, () => {
      const found = coldStartProposals({
        start: started(),
        settings,
        metrics: undefined,
        usdPerHour: undefined,
        ...facts,
      });
      const rounded = found.map(({ cost, ...rest }) => ({
        ...rest,
        ...(cost && { cost: { ...cost, usd: Math.round(cost.usd * 100) / 100 } }),
      }));
      assert.deepEqual(
        rounded,
        expected.map(({ cost, ...rest }) => ({ ...rest, ...(cost && { cost }) })),
      );
    });
  }
});

describe('coldStartText', () => {
  it('draws the parts of the start inside each other, with what would help', () => {
    const start = {
      ...started(span('loading', 1, 20), imported('torch', 2, 12), imported('torch._C', 2, 8, 1)),
      otherImports: { count: 40, seconds: 0.2 },
    };
    const facts = { start, settings, metrics: week, usdPerHour: 3.6 };
    const { text, lines } = coldStartText(start, coldStartProposals(facts), {
      ...{ endpointName: 'example', width: undefined, now: 20_000 },
    });
    assert.equal(
      text.replaceAll(/[\u2066-\u2069]/g, ''),
      [
        'Start of worker w of example',
        'Ready after 20 s',
        '',
        'Cold start: 20 s',
        '  Loading until ready: 19 s',
        '    torch: 10 s',
        '      torch._C: 6.0 s',
        '',
        'Other modules: 40, 200 ms together',
        '',
        'Ways to shorten it:',
        '• Import torch only in the function that uses it: saves up to 10 s of each cold start. The first job that uses it waits instead. Saves $3.00 per month, based on the 70 cold starts of the last 7 days.',
        '',
      ].join('\n'),
    );
    assert.deepEqual(
      lines.map(({ number }) => number),
      [3, 4, 5, 6],
    );
  });
});
