import assert from 'node:assert/strict';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateEndpointBody, Endpoint } from '../../../src/contract/endpoint.ts';
import { WORKER_DEFAULTS } from '../../../src/contract/endpointSettings.ts';
import { isTerminal, type Job } from '../../../src/contract/job.ts';
import { ENDPOINT_ID_PLACEHOLDER, WORKER_ID_HEADER } from '../../../src/contract/route.ts';
import { SimulatedLoad, SimulatedSettings, type SimulationResult } from '../../../src/contract/launch/simulation.ts';
import { operations } from '../../../src/contract/operations.ts';
import { readSystemLine } from '../../../src/contract/systemLines.ts';
import { workerPrice } from '../../../src/platform/domain/workerPrices.ts';
import { percentiles, simulateGroup } from '../../../src/platform/simulation/simulation.ts';
import { prepareLoad } from '../../../src/platform/simulation/preparedLoad.ts';
import { eventually, fixtures, helloWorker, type Api } from '../support.ts';

/** A job of a trace: its time from the start of the trace in ms, and the whole seconds that it takes. */
export interface TracedJob {
  readonly at: number;
  readonly seconds: number;
}

/** What a real endpoint did with a trace, and what the simulation says about the same load. */
export interface Replay {
  readonly measured: {
    readonly usd: number;
    readonly p95: number;
    readonly coldStarts: number;
    readonly resumes: number;
    readonly completed: number;
  };
  readonly predicted: SimulationResult;
}

type Scaled = Required<Pick<CreateEndpointBody, 'scaling' | 'workers'>> & Partial<CreateEndpointBody>;

/** The sample worker as a process. */
export const helloProcess = { image: `process:${helloWorker}`, cmd: [process.execPath, 'handler.mjs'] };

/** A load-balanced worker as a process, which handles one request at a time. */
export const serialProcess = { image: `process:${fixtures}`, cmd: [process.execPath, 'serialServer.mjs'] };

/** A job or a request of a trace that has ended. Times are ms, from the start of the trace. */
interface Ended {
  readonly arrival: number;
  readonly delayMs: number;
  readonly executionMs: number;
  readonly isCompleted: boolean;
  readonly workerId: string | undefined;
}

/**
 * Sends the jobs or the requests of a trace to a real endpoint, and predicts the run from its arrivals, its execution times, and its cold
 * starts. The endpoint has no minimum of workers, so that its last worker stops.
 */
export async function replay(api: Api, body: Scaled, trace: readonly TracedJob[]): Promise<Replay> {
  const endpoint = await api.createEndpoint({ flashboot: 'OFF', ...body });
  const isQueue = endpoint.type === 'QUEUE';
  const workers = new Set<string>();
  const sending = isQueue ? sendJobs(api, endpoint, trace, workers) : sendRequests(api, endpoint, trace);
  let all: readonly Ended[] | undefined;
  void sending.then((ended) => (all = ended));
  await Promise.all([
    sending,
    eventually(
      'all workers have stopped after the trace',
      async () => {
        const active = await api.workers(endpoint);
        for (const { id } of active) workers.add(id);
        return all !== undefined && active.length === 0;
      },
      300_000,
    ),
  ]);
  const ended = (await sending).toSorted((left, right) => left.arrival - right.arrival);
  for (const { workerId } of ended) if (workerId !== undefined) workers.add(workerId);
  const starts = await startsOf(api, endpoint, [...workers]);
  const load = SimulatedLoad.parse({
    type: endpoint.type,
    durationMs: 0,
    arrivalsMs: ended.map(({ arrival }) => arrival),
    executionsMs: ended.map(({ executionMs }) => executionMs),
    coldStartsMs: starts.cold,
    processStartsMs: starts.process,
    resumesMs: [starts.resumeMs],
    handOverMs: handOver(ended),
  });
  const waits = Float64Array.from(ended, ({ delayMs }) => delayMs);
  const measured = {
    usd: await computeCost(api, endpoint),
    p95: percentiles(waits, [0.95])[0] ?? 0,
    coldStarts: starts.cold.length,
    resumes: starts.resumes,
    completed: ended.filter(({ isCompleted }) => isCompleted).length,
  };
  await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
  const [predicted] = simulateGroup(prepareLoad(load), [settingsOf(endpoint)]);
  return { measured, predicted: predicted ?? assert.fail('there is no result') };
}

async function sendJobs(
  api: Api,
  endpoint: Endpoint,
  trace: readonly TracedJob[],
  workers: Set<string>,
): Promise<readonly Ended[]> {
  const start = Date.now();
  const sent = await Promise.all(
    trace.map(async ({ at, seconds }) => {
      await sleep(at);
      const arrival = Date.now() - start;
      const { id } = await api.run(endpoint, { seconds });
      return { id, arrival };
    }),
  );
  const jobs = new Map<string, Job>();
  await eventually(
    'all jobs have ended',
    async () => {
      for (const { id } of await api.workers(endpoint)) workers.add(id);
      for (const { id } of sent) {
        if (jobs.has(id)) continue;
        const job = await api.job(endpoint, id);
        if (!isTerminal(job.status)) return false;
        jobs.set(id, job);
      }
      return true;
    },
    300_000,
  );
  return sent.map(({ id, arrival }) => {
    const job = jobs.get(id) ?? assert.fail('a job is missing');
    const { delayTime = 0, executionTime = 0, workerId, status } = job;
    return {
      ...{ arrival, delayMs: delayTime, executionMs: executionTime, workerId },
      isCompleted: status === 'COMPLETED',
    };
  });
}

/** Sends requests to `serialProcess`, which returns when it began and ended each of them. */
async function sendRequests(api: Api, endpoint: Endpoint, trace: readonly TracedJob[]): Promise<readonly Ended[]> {
  const base = api.addresses.endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, endpoint.id);
  const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
  const start = Date.now();
  return Promise.all(
    trace.map(async ({ at, seconds }) => {
      await sleep(at);
      const arrival = Date.now() - start;
      const response = await fetch(`${base}/run?seconds=${seconds}`, { headers });
      const workerId = response.headers.get(WORKER_ID_HEADER) ?? undefined;
      if (!response.ok) return { arrival, delayMs: 0, executionMs: 0, isCompleted: false, workerId };
      const { begunAt, endedAt } = (await response.json()) as { begunAt: number; endedAt: number };
      return {
        ...{ arrival, delayMs: begunAt - start - arrival, executionMs: endedAt - begunAt, workerId },
        isCompleted: true,
      };
    }),
  );
}

function settingsOf({ scaling, workers, flashboot, cpu, gpu }: Endpoint): SimulatedSettings {
  const { min, max, idleTimeout } = workers;
  return SimulatedSettings.parse({
    ...{
      id: 'predicted',
      scaling,
      min,
      max,
      idleTimeoutMs: (idleTimeout ?? WORKER_DEFAULTS.idleTimeout) * 1000,
      flashboot,
    },
    usdPerSecond:
      workerPrice({ ...(cpu && { cpu }), ...(gpu && { gpu }) } as CreateEndpointBody).nanoUsdPerSecond / 1e9,
  });
}

/** Returns the times of all starts, in their order, from the logs of the workers. */
async function startsOf(api: Api, endpoint: Endpoint, workerIds: readonly string[]) {
  const starts: { at: number; cold: number; process: number }[] = [];
  let resumes = 0;
  for (const workerId of workerIds) {
    const query = { source: 'system', tail: 5000 };
    const isLast = (line: string): boolean => ['ended', 'frozen'].includes(readSystemLine(line)?.kind ?? '');
    const events = await api.logsUntil(endpoint, workerId, ({ line }) => isLast(line), { query });
    const at = (kind: string): number[] =>
      events.filter(({ line }) => readSystemLine(line)?.kind === kind).map(({ ts }) => Date.parse(ts));
    const [began = 0] = at('starting');
    const [up = began] = at('started');
    const [ready = up] = at('ready');
    starts.push({ at: began, cold: ready - began, process: up - began });
    resumes += at('resumed').length;
  }
  starts.sort((left, right) => left.at - right.at);
  return { cold: starts.map(({ cold }) => cold), process: starts.map((one) => one.process), resumes, resumeMs: 0 };
}

/** Returns the median time between two jobs of a worker of which the second one waited for the first one. */
function handOver(jobs: readonly Ended[]): number {
  const byWorker = Map.groupBy(jobs, ({ workerId }) => workerId);
  const gaps = [...byWorker.values()].flatMap((some) => {
    const spans = some
      .map(({ arrival, delayMs, executionMs }) => ({ arrival, from: arrival + delayMs, ms: executionMs }))
      .sort((left, right) => left.from - right.from);
    return spans.slice(1).flatMap(({ arrival, from }, index) => {
      const previous = spans[index];
      const end = previous ? previous.from + previous.ms : Infinity;
      return arrival < end ? [Math.max(0, from - end)] : [];
    });
  });
  return percentiles(Float64Array.from(gaps), [0.5])[0] ?? 0;
}

/** Returns the cost of the workers without their disks, in USD. */
async function computeCost(api: Api, { id }: Endpoint): Promise<number> {
  const query = { bucketSize: 'hour', lastN: 2 };
  const { records } = await api.call(operations.listServerlessBilling, { query });
  return records
    .filter(({ serverlessId }) => serverlessId === id)
    .reduce((sum, { gpuAmount, cpuAmount }) => sum + gpuAmount + cpuAmount, 0);
}
