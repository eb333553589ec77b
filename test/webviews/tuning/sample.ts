import type { SimulationResult } from '../../../src/contract/launch/simulation.ts';
import type { TuningPlan } from '../../../src/features/tuning/actions/tune.ts';
import {
  candidatesFor,
  PRESENT,
  type TunedHardware,
  type TunedSettings,
} from '../../../src/features/tuning/model/candidates.ts';
import { frontierOf, pointsOf } from '../../../src/features/tuning/model/points.ts';
import { givenTime } from '../../../src/features/tuning/model/times.ts';
import { loadOfPattern, type CompleteLoad } from '../../../src/features/tuning/model/tunedLoad.ts';
import { tuningResult } from '../../../src/features/tuning/model/tuningResult.ts';
import { planSentences } from '../../../src/features/tuning/model/words.ts';
import type { TuningResult, TuningView } from '../../../src/webviews/tuning/messages.ts';

/* A tuning with made-up results that have the form of real ones. */

export const hardware: TunedHardware = {
  ...{ kind: 'gpu', id: 'ADA_24', count: 1, typeIds: ['NVIDIA L4'], usdPerHour: 0.69, executionFactor: 1 },
};

export const load: CompleteLoad = {
  ...loadOfPattern({ kind: 'rate', rate: 0.5, rampTo: 0.5, seconds: 3_600, arrivals: 'poisson', seed: 1 }),
  executions: givenTime(2),
  coldStarts: givenTime(8),
};

const present: TunedSettings = {
  ...{ scaling: { type: 'QUEUE_DELAY', queueDelay: 4 }, min: 1, max: 5, idleTimeout: 60, flashboot: 'OFF' },
};

const candidates = candidatesFor({
  type: 'QUEUE',
  present,
  ...{ hardware: [hardware], load },
});

const plan: TuningPlan = {
  ...{ load, candidates, unknownHardware: ['AMPERE_24', 'AMPERE_48'], factorFrom: () => undefined },
  subject: {
    name: 'text-to-image',
    type: 'QUEUE',
    timeoutMs: 600_000,
    hardware: {},
    endpoint: undefined,
    settings: present,
  },
};

/** Returns a result in which more workers cost more and wait less. */
function resultOf(index: number): SimulationResult {
  const { id, settings } = candidates[index] ?? candidates[0] ?? { id: '', settings: undefined };
  const { min = 0, max = 1, idleTimeout = 1, scaling } = settings ?? {};
  const delay = scaling?.type === 'QUEUE_DELAY' ? scaling.queueDelay : 2;
  const workers = Math.min(max, 1 + min + Math.log2(1 + idleTimeout) / 2);
  const wait = Math.max(0, 9_000 / workers ** 2 + delay * 120 - 600 + ((index * 37) % 11) * 40);
  return {
    ...{ id, usd: workers * 0.69 * (0.8 + ((index * 53) % 13) / 20) },
    waitMs: { p50: 0, p90: wait / 2, p95: wait, p99: wait * 2, max: wait * 3 },
    ...{ completed: 1_800, timedOut: 0, coldStarts: 40 + (index % 9), resumes: 0, peakWorkers: max, utilization: 0.4 },
  };
}

export function result(): TuningResult {
  const results = new Map(candidates.map(({ id }, index) => [id, resultOf(index)]));
  const points = pointsOf(candidates, results, load.arrivals.durationMs);
  const present = points.find(({ candidate }) => candidate.id === PRESENT);
  return tuningResult('QUEUE', { points, frontier: frontierOf(points), present });
}

export function view(changes: Partial<TuningView> = {}): TuningView {
  return {
    ...{ name: 'text-to-image', connection: 'Local Platform', state: 'done' },
    ...{ done: candidates.length, total: candidates.length, applies: 'manifest' },
    notes: [...planSentences(plan)],
    ...changes,
  };
}
