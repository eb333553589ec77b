import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { Queue } from 'bullmq';
import { PgBoss } from 'pg-boss';
import { systemClock } from '../../src/client/clock.ts';
import { createClient, type Client } from '../../src/client/client.ts';
import { followJob } from '../../src/client/followJob.ts';
import { isTerminal } from '../../src/contract/job.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { findSource } from '../../src/features/jobs/batch/actions/readSource.ts';
import { prepareBatch, startBatch } from '../../src/features/jobs/batch/actions/prepareBatch.ts';
import { BatchRunner } from '../../src/features/jobs/batch/actions/runBatch.ts';
import { temporaryFolder } from './children.ts';
import { measureInTurns, report } from './compare.ts';
import { median, poster } from './load.ts';
import { startNode } from './node.ts';
import { processorTime } from './processorTime.ts';
import { startPostgres, startRedis } from './servers.ts';
import { startGenerator } from './startGenerator.ts';
import { openTally } from './tally.ts';

const ROUNDS = 5;
/** Approximate duration of a round, in seconds. The warm-up determines the number of jobs. */
const ROUND_SECONDS = 2;
const WARM_UP_JOBS = 1_000;
/** Number of clients with keep-alive connections, and of concurrent jobs in the worker process. */
const LANES = 32;
/** Number of jobs that measure latency. Each is submitted after the previous one is done. */
const SINGLE_JOBS = 100;

/** Cleanup functions, which run in reverse order. */
type Cleanups = (() => unknown)[];

export interface BenchmarkQueue {
  readonly folder: string;
  readonly tally: Tally;
  readonly stops: Cleanups;
}

type Tally = Awaited<ReturnType<typeof openTally>>;

/** A running queue with one worker process, which completes up to LANES jobs at a time without any work. */
export interface Competitor {
  readonly name: string;
  readonly submit: (at: number) => Promise<unknown>;
  /** Submits many jobs with LANES in flight. Default: as `submit` does. */
  readonly submitAll?: (jobs: number) => Promise<unknown>;
  /** Process of the queue and its store. Undefined if it is several processes. */
  readonly pid: number | undefined;
}

/** Measurements of a round. */
interface Round {
  readonly rate: number;
  /** Processor time of the queue and its store for a job, in µs. */
  readonly microseconds: number | undefined;
}

/** Compares the rate of jobs, from submission to completion, with BullMQ and pg-boss, if their servers are installed. */
export async function run(): Promise<void> {
  const tally = await openTally();
  const stops: Cleanups = [() => tally.close()];
  try {
    const setting = { folder: temporaryFolder(), tally, stops };
    const platform = await startPlatform(setting);
    const contenders: Competitor[] = [platform];
    for (const start of [startDurableBullMq, startBullMq, startPgBoss]) {
      const contender = await start(setting);
      if (contender) contenders.push(contender);
    }
    const contest = new Map<Competitor, () => Promise<Round>>();
    for (const contender of contenders) {
      // Warms up, so that JIT compilation is not measured.
      const { rate } = await runJobs(contender, tally, WARM_UP_JOBS);
      const jobs = Math.ceil(rate * ROUND_SECONDS);
      contest.set(contender, () => runJobs(contender, tally, jobs));
    }
    const rounds = await measureInTurns(
      Object.fromEntries([...contest].map(([{ name }, measure]) => [name, measure])),
      ROUNDS,
    );
    await reportBatches(platform, { folder: setting.folder, tally });
    const own = rounds[platform.name] ?? [];
    const ownMs = await latencyMs(platform, tally);
    report({ name: platform.name, unit: 'jobs/s', ours: ratesOf(own), note: `latency ${ownMs} ms` });
    for (const contender of contenders.slice(1)) {
      const name = `${platform.name} / ${contender.name}`;
      const other = rounds[contender.name] ?? [];
      const note = `latency ${await latencyMs(contender, tally)} ms`;
      report({ name, unit: 'jobs/s', ours: ratesOf(own), alternative: ratesOf(other), note });
      if (contender.pid === undefined) continue;
      report({ name: `${name}, processor time`, unit: 'µs', ours: timesOf(own), alternative: timesOf(other) });
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

const ratesOf = (rounds: readonly Round[]): number[] => rounds.map(({ rate }) => rate);
const timesOf = (rounds: readonly Round[]): number[] => rounds.map(({ microseconds = Number.NaN }) => microseconds);

/** Measures from the first submission to the completion of the last job. */
export async function runJobs({ submit, submitAll, pid }: Competitor, tally: Tally, jobs: number): Promise<Round> {
  const before = pid === undefined ? undefined : processorTime([pid]);
  const done = tally.next(jobs);
  let left = jobs;
  const lane = async () => {
    while (left-- > 0) await submit(Date.now());
  };
  const start = performance.now();
  await (submitAll?.(jobs) ?? Promise.all(Array.from({ length: LANES }, lane)));
  await done;
  const rate = jobs / ((performance.now() - start) / 1000);
  const microseconds =
    pid !== undefined && before !== undefined ? (1e6 * (processorTime([pid]) - before)) / jobs : undefined;
  return { rate, microseconds };
}

/** Number of jobs in flight, which is the default of the setting. */
const IN_FLIGHT = 20;
const BATCH_ROWS = 2_000;

/** Compares the rate of a batch, which is durable, with a bare loop that runs and follows jobs with the same concurrency. */
async function reportBatches(
  { client, endpointId }: PlatformCompetitor,
  { folder, tally }: { folder: string; tally: Tally },
) {
  const source = path.join(folder, 'rows.jsonl');
  await writeFile(source, `${JSON.stringify({ at: 0 })}\n`.repeat(BATCH_ROWS));
  const found = await findSource(source);
  if (!found) throw new Error('no source');
  const rate = (work: () => Promise<unknown>) => async () => {
    const done = tally.next(BATCH_ROWS);
    const start = performance.now();
    await work();
    await done;
    return BATCH_ROWS / ((performance.now() - start) / 1000);
  };
  const batch = async () => {
    const signal = new AbortController().signal;
    const prepared = await prepareBatch(path.join(folder, 'batches'), {
      source: found,
      member: '',
      signal,
    });
    const target = { connectionId: 'local', endpointId, endpointName: 'bench', pricePerHour: 1, member: '' };
    await startBatch(prepared, target, systemClock);
    const platform = { client: () => client, onDidChange: () => ({ dispose: () => undefined }) };
    const options = { folder: prepared.folder, platform, clock: systemClock, maxInFlight: () => IN_FLIGHT };
    await (await BatchRunner.open(options)).run();
  };
  const bareLoop = async () => {
    let left = BATCH_ROWS;
    const lane = async () => {
      while (left-- > 0) {
        const { id: jobId } = await client.runJob({ endpointId, body: { input: { at: 0 } } });
        for await (const job of followJob(client, { endpointId, jobId })) if (isTerminal(job.status)) break;
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  };
  const rates = await measureInTurns({ batch: rate(batch), loop: rate(bareLoop) }, ROUNDS);
  report({ name: 'batch / bare loop over the client', unit: 'rows/s', ours: rates.batch, alternative: rates.loop });
}

async function latencyMs({ submit }: Competitor, tally: Tally): Promise<number> {
  const latencies: number[] = [];
  for (let job = 0; job < SINGLE_JOBS; job++) {
    const done = tally.next(1);
    await submit(Date.now());
    latencies.push(...(await done));
  }
  return median(latencies);
}

const workerFolder = path.join(import.meta.dirname, 'queueWorkers');

interface PlatformCompetitor extends Competitor {
  readonly client: Client;
  readonly endpointId: string;
}

/** @param nodeOptions options of the Node.js process of the platform */
export async function startPlatform(
  { folder, tally, stops }: BenchmarkQueue,
  nodeOptions: readonly string[] = [],
): Promise<PlatformCompetitor> {
  const platform = startNode([
    ...nodeOptions,
    ...['dist/platform.js', '--json', '--stop-with-stdin', '--data-dir', path.join(folder, 'platform')],
  ]);
  stops.push(platform.stop);
  const connection = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
  const client = createClient({ connection, fetch, honorsIdempotencyKeys: true });
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
  const target = {
    url: connection.queueUrl + fillPath(operations.runJob.path, { endpointId }),
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${connection.apiKey}` },
    concurrency: LANES,
  };
  const post = poster(target);
  // An HTTP client takes as much time for a job as the store of the platform.
  const load = startGenerator({ ...target, body: JSON.stringify({ input: { at: 0 } }) }, []);
  stops.push(post.close, load.stop);
  return {
    name: 'jobs end to end',
    ...{ client, endpointId, pid: platform.pid },
    submit: (at) => post.send(JSON.stringify({ input: { at } })),
    submitAll: (jobs) => load.measure(jobs),
  };
}

/** Uses the default configuration of Redis, which writes to disk periodically. */
function startBullMq(setting: BenchmarkQueue): Promise<Competitor | undefined> {
  return bullMq('BullMQ, not on disk', [], setting);
}

/** Makes Redis as durable as the platform: it answers after it has written to disk. */
function startDurableBullMq(setting: BenchmarkQueue): Promise<Competitor | undefined> {
  return bullMq('BullMQ, on disk', ['--appendonly', 'yes', '--appendfsync', 'always'], setting);
}

async function bullMq(name: string, flags: readonly string[], { folder, tally, stops }: BenchmarkQueue) {
  const redis = await startRedis(await mkdtemp(path.join(folder, 'redis-')), flags);
  if (!redis) {
    console.log(`  ${name}: skipped, because redis-server is not installed.`);
    return undefined;
  }
  stops.push(redis.stop);
  await startWorker('bullmq.mjs', redis.port, { tally, stops });
  const queue = new Queue('bench', { connection: { host: '127.0.0.1', port: redis.port } });
  stops.push(() => queue.close());
  return { name, pid: redis.pid, submit: (at: number) => queue.add('job', { at }) };
}

async function startPgBoss({ folder, tally, stops }: BenchmarkQueue): Promise<Competitor | undefined> {
  const postgres = await startPostgres(folder);
  if (!postgres) {
    console.log('  pg-boss, on disk: skipped, because postgres or its user is not installed.');
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
  return { name: 'pg-boss, on disk', pid: undefined, submit: (at) => boss.send('bench', { at }) };
}

async function startWorker(
  file: string,
  serverPort: number,
  { tally, stops }: Pick<BenchmarkQueue, 'tally' | 'stops'>,
) {
  const worker = startNode([path.join(workerFolder, file)], {
    ...{ SERVER_PORT: String(serverPort), TALLY_PORT: String(tally.port), CONCURRENCY: String(LANES) },
  });
  stops.push(worker.stop);
  await worker.firstLine;
}
