import { cp, writeFile } from 'node:fs/promises';
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

const cpu = [{ id: 'cpu3c', vcpuCount: 2 }];
const scaling = { type: 'QUEUE_DELAY', queueDelay: 4 };
const queue = { type: 'QUEUE', scaling, disk: 5, args: 'node handler.mjs' };
const gpu = { gpu: { pools: ['ADA_24'], count: 1 }, 'x-local': { gpu: 'ignore' } };

/** Folders of the workers, by the ID of their endpoints. */
const FOLDERS = {
  speechtotext: 'whisper',
  summarize: 'summaries',
  imagetags: 'clip-tags',
  thumbnails: 'resize',
} as const;

/** Inputs of the job files. */
const JOB_FILES = {
  interview: { audio: 'interview.mp3', seconds: 3 },
  panorama: { picture: 'panorama.tif', widths: [320, 640] },
};

/** Output of a worker that each job crashes. */
const CRASH = `reading panorama.tif, 38400 x 12800 pixels
Traceback (most recent call last):
  File "/app/handler.py", line 24, in resize
    pixels = np.zeros((height, width, 3), dtype=np.float32)
MemoryError: Unable to allocate 5.49 GiB for an array with shape (12800, 38400, 3)`;
const CRASHING_HANDLER = `import { serve } from './serverless.mjs';

await serve(() => {
  console.error(${JSON.stringify(CRASH)});
  process.exit(1);
});
`;
/** Number of jobs that keep the worker crashing while pictures are taken. The platform gives up each after three crashes. */
const CRASHING_JOBS = 3;

/** A worker whose jobs take a fraction of a second, so that many fit into the time that the pictures take. */
const SPEECH_HANDLER = `import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serverless.mjs';

await serve(async ({ input }) => {
  console.log('transcribing ' + (input.audio ?? 'a recording'));
  await sleep(1000 * (input.seconds ?? 0));
  return { text: 'Good morning.' };
});
`;
/** Number of rounds of the busy hour. The jobs of a round are submitted together, and fall into one bucket of the charts. */
const ROUNDS = 312;
/** Time that the clock skips in a round, in ms. The jobs take the rest of ten seconds. */
const SKIPPED_MS = 9_600;
/** Round in which most jobs arrive. */
const PEAK = 200;

/** Returns the seconds of each job of a round: one to eleven jobs, most of them in the rush. The same in each run. */
function secondsOfRound(round: number): number[] {
  const rush = 5 * Math.exp(-(((round - PEAK) / 12) ** 2));
  const jobs = Math.max(1, Math.round(2.6 + 1.4 * Math.sin(round / 17) + 1.3 * Math.sin(round * 2.3) + rush));
  return Array.from({ length: jobs }, (_, index) => 0.03 + 0.05 * Math.abs(Math.sin(round * 1.9 + index * 1.3)));
}

export interface Workload {
  /** Queues more jobs for the endpoint with the crashing worker. */
  readonly queueMore: () => Promise<void>;
  /** Runs the jobs of an hour, whose pauses the clock skips. Resolves with the number of jobs. */
  readonly runBusyHour: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Writes a workspace with the sample and the job files of the endpoints. */
export async function writeWorkspace(folder: string): Promise<void> {
  await cp(path.join(repository, 'samples', 'hello-queue'), folder, { recursive: true });
  for (const [name, input] of Object.entries(JOB_FILES))
    await writeFile(path.join(folder, `${name}.job.json`), `${JSON.stringify({ input }, null, 2)}\n`);
}

/**
 * Starts a platform with bills, for the editor with the same data directory.
 *
 * @param withEndpoints adds endpoints and their jobs
 */
export async function startWorkload(
  dataDir: string,
  { withEndpoints }: { readonly withEndpoints: boolean },
): Promise<Workload> {
  const workers = path.join(dataDir, '..', 'workers');
  if (withEndpoints) await writeWorkers(workers);
  const platform = await startPlatform({ dataDir });
  const { baseUrl, queueUrl, apiKey } = platform.announcement;
  const request = async (url: URL | string, method: string, data: object): Promise<void> => {
    const response = await fetch(url, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(data),
    });
    if (!response.ok) throw new Error(`The platform refuses the workload: ${await response.text()}`);
  };
  const seed = (data: object) => request(new URL(controlOperations.seed.path, baseUrl), 'POST', data);
  const runBusyHour = async (): Promise<number> => {
    let jobs = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const runs = secondsOfRound(round).map((seconds) =>
        request(`${queueUrl}/speechtotext/runsync`, 'POST', { input: { seconds } }),
      );
      jobs += runs.length;
      await Promise.all(runs);
      await request(new URL(controlOperations.setClock.path, baseUrl), 'PATCH', { advanceMs: SKIPPED_MS });
    }
    return jobs;
  };
  await seed({ ...(withEndpoints && endpointsAndJobs(workers)), usage: usage() });
  const jobs = Array.from({ length: CRASHING_JOBS }, () => ({ endpoint: 'thumbnails', status: 'IN_QUEUE' }));
  return { queueMore: () => seed({ jobs }), runBusyHour, close: () => platform.close() };
}

/** Writes the folder of each worker. */
async function writeWorkers(workers: string): Promise<void> {
  const hello = path.join(repository, 'samples', 'hello-queue', 'hello');
  for (const folder of Object.values(FOLDERS)) await cp(hello, path.join(workers, folder), { recursive: true });
  await writeFile(path.join(workers, FOLDERS.speechtotext, 'handler.mjs'), SPEECH_HANDLER);
  await writeFile(path.join(workers, FOLDERS.thumbnails, 'handler.mjs'), CRASHING_HANDLER);
}

function endpointsAndJobs(workers: string): object {
  const queueOf = (id: keyof typeof FOLDERS) => ({ ...queue, id, image: `process:${path.join(workers, FOLDERS[id])}` });
  return {
    endpoints: [
      { ...queueOf('speechtotext'), ...gpu, name: 'speech-to-text', workers: { min: 1, max: 3 } },
      { ...queueOf('summarize'), ...gpu, name: 'summarize', workers: { min: 0, max: 2 } },
      { ...queueOf('imagetags'), cpu, name: 'image-tags', workers: { min: 1, max: 2 } },
      { ...queueOf('thumbnails'), cpu, name: 'thumbnails', workers: { min: 1, max: 1 } },
    ],
    jobs: [5, 4, 3].map((hours) => ({
      ...{ endpoint: 'speechtotext', status: 'COMPLETED', output: { text: 'Good morning.' } },
      ...{ at: `-${hours}h`, delayTime: 40, executionTime: 2_400 },
    })),
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
