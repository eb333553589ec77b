import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { startDocker } from '../engines/docker.ts';
import { buildImage, importNodeImage } from '../engines/images.ts';
import { installEngines } from '../engines/packages.ts';
import { Api, fixtures, helloWorker } from '../platform/support.ts';
import { helloProcess, replay, serialProcess, type TracedJob } from '../platform/simulation/replay.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { temporaryFolder } from './children.ts';
import { startNode } from './node.ts';

/** Time that a worker loads, in seconds. With waits of seconds, other work on the machine has little influence. */
const LOAD_SECONDS = 4;
const IMAGE = 'cloud-compute-bench/hello:1';

type Body = Parameters<typeof replay>[1];

interface Trace {
  readonly jobs: readonly TracedJob[];
  readonly body: Body;
}

/** Workers of both types of endpoints. */
interface Workers {
  readonly queue: Partial<CreateEndpointBody>;
  readonly balanced: Partial<CreateEndpointBody>;
}

const random = seededRandom(7);
const seconds = (): number => 1 + Math.floor(random() * 4);
const workers = (max: number, idleTimeout?: number) => ({ min: 0, max, ...(idleTimeout && { idleTimeout }) });
const byDelay = (queueDelay: number) => ({ type: 'QUEUE_DELAY', queueDelay }) as const;
const byCount = (requestCount: number) => ({ type: 'REQUEST_COUNT', requestCount }) as const;

/** Returns jobs whose number per second is a function of the time, in seconds. */
function jobsAt(rate: (second: number) => number, until: number): TracedJob[] {
  const jobs: TracedJob[] = [];
  for (let at = 0; at < until * 1000; at += 100)
    if (random() < rate(at / 1000) / 10) jobs.push({ at: at + random() * 100, seconds: seconds() });
  return jobs;
}

const batch = (count: number, at: number): TracedJob[] =>
  Array.from({ length: count }, () => ({ at: at + random() * 1_000, seconds: seconds() }));

const traces: Readonly<Record<string, Trace>> = {
  'steady load': { jobs: jobsAt(() => 0.7, 70), body: { scaling: byDelay(2), workers: workers(4, 4) } },
  bursts: {
    jobs: [5, 25, 45, 65].flatMap((second) => batch(9, second * 1_000)),
    body: { scaling: byDelay(3), workers: workers(4, 5) },
  },
  'a nightly batch': { jobs: batch(60, 2_000), body: { scaling: byCount(8), workers: workers(4) } },
  'a single spike': {
    jobs: [...jobsAt(() => 0.15, 70), ...batch(25, 30_000)],
    body: { scaling: byDelay(4), workers: workers(5, 6) },
  },
  'slow growth': { jobs: jobsAt((second) => second / 55, 75), body: { scaling: byCount(2), workers: workers(5) } },
  'steady requests': {
    jobs: jobsAt(() => 0.7, 70),
    body: { type: 'LOAD_BALANCER', scaling: byCount(2), workers: workers(5, 5) },
  },
  'bursts of requests': {
    jobs: [5, 25, 45, 65].flatMap((second) => batch(9, second * 1_000)),
    body: { type: 'LOAD_BALANCER', scaling: byCount(3), workers: workers(4, 5) },
  },
};

/** Replays traces on a real platform, and compares what they cost and how long their jobs wait with the predictions. */
export async function run(part?: string): Promise<void> {
  if (part === 'docker') await inContainers();
  else await compare('processes', [], { queue: helloProcess, balanced: serialProcess });
}

export const parts = ['processes', 'docker'];

async function inContainers(): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    console.log('  Skipped: a container engine can only be started on Linux as root.');
    return;
  }
  await installEngines();
  const docker = await startDocker();
  try {
    await importNodeImage(docker.api);
    const read = (name: string) => readFile(path.join(helloWorker, name), 'utf8');
    const files = {
      '/app/handler.mjs': await read('handler.mjs'),
      '/app/serverless.mjs': await read('serverless.mjs'),
      '/app/serialServer.mjs': await readFile(path.join(fixtures, 'serialServer.mjs'), 'utf8'),
    };
    await buildImage(docker.api, IMAGE, { files });
    const flags = ['--container-engine', `unix://${docker.site.socket}`];
    await compare('containers', flags, {
      queue: { image: IMAGE, cmd: ['handler.mjs'] },
      balanced: { image: IMAGE, cmd: ['serialServer.mjs'] },
    });
  } finally {
    await docker.down();
  }
}

/** Replays all traces at once, because the workers only sleep. */
async function compare(what: string, flags: readonly string[], programs: Workers): Promise<void> {
  const all = [
    'dist/platform.js',
    '--json',
    '--stop-with-stdin',
    '--data-dir',
    temporaryFolder(),
    '--max-workers',
    '40',
    ...flags,
  ];
  const platform = startNode(all);
  try {
    const api = new Api(PlatformAnnouncement.parse(JSON.parse(await platform.firstLine)));
    await Promise.all(
      Object.entries(traces).map(async ([name, { jobs, body }]) => {
        const env = { LOAD_SECONDS: String(LOAD_SECONDS) };
        const worker = body.type === 'LOAD_BALANCER' ? programs.balanced : programs.queue;
        const { measured, predicted } = await replay(api, { ...worker, ...body, env }, jobs);
        const row = (unit: string, real: number, said: number) =>
          `${said.toPrecision(4)} / ${real.toPrecision(4)} ${unit} (${(100 * (said / real - 1)).toFixed(1)} %)`;
        console.log(
          `  ${name} in ${what}, ${measured.completed} jobs: cost ${row('USD', measured.usd, predicted.usd)}, ` +
            `p95 ${row('ms', measured.p95, predicted.waitMs.p95 ?? 0)}, ` +
            `starts ${predicted.coldStarts} / ${measured.coldStarts}`,
        );
      }),
    );
  } finally {
    await platform.stop();
  }
}
