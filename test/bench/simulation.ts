import { SimulationRequest } from '../../src/contract/launch/simulation.ts';
import { groupSettings } from '../../src/platform/simulation/simulation.ts';
import { simulateAll } from '../../src/platform/simulation/simulationThreads.ts';
import { seededRandom } from '../support/seededRandom.ts';

const DAY_MS = 86_400_000;
const DURATION_MS = 7 * DAY_MS;
const ARRIVALS = 100_000;

/** Measures the simulation of 1,000 settings with a week of 100,000 jobs, which arrive more often by day than by night. */
export async function run(): Promise<void> {
  const request = SimulationRequest.parse({ load: load(), settings: settings() });
  const groups = groupSettings(request.settings).length;
  const cpu = process.cpuUsage();
  const start = performance.now();
  let count = 0;
  let firstMs = 0;
  await simulateAll(request, () => {
    if (count++ === 0) firstMs = performance.now() - start;
    return Promise.resolve();
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  console.log(
    `  ${count} settings in ${groups} groups: ${seconds.toFixed(1)} s, processor time ${cpuSeconds.toFixed(1)} s, ` +
      `first result after ${firstMs.toFixed(0)} ms`,
  );
}

function load() {
  const random = seededRandom(1);
  const arrivalsMs: number[] = [];
  while (arrivalsMs.length < ARRIVALS) {
    const at = random() * DURATION_MS;
    if (random() < 0.6 + 0.4 * Math.sin((2 * Math.PI * at) / DAY_MS)) arrivalsMs.push(at);
  }
  arrivalsMs.sort((left, right) => left - right);
  const times = (count: number, from: number, to: number): number[] =>
    Array.from({ length: count }, () => from + random() * (to - from));
  return {
    ...{ type: 'QUEUE', durationMs: DURATION_MS, arrivalsMs },
    ...{ executionsMs: times(1_000, 500, 6_500), coldStartsMs: times(20, 8_000, 12_000), resumesMs: [300] },
  };
}

/** Returns all combinations of usual values. */
function settings() {
  const scalings = [1, 2, 4, 8, 16].flatMap((value) => [
    { type: 'QUEUE_DELAY', queueDelay: value },
    { type: 'REQUEST_COUNT', requestCount: value },
  ]);
  const all = scalings.flatMap((scaling) =>
    [1, 2, 3, 5, 10].flatMap((max) =>
      [0, 1].flatMap((min) =>
        [1, 5, 10, 30, 60].flatMap((idle) =>
          ['OFF', 'FLASHBOOT'].map((flashboot) => ({ scaling, max, min, idleTimeoutMs: idle * 1_000, flashboot })),
        ),
      ),
    ),
  );
  return all.map((one, index) => ({ id: String(index), ...one, usdPerSecond: 0.0002 }));
}
