import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { CreateEndpointBody } from '../../../src/contract/endpoint.ts';
import { isTerminal, type JobStatus } from '../../../src/contract/job.ts';
import { fillPath, type Operation, type PathParameters } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/contract/operations.ts';
import { SessionSigner } from '../../../src/platform/accounts/sessions.ts';
import { accountRoutes } from '../../../src/platform/control/accountRoutes.ts';
import { controlRoute, type ControlApp } from '../../../src/platform/control/controlRoute.ts';
import { seed } from '../../../src/platform/control/seed.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { WORKER_PATH } from '../../../src/contract/launch/localPlatform.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { imageQueue } from '../../../src/platform/domain/imageQueue.ts';
import { App } from '../../../src/platform/http/app.ts';
import { errorHooks } from '../../../src/platform/routes/errors.ts';
import { ADDRESS_PATHS } from '../../../src/platform/routes/route.ts';
import type { Services } from '../../../src/platform/routes/services.ts';
import { secretBox } from '../../../src/platform/secrets/secretBox.ts';
import { createPlatformInstance, type PlatformInstance } from '../../../src/platform/server/platformInstance.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import { emptyStore } from './emptyStore.ts';
import { FakeRuntime, type FakeProcess } from './fakeRuntime.ts';
import { LocalServer, type Received, type Sent } from './localServer.ts';
import { StoppedClock } from './stoppedClock.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
const PORT = 1;
/** Prefix of the addresses of webhook receivers. */
export const HOOKS = 'http://hooks.test/';
const API_KEY = 'key-of-the-sweep';
const MAX_WORKERS = 4;
/** Number of turns of the event loop after which all work without timers is done. */
const TURNS = 15;
/** Maximum number of turns to wait for another thread. */
const MANY_TURNS = 2_000_000;

/** A request, and its response once there is one. */
export interface Call {
  readonly what: string;
  readonly received: Promise<Received>;
  readonly hangUp: () => void;
  answer: Received | undefined;
}

interface Arguments<Row extends Operation> {
  readonly parameters?: PathParameters<Row['path']>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A job in responses, webhooks, and the worker protocol. */
interface ReportedJob {
  readonly id: string;
  readonly status: JobStatus;
}

export interface WebhookCall {
  readonly url: string;
  readonly body: ReportedJob;
}

/**
 * A platform with a simulated clock, processes, callers, and webhook receivers. Everything that it reports is compared with its store at
 * that moment.
 */
export class FailureWorld {
  readonly store: Store;
  readonly calls: Call[] = [];
  readonly webhooks: WebhookCall[] = [];
  /** Reports that differed from the store at that moment. */
  readonly lies: unknown[] = [];
  /** Status that webhook receivers return. */
  webhookStatus = 200;
  clock = new StoppedClock(START);
  capacity = new HostCapacity(MAX_WORKERS);
  runtime: FakeRuntime;
  /** Whether the platform has been started. */
  isUp = false;
  #world: PlatformInstance;
  #server: LocalServer;
  readonly #secrets = secretBox();
  readonly #fetch = globalThis.fetch;

  constructor() {
    this.store = emptyStore();
    this.runtime = this.#newRuntime();
    [this.#world, this.#server] = this.#create();
    globalThis.fetch = (to, init) => {
      const url = to instanceof Request ? to.url : to.toString();
      return url.startsWith(HOOKS) ? this.#receive(url, init) : this.#fetch(to, init);
    };
  }

  static async open(): Promise<FailureWorld> {
    const world = new FailureWorld();
    await world.#start();
    return world;
  }

  get services(): Services {
    return this.#world.services;
  }

  /** Shuts the platform down. It does nothing afterward. */
  async close(): Promise<void> {
    globalThis.fetch = this.#fetch;
    await this.#world.end();
    await this.#world.close();
  }

  /** Shuts the platform down and starts another one on the same data. */
  async restart(): Promise<void> {
    const ended = this.#world.end();
    await this.settle();
    await ended;
    const old = this.clock;
    await this.#replace();
    assert.deepEqual(old.pendingOrigins(), [], 'no timer is pending after the shutdown');
  }

  /**
   * Kills the platform and starts another one on the same data, which ends or adopts the processes. The killed platform receives no more
   * events.
   */
  async kill(): Promise<void> {
    // The callers of the killed platform receive no response.
    this.calls.length = 0;
    await this.#replace(this.runtime.abandon());
    assert.deepEqual(this.runtime.orphans, [], 'every process of the killed platform is found');
  }

  async #replace(orphans?: readonly FakeProcess[]): Promise<void> {
    this.isUp = false;
    if (orphans === undefined) await this.#world.close();
    else await this.services.resources.close();
    this.clock = new StoppedClock(this.clock.now());
    this.capacity = new HostCapacity(MAX_WORKERS);
    const { outlivesPlatform } = this.runtime;
    this.runtime = this.#newRuntime(orphans);
    this.runtime.outlivesPlatform = outlivesPlatform;
    [this.#world, this.#server] = this.#create();
    await this.#start();
  }

  #newRuntime(orphans?: readonly FakeProcess[]): FakeRuntime {
    const isStored = (runId: string): boolean => this.store.runs.listOpen().some(({ id }) => id === runId);
    return new FakeRuntime((runId) => assert.ok(isStored(runId), 'a run is stored before its process starts'), orphans);
  }

  #create(): [PlatformInstance, LocalServer] {
    const { store, clock, runtime, capacity } = this;
    const log = pino({ enabled: false });
    const baseUrl = `http://127.0.0.1:${PORT}`;
    const addresses = {
      ...{ baseUrl, restUrl: baseUrl, queueUrl: baseUrl + ADDRESS_PATHS.queueUrl },
      endpointHost: `${baseUrl}/endpoints/{endpoint_id}`,
      s3Url: baseUrl,
    };
    // Both platforms of a restart use the store, which is in memory and must stay open.
    const kept = { ...store, close: () => undefined };
    const world = createPlatformInstance(kept, {
      ...{
        runtime,
        clock,
        realClock: clock,
        wallClock: clock,
        capacity,
        ignoreGpus: true,
        log,
        apiKey: API_KEY,
        secrets: this.#secrets,
      },
      ...{ signer: new SessionSigner(new Uint8Array(32)), rateLimits: undefined, allowProcessEndpoints: true },
      ...{ graceMs: 0, imageSources: {}, volumesDirectory: undefined, addresses: () => addresses, port: () => PORT },
      ...{ owner: 'owner', workerUrl: () => baseUrl + WORKER_PATH, publicUrl: undefined },
    });
    const control: ControlApp = new App();
    accountRoutes(control, () => world.services);
    controlRoute(control, controlOperations.seed, ({ body }) => seed(body, world.services));
    const controlListener = control.listener({ before: () => undefined, ...errorHooks(log) });
    const server = new LocalServer((incoming, response) => {
      if (incoming.url?.startsWith(CONTROL_ROOT) === true) controlListener(incoming, response);
      else world.handlers.request(incoming, response);
    });
    return [world, server];
  }

  async #start(): Promise<void> {
    await this.#world.recover();
    this.#world.start();
    this.isUp = true;
    await this.advance(100);
  }

  /** Waits until all work without timers is done. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Advances the clock by `ms` ms, one timer at a time. */
  async advance(ms: number): Promise<void> {
    await this.settle();
    const end = this.clock.now() + ms;
    while (!this.clock.advanceTo(end)) await this.settle();
    await this.settle();
  }

  /** Waits for something that another thread does. */
  async until(what: string, condition: () => boolean): Promise<void> {
    for (let turn = 0; !condition(); turn++) {
      assert.ok(turn < MANY_TURNS, what);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Calls an operation. The response is compared with the store. */
  call<Row extends Operation>(row: Row, { parameters, query = {}, body, headers }: Arguments<Row> = {}): Call {
    const path = row.path.startsWith(CONTROL_ROOT) ? row.path : ADDRESS_PATHS[row.address] + row.path;
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const target = fillPath(path, parameters ?? {}) + (search && `?${search}`);
    const { endpointId = imageQueue(OWNER_ACCOUNT_ID) } = (parameters ?? {}) as { endpointId?: string };
    return this.send(row.method, target, { body, headers }, ({ status, body: reported }) => {
      if (row.address === 'queueUrl' && status === 200 && isJob(reported)) this.#checkReported(endpointId, reported);
    });
  }

  send(
    method: string,
    target: string,
    { body, headers: added = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> | undefined },
    check: (answer: Received) => void = () => undefined,
  ) {
    const headers = { Host: `127.0.0.1:${PORT}`, Authorization: `Bearer ${API_KEY}`, ...added };
    const sent: Sent = this.#server.send(method, target, { body, headers });
    const call: Call = { what: `${method} ${target}`, ...sent, answer: undefined };
    void sent.received.then(
      (answer) => {
        call.answer = answer;
        try {
          if (answer.status < 300) check(answer);
        } catch (error) {
          this.lies.push(error);
        }
      },
      () => undefined,
    );
    this.calls.push(call);
    return call;
  }

  /** Resolves with the body of a call that must have succeeded. */
  async succeeds<T>(call: Call): Promise<T> {
    await this.settle();
    assert.ok(call.answer, `${call.what} has a response`);
    assert.ok(call.answer.status < 300, `${call.what}: ${call.answer.status} ${JSON.stringify(call.answer.body)}`);
    return call.answer.body as T;
  }

  callCreateEndpoint(changes: Partial<CreateEndpointBody>): Call {
    return this.call(operations.createEndpoint, { body: { ...ENDPOINT, ...changes } });
  }

  /** @param changes default: one worker that is always up */
  async createEndpoint(changes: Partial<CreateEndpointBody> = {}): Promise<string> {
    const call = this.callCreateEndpoint({ workers: { min: 1, max: 1, idleTimeout: 3600 }, ...changes });
    const { id } = await this.succeeds<{ id: string }>(call);
    await this.advance(100);
    return id;
  }

  run(endpointId: string, rest: object = {}): Call {
    return this.call(operations.runJob, { parameters: { endpointId }, body: { input: {}, ...rest } });
  }

  /** Adds a job to the queue and resolves with its ID. */
  async submit(endpointId: string, rest: object = {}): Promise<string> {
    const { id } = await this.succeeds<ReportedJob>(this.run(endpointId, rest));
    return id;
  }

  /** Returns the queue workers whose processes are up, as clients of the worker protocol. */
  workers(endpointId?: string): FakeWorker[] {
    const speaking = [...this.runtime.running].filter(({ env }) => addressIn(env, '/job-take/') !== undefined);
    const all = speaking.map((fake) => new FakeWorker(this, fake));
    return endpointId === undefined ? all : all.filter((worker) => worker.endpointId === endpointId);
  }

  worker(endpointId: string): FakeWorker {
    const [worker] = this.workers(endpointId);
    assert.ok(worker, 'a worker is up');
    return worker;
  }

  /**
   * Checks a reported job against the store. Its status may have changed since, unless the job had ended. Expired jobs and jobs of a
   * deleted endpoint are no longer stored.
   */
  #checkReported(endpointId: string, reported: ReportedJob): void {
    if (!isTerminal(reported.status)) return;
    const stored = this.store.jobs.get(endpointId, reported.id);
    const isForgotten =
      reported.status === 'TIMED_OUT' || !this.store.endpoints.list().some(({ id }) => id === endpointId);
    if (!stored && isForgotten) return;
    assert.equal(stored?.status, reported.status, 'the status in the response is stored');
  }

  #receive(url: string, init: RequestInit | undefined): Promise<Response> {
    const body = JSON.parse(init?.body as string) as ReportedJob;
    const stored = this.store.endpoints
      .list()
      .map(({ id }) => this.store.jobs.get(id, body.id))
      .find((job) => job !== undefined);
    if (stored && stored.status !== body.status)
      this.lies.push(`a webhook reports ${body.status} instead of ${stored.status}`);
    this.webhooks.push({ url, body });
    return Promise.resolve(new Response(null, { status: this.webhookStatus }));
  }
}

const ENDPOINT: CreateEndpointBody = {
  ...{ name: 'test', type: 'QUEUE', image: 'process:/', cmd: ['none'], cpu: [{ id: 'cpu3c', vcpuCount: 2 }], disk: 5 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
};

const CONTROL_ROOT = controlOperations.seed.path.replace(/\/seed$/, '/');

function isJob(value: unknown): value is ReportedJob {
  return typeof value === 'object' && value !== null && 'id' in value && 'status' in value;
}

const addressIn = (env: FakeProcess['env'], part: string): string | undefined =>
  Object.values(env).find((value) => value.includes(part));

/** The program of a worker. It speaks the worker protocol at the URLs in its environment. */
export class FakeWorker {
  readonly #world: FailureWorld;
  readonly process: FakeProcess;

  constructor(world: FailureWorld, process: FakeProcess) {
    this.#world = world;
    this.process = process;
  }

  get endpointId(): string {
    return this.#segments('/job-take/')[3] ?? '';
  }

  get workerId(): string {
    return this.#segments('/job-take/')[5] ?? '';
  }

  /** Requests jobs. They are compared with the store. */
  take(limit = 1, { hasJobs = false } = {}): Call {
    const address = this.#address('/job-take/').replace('/job-take/', limit > 1 ? '/job-take-batch/' : '/job-take/');
    const query = `&batch_size=${limit}&job_in_progress=${hasJobs ? 1 : 0}`;
    return this.#world.send('GET', address + query, {}, ({ body }) => {
      for (const { id } of [body ?? []].flat() as ReportedJob[]) {
        const stored = this.#world.store.jobs.get(this.endpointId, id);
        assert.equal(stored?.status, 'IN_PROGRESS', 'a job is stored as in progress before a worker receives it');
        assert.equal(stored.workerId, this.workerId);
      }
    });
  }

  /** Returns the IDs of the worker's jobs in the store. */
  jobs(): string[] {
    const { jobs } = this.#world.store;
    const inProgress = jobs.ids(this.endpointId, 'IN_PROGRESS', {});
    return inProgress.filter((id) => jobs.get(this.endpointId, id)?.workerId === this.workerId);
  }

  /** Takes the next job, which must exist, and resolves with its ID. */
  async takeJob(): Promise<string> {
    const { id } = await this.#world.succeeds<ReportedJob>(this.take());
    return id;
  }

  done(jobId: string, result: object = { output: 1 }): Call {
    return this.#world.send('POST', this.#address('/job-done/').replace('$ID', jobId), { body: result });
  }

  chunk(jobId: string, output: unknown): Call {
    return this.#world.send('POST', this.#address('/job-stream/').replace('$ID', jobId), { body: { output } });
  }

  ping(...jobIds: string[]): Call {
    return this.#world.send('GET', `${this.#address('/ping/')}&job_id=${jobIds.join(',')}`, {});
  }

  /** Sends a heartbeat so long after the last one that a job it does not name counts as missed. */
  async pingLater(...jobIds: string[]): Promise<void> {
    await this.#world.advance(500);
    await this.#world.succeeds(this.ping(...jobIds));
  }

  /** Requests the jobs to drop. */
  toStop(): Call {
    return this.#world.send('GET', this.#address('/job-take/').replace('/job-take/', '/job-stop/'), {});
  }

  #address(part: string): string {
    const url = addressIn(this.process.env, part);
    assert.ok(url !== undefined, `the worker knows the URL of ${part}`);
    return url.replace(/^http:\/\/[^/]+/, '');
  }

  #segments(part: string): string[] {
    return (this.#address(part).split('?')[0] ?? '').split('/');
  }
}
