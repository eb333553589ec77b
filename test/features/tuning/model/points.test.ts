import assert from 'node:assert/strict';
import type { SimulationResult } from '../../../../src/contract/launch/simulation.ts';
import { SimulationRequest } from '../../../../src/contract/launch/simulation.ts';
import {
  candidatesFor,
  PRESENT,
  simulated,
  type TunedSettings,
} from '../../../../src/features/tuning/model/candidates.ts';
import { frontierOf, pointsOf, proposalsOf, type Point } from '../../../../src/features/tuning/model/points.ts';
import { givenTime } from '../../../../src/features/tuning/model/times.ts';
import { tuningResult } from '../../../../src/features/tuning/model/tuningResult.ts';
import { changesText, comparisonText, settingChanges } from '../../../../src/features/tuning/model/words.ts';
import { hardware, load } from '../../../webviews/tuning/sample.ts';

const present: TunedSettings = {
  ...{ scaling: { type: 'QUEUE_DELAY', queueDelay: 3 }, min: 1, max: 7, idleTimeout: 45, flashboot: 'OFF' },
};
const input = { type: 'QUEUE', present, hardware: [hardware], load } as const;

describe('the settings to simulate', () => {
  it('are about a thousand, with the present ones once and first', () => {
    const candidates = candidatesFor(input);
    assert.ok(candidates.length > 700 && candidates.length <= 1_000, String(candidates.length));
    assert.deepEqual([candidates[0]?.id, candidates[0]?.settings], [PRESENT, present]);
    const keys = candidates.map(({ settings }) => JSON.stringify(settings));
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(new Set(candidates.map(({ id }) => id)).size, candidates.length);
  });

  it('are valid for the simulation and for the rules of endpoints', () => {
    const candidates = candidatesFor({ ...input, present: { ...present, max: 1, min: 0 } });
    assert.ok(candidates.every(({ settings: { min, max } }) => min <= max && max >= 1));
    const request = { load: requestLoad(), settings: candidates.map(simulated) };
    assert.ok(SimulationRequest.safeParse(request).success);
  });

  it('vary FlashBoot only if its resume time is known', () => {
    const flashboots = (all: ReturnType<typeof candidatesFor>) =>
      [...new Set(all.map(({ settings }) => settings.flashboot))].sort();
    assert.deepEqual(flashboots(candidatesFor(input)), ['OFF']);
    assert.deepEqual(flashboots(candidatesFor({ ...input, load: { ...load, resumes: givenTime(1) } })), [
      'FLASHBOOT',
      'OFF',
    ]);
  });

  it('include other hardware within the same limit', () => {
    const other = { ...hardware, id: 'AMPERE_48', executionFactor: 0.6 };
    const candidates = candidatesFor({ ...input, hardware: [hardware, other] });
    assert.ok(candidates.length <= 1_000, String(candidates.length));
    assert.ok(candidates.some(({ hardware: { id } }) => id === 'AMPERE_48'));
    assert.equal(simulated(candidates.at(-1) ?? assert.fail()).executionFactor, 0.6);
  });

  it('are enough workers for the load, except the present ones, whose cost is never more than that of all days', () => {
    const busy = { ...load, executions: givenTime(20) };
    const [own, ...others] = candidatesFor({ ...input, load: busy });
    assert.ok(own?.settings.max === 7 && others.length > 300);
    assert.ok(others.every(({ settings: { max } }) => max >= 10));
    const [point] = pointsOf([own], new Map([[PRESENT, result(PRESENT, 1_000, 5)]]), 60_000);
    assert.equal(point?.usdPerMonth.toFixed(2), (7 * 0.69 * 720).toFixed(2));
  });

  it('scale a load-balanced endpoint on request count alone, with its idle timeout', () => {
    const balanced: TunedSettings = { ...present, scaling: { type: 'REQUEST_COUNT', requestCount: 5 } };
    const candidates = candidatesFor({ ...input, type: 'LOAD_BALANCER', present: balanced });
    assert.ok(candidates.every(({ settings }) => settings.scaling.type === 'REQUEST_COUNT'));
    assert.ok(new Set(candidates.map(({ settings }) => settings.idleTimeout)).size > 1);
  });
});

function requestLoad() {
  return { type: 'QUEUE', durationMs: 1, arrivalsMs: [], executionsMs: [1], coldStartsMs: [1], resumesMs: [1] };
}

function point(id: string, usdPerMonth: number, waitMs: number, changes: Partial<TunedSettings> = {}): Point {
  return {
    candidate: { id, settings: { ...present, ...changes }, hardware },
    ...{ usdPerMonth, waitMs },
    result: result(id, usdPerMonth, waitMs),
  };
}

function result(id: string, usd: number, p95: number | null, completed = 10): SimulationResult {
  return {
    ...{ id, usd, waitMs: { p50: p95, p90: p95, p95, p99: p95, max: p95 }, completed },
    ...{ timedOut: 0, coldStarts: 0, resumes: 0, peakWorkers: 1, utilization: null },
  };
}

describe('the frontier', () => {
  const points = [
    point(PRESENT, 100, 1_900),
    point('cheap', 20, 9_000, { max: 1 }),
    point('worse', 30, 9_500),
    point('good', 60, 1_800, { idleTimeout: 10 }),
    point('same', 60, 1_800, { max: 9 }),
    point('fast', 95, 300, { min: 3 }),
    point('faster', 400, 0, { min: 7 }),
  ];
  const frontier = frontierOf(points);

  it('has the settings that no other one beats, cheapest first', () => {
    assert.deepEqual(
      frontier.map(({ candidate }) => candidate.id),
      ['cheap', 'good', 'fast', 'faster'],
    );
    assert.deepEqual(frontierOf([]), []);
  });

  it('proposes the cheapest one at the same wait, the fastest one at the same cost, and the cheapest one under a target', () => {
    const ids = (goals = {}) => {
      const { cheapest, fastest, target } = proposalsOf(frontier, points[0], goals);
      return [cheapest, fastest, target].map((one) => one?.candidate.id);
    };
    assert.deepEqual(ids(), ['good', 'fast', undefined]);
    assert.deepEqual(ids({ targetWaitMs: 500 }), ['good', 'fast', 'fast']);
    assert.deepEqual(ids({ targetWaitMs: 500, budget: 70 }), ['good', 'good', undefined]);
    assert.deepEqual(ids({ targetWaitMs: 100_000 }), ['good', 'fast', 'cheap']);
  });

  it('proposes nothing if the present settings are the best ones', () => {
    const best = frontierOf([point(PRESENT, 1, 0), point('other', 2, 0)]);
    assert.deepEqual(proposalsOf(best, best[0]), { cheapest: undefined, fastest: undefined, target: undefined });
  });

  it('proposes a cheaper one whose wait reads the same as that of the present settings', () => {
    const close = frontierOf([point(PRESENT, 100, 1_900), point('less', 97, 1_910), point('longer', 90, 1_990)]);
    assert.equal(proposalsOf(close, close.at(-1)).cheapest?.candidate.id, 'less');
  });

  it('leaves out settings that complete fewer jobs than the present ones, and those without any wait', () => {
    const all = ['a', 'b', 'c'].map((id) => ({ ...point(id, 0, 0).candidate }));
    const candidates = [{ ...point(PRESENT, 0, 0).candidate }, ...all];
    const results = new Map([
      [PRESENT, result(PRESENT, 1, 100)],
      ['a', result('a', 0.5, 10, 9)],
      ['b', result('b', 0.5, null, 10)],
      ['c', result('c', 0.5, 10, 10)],
    ]);
    const found = pointsOf(candidates, results, 86_400_000);
    assert.deepEqual(
      found.map(({ candidate, usdPerMonth }) => [candidate.id, usdPerMonth]),
      [
        [PRESENT, 30],
        ['c', 15],
      ],
    );
  });

  it('is described by the difference to the present settings', () => {
    const [own, cheap, , good, , , faster] = points;
    assert.ok(own && cheap && good && faster);
    assert.equal(comparisonText(own, good), 'saves $40.00 a month; p95 wait from 1.9 s to 1.8 s');
    assert.equal(comparisonText(own, faster), 'costs $300.00 more a month; p95 wait from 1.9 s to 0 ms');
    assert.equal(comparisonText(own, own), 'costs the same; p95 wait stays 1.9 s');
    assert.equal(changesText(settingChanges('QUEUE', own.candidate, good.candidate)), 'workers.idleTimeout: 45 → 10');
    const counted = point('x', 1, 1, { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } });
    assert.equal(
      changesText(settingChanges('QUEUE', own.candidate, counted.candidate)),
      'scaling.type: QUEUE_DELAY → REQUEST_COUNT, scaling.queueDelay: 3 → –, workers.idleTimeout: 45 → –, scaling.requestCount: – → 2',
    );
  });

  it('becomes rows with the present settings and the proposals, even if it is long', () => {
    const many = Array.from({ length: 500 }, (_, n) => point(String(n), 200 + n, 1_000 - n));
    const own = point(PRESENT, 300.5, 905);
    const shown = tuningResult('QUEUE', { points: [...many, own], frontier: frontierOf(many), present: own });
    assert.ok(shown.rows.length <= 70, String(shown.rows.length));
    const ids = shown.rows.map(({ id }) => id);
    for (const id of [PRESENT, shown.cheapest, shown.fastest]) assert.ok(id !== undefined && ids.includes(id), id);
    assert.equal(shown.points.length, 501);
  });
});
