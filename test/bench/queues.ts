import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Queue } from 'bullmq';
import { PgBoss } from 'pg-boss';
import { createClient } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { median, poster } from './load.ts';
import { startNode } from './node.ts';
import { startPostgres, startRedis } from './queueServers.ts';
import { openTally } from './tally.ts';

const ROUNDS = 3;
const JOBS = 8_000;
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
  const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-bench-'));
  const tally = await openTally();
  const stops: Stops = [() => rm(folder, { recursive: true, force: true }), () => tally.close()];
  try {
    const contenders: Contender[] = [];
    for (const start of [startPlatform, startBullMq, startDurableBullMq, startPgBoss]) {
      const contender = await start({ folder, tally, stops });
      if (contender) contenders.push(contender);
    }
    console.log(
      `  ${LANES} clients submit, one worker process has ${LANES} jobs at a time, over connections that are kept`,
    );
    const rates = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
    // What is measured is a queue at work: not the compilation of what it runs.
    for (const contender of contenders) await jobsPerSecond(contender, tally);
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of contenders) rates.get(contender.name)?.push(await jobsPerSecond(contender, tally));
    }
    const [own = Number.NaN] = contenders.map(({ name }) => median(rates.get(name) ?? []));
    for (const contender of contenders) {
      const rate = median(rates.get(contender.name) ?? []);
      const latency = await latencyMs(contender, tally);
      const ratio = contender === contenders[0] ? '' : `   the platform does ${(own / rate).toFixed(2)} of it`;
      console.log(
        `  ${contender.name.padEnd(34)} ${String(Math.round(rate)).padStart(6)} jobs/s   ` +
          `a single job reaches the worker in ${latency} ms${ratio}`,
      );
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** From the first submission to the last job done. */
async function jobsPerSecond({ submit }: Contender, tally: Tally): Promise<number> {
  const done = tally.next(JOBS);
  let left = JOBS;
  const lane = async () => {
    while (left-- > 0) await submit(Date.now());
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  await done;
  return JOBS / ((performance.now() - start) / 1000);
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
    name: 'the local platform, on disk',
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
  if (!redis) return undefined;
  stops.push(redis.stop);
  await startWorker('bullmq.mjs', redis.port, { tally, stops });
  const queue = new Queue('bench', { connection: { host: '127.0.0.1', port: redis.port } });
  stops.push(() => queue.close());
  return { name, submit: (at: number) => queue.add('job', { at }) };
}

async function startPgBoss({ folder, tally, stops }: Setting): Promise<Contender | undefined> {
  const postgres = await startPostgres(folder);
  if (!postgres) return undefined;
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
