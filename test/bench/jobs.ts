import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { Queue } from 'bullmq';
import { PgBoss } from 'pg-boss';
import { createClient } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { temporaryFolder } from './children.ts';
import { inTurns, report } from './compare.ts';
import { median, poster } from './load.ts';
import { startNode } from './node.ts';
import { startPostgres, startRedis } from './queueServers.ts';
import { openTally } from './tally.ts';

const ROUNDS = 5;
/** Each round submits as many jobs as this takes, by the pace of the round that warms up. */
const ROUND_SECONDS = 2;
const WARM_UP_JOBS = 1_000;
/** How many clients submit, over connections that are kept, and how many jobs the worker process has at a time. */
const LANES = 32;
/** Jobs submitted one after the other, each when the one before is done: what latency is measured with. */
const SINGLE_JOBS = 100;

/** What is to be done at the end, the last first. */
type Stops = (() => unknown)[];

interface Setting {
  readonly folder: string;
  readonly tally: Tally;
  readonly stops: Stops;
}

type Tally = Awaited<ReturnType<typeof openTally>>;

/** A queue that is up, with one worker process that does nothing with up to LANES jobs at a time. */
interface Contender {
  readonly name: string;
  readonly submit: (at: number) => Promise<unknown>;
}

/** Jobs through one worker that does nothing, from being submitted to being done, beside BullMQ and pg-boss where their servers are installed. */
export async function run(): Promise<void> {
  const tally = await openTally();
  const stops: Stops = [() => tally.close()];
  try {
    const setting = { folder: temporaryFolder(), tally, stops };
    const platform = await startPlatform(setting);
    const contenders = [platform];
    for (const start of [startDurableBullMq, startBullMq, startPgBoss]) {
      const contender = await start(setting);
      if (contender) contenders.push(contender);
    }
    const rounds = new Map<Contender, () => Promise<number>>();
    for (const contender of contenders) {
      // What is measured is a queue at work: not the compilation of what it runs.
      const rate = await jobsPerSecond(contender, tally, WARM_UP_JOBS);
      const jobs = Math.ceil(rate * ROUND_SECONDS);
      rounds.set(contender, () => jobsPerSecond(contender, tally, jobs));
    }
    const rates = await inTurns(Object.fromEntries([...rounds].map(([{ name }, measure]) => [name, measure])), ROUNDS);
    const own = rates[platform.name] ?? [];
    const ownMs = await latencyMs(platform, tally);
    report({ name: platform.name, unit: 'jobs/s', ours: own, note: `a single job reaches its worker in ${ownMs} ms` });
    for (const contender of contenders.slice(1)) {
      report({
        name: `${platform.name} / ${contender.name}`,
        unit: 'jobs/s',
        ours: own,
        alternative: rates[contender.name] ?? [],
        note: `there in ${await latencyMs(contender, tally)} ms`,
      });
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** From the first submission to the last job done. */
async function jobsPerSecond({ submit }: Contender, tally: Tally, jobs: number): Promise<number> {
  const done = tally.next(jobs);
  let left = jobs;
  const lane = async () => {
    while (left-- > 0) await submit(Date.now());
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  await done;
  return jobs / ((performance.now() - start) / 1000);
}

async function latencyMs({ submit }: Contender, tally: Tally): Promise<number> {
  const latencies: number[] = [];
  for (let job = 0; job < SINGLE_JOBS; job++) {
    const done = tally.next(1);
    await submit(Date.now());
    latencies.push(...(await done));
  }
  return median(latencies);
}

const workerFolder = path.join(import.meta.dirname, 'queueWorkers');

async function startPlatform({ folder, tally, stops }: Setting): Promise<Contender> {
  const platform = startNode([
    ...['dist/platform.js', '--json', '--stop-with-stdin', '--data-dir', path.join(folder, 'platform')],
  ]);
  stops.push(platform.stop);
  const connection = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
  const client = createClient({ connection, fetch });
  const { id: endpointId } = await client.createEndpoint({
    body: {
      name: 'bench',
      type: 'QUEUE',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      workers: { min: 1, max: 1 },
      image: `process:${workerFolder}`,
      cmd: [process.execPath, 'platform.mjs'],
      env: { TALLY_PORT: String(tally.port), CONCURRENCY: String(LANES) },
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    },
  });
  const post = poster({
    url: connection.queueUrl + fillPath(operations.runJob.path, { endpointId }),
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${connection.apiKey}` },
    concurrency: LANES,
  });
  stops.push(post.close);
  return {
    name: 'jobs end to end',
    submit: (at) => post.send(JSON.stringify({ input: { at } })),
  };
}

/** As Redis is without configuration: what it has is written to disk now and then. */
function startBullMq(setting: Setting): Promise<Contender | undefined> {
  return bullMq('BullMQ, not on disk', [], setting);
}

/** As durable as the platform: nothing is answered before it is on disk. */
function startDurableBullMq(setting: Setting): Promise<Contender | undefined> {
  return bullMq('BullMQ, on disk', ['--appendonly', 'yes', '--appendfsync', 'always'], setting);
}

async function bullMq(name: string, flags: readonly string[], { folder, tally, stops }: Setting) {
  const redis = await startRedis(await mkdtemp(path.join(folder, 'redis-')), flags);
  if (!redis) {
    console.log(`  ${name} is skipped: redis-server is not installed.`);
    return undefined;
  }
  stops.push(redis.stop);
  await startWorker('bullmq.mjs', redis.port, { tally, stops });
  const queue = new Queue('bench', { connection: { host: '127.0.0.1', port: redis.port } });
  stops.push(() => queue.close());
  return { name, submit: (at: number) => queue.add('job', { at }) };
}

async function startPgBoss({ folder, tally, stops }: Setting): Promise<Contender | undefined> {
  const postgres = await startPostgres(folder);
  if (!postgres) {
    console.log('  pg-boss, on disk is skipped: postgres and a user for it are not installed.');
    return undefined;
  }
  stops.push(postgres.stop);
  await startWorker('pgboss.mjs', postgres.port, { tally, stops });
  const boss = new PgBoss({
    ...{ host: '127.0.0.1', port: postgres.port, user: 'postgres', database: 'postgres' },
    ...{ max: LANES, supervise: false, schedule: false },
  });
  boss.on('error', () => undefined);
  await boss.start();
  stops.push(() => boss.stop({ graceful: false }));
  return { name: 'pg-boss, on disk', submit: (at) => boss.send('bench', { at }) };
}

async function startWorker(file: string, serverPort: number, { tally, stops }: Pick<Setting, 'tally' | 'stops'>) {
  const worker = startNode([path.join(workerFolder, file)], {
    ...{ SERVER_PORT: String(serverPort), TALLY_PORT: String(tally.port), CONCURRENCY: String(LANES) },
  });
  stops.push(worker.stop);
  await worker.firstLine;
}
