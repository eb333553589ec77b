import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type * as z from 'zod';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { isTerminal, type JobInput, type JobStatus } from '../../src/contract/job.ts';
import type { LogEvent } from '../../src/contract/workerLogs.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath, type AnswerOf, type Operation, type PathParameters } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { systemClock, type Clock } from '../../src/platform/time/clock.ts';
import { assertPublicShape } from './publicShape.ts';
import { startPlatform, type Platform, type PlatformOptions } from '../../src/platform/daemon/start.ts';

/** A clock with the real time, whose timers run 20 times faster. */
export const fastClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => systemClock.after(ms / 20, callback),
};

/** A clock with a settable time. Its timers run in real time. */
export function settableClock(now: number): Clock & { set: (now: number) => void } {
  let time = now;
  return { now: () => time, after: (ms, callback) => systemClock.after(ms, callback), set: (next) => (time = next) };
}

/** A clock that advances only on request, and calls the timers that expire. */
export function manualClock(now: number): Clock & { advance: (ms: number) => void } {
  let time = now;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => time,
    after: (ms, callback) => {
      const timer = { at: time + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const end = time + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        time = Math.max(time, next.at);
        next.callback();
      }
      time = end;
    },
  };
}

export const repository = path.resolve(import.meta.dirname, '../..');
export const fixtures = path.join(import.meta.dirname, 'fixtures');
export const helloWorker = path.join(repository, 'samples/hello-queue/hello');

/** Returns an endpoint whose jobs control its worker: see fixtures/worker.mjs. */
export function endpointBody(changes: Partial<CreateEndpointBody> = {}): CreateEndpointBody {
  return {
    name: 'test',
    type: 'QUEUE',
    scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
    workers: { min: 1, max: 2 },
    image: `process:${fixtures}`,
    cmd: [process.execPath, 'worker.mjs'],
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    disk: 5,
    ...changes,
  };
}

/** Waits for a condition, and fails if it is not met in time. */
export async function eventually<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 120_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) assert.fail(`timed out after ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

async function temporaryDirectory(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), 'cloud-compute-platform-'));
}

const cleanups: (() => Promise<unknown>)[] = [];

/** Runs all registered cleanups, last first, even if some fail. Call it in afterEach or after. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
}

export function afterwards(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

export async function dataDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  afterwards(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts a platform in this process. `cleanUp` closes it. */
export async function platformForTest(options: PlatformOptions = {}): Promise<{ platform: Platform; api: Api }> {
  const platform = await startPlatform({ graceMs: 500, engine: { runtime: 'process' }, gpus: 'ignore', ...options });
  afterwards(() => platform.close());
  return { platform, api: new Api(platform.announcement) };
}

interface Arguments<Row extends Operation> {
  readonly parameters?: PathParameters<Row['path']>;
  readonly query?: Record<string, string | number>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const operationIds = new Map<Operation, string>(Object.entries(operations).map(([id, row]) => [row, id]));

/** Calls operations over HTTP, and checks every response against the contract and the public interface. */
export class Api {
  readonly addresses: PlatformAnnouncement;

  constructor(addresses: PlatformAnnouncement) {
    this.addresses = addresses;
  }

  /** Returns the raw response. */
  async fetch<Row extends Operation>(row: Row, args: Arguments<Row> = {}, init: RequestInit = {}): Promise<Response> {
    const url = new URL(this.addresses[row.address] + fillPath(row.path, args.parameters ?? {}));
    for (const [name, value] of Object.entries(args.query ?? {})) url.searchParams.set(name, String(value));
    return fetch(url, {
      method: row.method,
      headers: { Authorization: `Bearer ${this.addresses.apiKey}`, ...args.headers },
      ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
      ...init,
    });
  }

  /** Returns the checked body of a documented success. */
  async call<Row extends Operation>(row: Row, args: Arguments<Row> = {}): Promise<AnswerOf<Row>> {
    const response = await this.fetch(row, args);
    const text = await response.text();
    assert.equal(response.status, row.success.status, `${row.method} ${row.path}: ${text}`);
    const schema: z.ZodType | undefined = row.success.body;
    if (schema) assertPublicShape(operationIds.get(row) ?? '', JSON.parse(text));
    return (schema ? schema.parse(JSON.parse(text)) : undefined) as AnswerOf<Row>;
  }

  /** Returns the body of an error with this status. */
  async refused<Row extends Operation>(status: number, row: Row, args: Arguments<Row> = {}): Promise<ErrorBody> {
    const response = await this.fetch(row, args);
    const text = await response.text();
    assert.equal(response.status, status, text);
    const body = JSON.parse(text) as ErrorBody;
    const type = row.errorFormat === 'problem' ? 'application/problem+json' : 'application/json';
    assert.equal(response.headers.get('Content-Type'), type);
    if (row.errorFormat === 'problem') assert.equal(body.status, status);
    return body;
  }

  async createEndpoint(changes: Partial<CreateEndpointBody> = {}): Promise<Endpoint> {
    return this.call(operations.createEndpoint, { body: endpointBody(changes) });
  }

  async workers(endpoint: Endpoint) {
    return (await this.call(operations.listEndpointWorkers, { parameters: { id: endpoint.id } })).workers;
  }

  /** Returns the first worker with this status, once there is one. */
  async worker(endpoint: Endpoint, status: string) {
    return eventually(`a worker is ${status}`, async () =>
      (await this.workers(endpoint)).find((worker) => worker.status === status),
    );
  }

  async run(endpoint: Endpoint, input: JobInput, rest: object = {}) {
    return this.call(operations.runJob, { parameters: { endpointId: endpoint.id }, body: { input, ...rest } });
  }

  async runSync(endpoint: Endpoint, input: JobInput, rest: object = {}) {
    return this.call(operations.runJobSync, { parameters: { endpointId: endpoint.id }, body: { input, ...rest } });
  }

  async job(endpoint: Endpoint, jobId: string) {
    return this.call(operations.getJobStatus, { parameters: { endpointId: endpoint.id, jobId } });
  }

  /** Waits until the job has the status, and fails at once if it ends with another one. */
  async jobWithStatus(endpoint: Endpoint, jobId: string, status: JobStatus, withinMs?: number) {
    return eventually(
      `the job is ${status}`,
      async () => {
        const job = await this.job(endpoint, jobId);
        if (job.status !== status && isTerminal(job.status)) {
          assert.fail(`the job is not ${status} but ${JSON.stringify(job)}`);
        }
        return job.status === status && job;
      },
      withinMs,
    );
  }

  /** Gives a worker a job that never ends. Resolves once it runs the job. A worker that is stopped before that ends at once. */
  async runDeaf(endpoint: Endpoint): Promise<void> {
    const { id } = await this.run(endpoint, { do: 'deaf', value: 'begun' });
    await eventually('the worker runs the job', async () => (await this.job(endpoint, id)).output === 'begun');
  }

  /** Reads log events until one satisfies the condition. @returns all events up to this one */
  async logsUntil(
    endpoint: Endpoint,
    workerId: string,
    last: (event: ReceivedLog) => boolean,
    args: { query?: Record<string, string | number>; headers?: Record<string, string> } = {},
  ): Promise<ReceivedLog[]> {
    const controller = new AbortController();
    const parameters = { id: endpoint.id, workerId };
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(120_000)]);
    const response = await this.fetch(operations.getWorkerLogs, { parameters, ...args }, { signal });
    assert.equal(response.status, 200);
    const events: ReceivedLog[] = [];
    for await (const event of logEvents(response)) {
      events.push(event);
      if (last(event)) break;
    }
    controller.abort();
    return events;
  }
}

/** Creates an account that is not the owner's, with a key that has all permissions. */
export async function otherAccount(owner: Api): Promise<Api> {
  const { id: accountId } = await owner.call(controlOperations.createUser, { body: { name: 'Ada' } });
  const { key } = await owner.call(controlOperations.createApiKey, { body: { name: 'key', accountId } });
  return new Api({ ...owner.addresses, apiKey: key });
}

export interface ErrorBody {
  readonly status?: number;
  readonly detail?: string;
  readonly error?: string;
  readonly message?: string;
  readonly errors?: string[];
}

export type ReceivedLog = LogEvent & { readonly id: string };

/** Parses the events of a log stream, and checks each against the contract. */
export async function* logEvents(response: Response): AsyncGenerator<ReceivedLog> {
  const schema = operations.getWorkerLogs.success.body;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const id = /^id: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (id !== undefined && data !== undefined) yield { ...schema.parse(JSON.parse(data)), id };
    }
  }
}
