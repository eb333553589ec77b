import path from 'node:path';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { startPlatform } from '../../src/platform/daemon/start.ts';
import { repository } from '../editor/build.ts';

/** Two months, so that a month has another one to compare with. */
const DAYS = 60;
/** US dollars on an average day, by endpoint and kind of usage. */
const DAILY_USD = {
  'speech-to-text': { serverlessGpu: 9.4, serverlessDisk: 0.4 },
  summarize: { serverlessGpu: 6.1, serverlessDisk: 0.3 },
  'image-tags': { serverlessCpu: 2.2 },
} as const;

const sample = (name: string, folder: string) => `process:${path.join(repository, 'samples', name, folder)}`;
const cpu = [{ id: 'cpu3c', vcpuCount: 2 }];
const scaling = { type: 'QUEUE_DELAY', queueDelay: 4 };
const queue = { type: 'QUEUE', scaling, disk: 5, image: sample('hello-queue', 'hello'), args: 'node handler.mjs' };
const gpu = { gpu: { pools: ['ADA_24'], count: 1 }, 'x-local': { gpu: 'ignore' } };

/** Command of a worker that exits at once. */
const FAILING = ['node', '-e', 'console.error("Error: MODEL_PATH is not set"); process.exit(1)'];

/**
 * Starts a platform with bills, for the editor with the same data directory.
 *
 * @param withEndpoints adds endpoints and their jobs
 */
export async function startWorkload(
  dataDir: string,
  { withEndpoints }: { readonly withEndpoints: boolean },
): Promise<{ readonly close: () => Promise<void> }> {
  const platform = await startPlatform({ dataDir });
  const { baseUrl, apiKey } = platform.announcement;
  const response = await fetch(new URL(controlOperations.seed.path, baseUrl), {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...(withEndpoints && endpointsAndJobs()), usage: usage() }),
  });
  if (!response.ok) throw new Error(`The platform refuses the workload: ${await response.text()}`);
  return { close: () => platform.close() };
}

function endpointsAndJobs(): object {
  return {
    endpoints: [
      { ...queue, ...gpu, id: 'speechtotext', name: 'speech-to-text', workers: { min: 1, max: 3 } },
      { ...queue, ...gpu, id: 'summarize', name: 'summarize', workers: { min: 0, max: 2 } },
      { ...queue, cpu, id: 'imagetags', name: 'image-tags', workers: { min: 1, max: 2 } },
      {
        ...queue,
        cpu,
        id: 'thumbnails',
        name: 'thumbnails',
        workers: { min: 1, max: 2 },
        args: undefined,
        cmd: FAILING,
      },
    ],
    jobs: [
      ...[5, 4, 3].map((hours) => ({
        ...{ endpoint: 'speechtotext', status: 'COMPLETED', output: { text: 'Good morning.' } },
        ...{ at: `-${hours}h`, delayTime: 40, executionTime: 2_400 },
      })),
      { endpoint: 'thumbnails', status: 'IN_QUEUE' },
    ],
  };
}

function usage(): object[] {
  return Array.from({ length: DAYS }, (_, index) => DAYS - index).flatMap((day) =>
    Object.entries(DAILY_USD).flatMap(([resource, kinds]) =>
      Object.entries(kinds).map(([kind, usd]) => ({
        ...{ kind, resource, usd: usd * factorOf(day, resource.length) },
        ...{ at: `-${day}d`, until: `-${day - 1}d` },
      })),
    ),
  );
}

/** Returns a factor around 1 that rises over the weeks, falls at the end of each, and is the same in each run. */
function factorOf(daysAgo: number, phase: number): number {
  const week = daysAgo % 7 < 2 ? 0.45 : 1;
  return Number((week * (1.25 - daysAgo / 120) * (1 + 0.2 * Math.sin(daysAgo * 1.7 + phase))).toFixed(3));
}
