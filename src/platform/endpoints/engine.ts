import type { Logger } from 'pino';
import type { CreateEndpointBody, Endpoint, UpdateEndpointBody } from '../../contract/endpoint.ts';
import { IMAGE_EDIT_ENDPOINT_ID } from '../../contract/imageModel.ts';
import type { ReleaseDiffEntry } from '../../contract/release.ts';
import { BalancedEndpoint } from '../balancer/balancedEndpoint.ts';
import type { Clock } from '../time/clock.ts';
import { repeatBatches } from '../time/pacing.ts';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { createEndpoint, type EndpointRecord, type EndpointReferences } from '../domain/endpoint.ts';
import { changeEndpoint } from '../domain/endpointChange.ts';
import { deliverySpan, type Delivery } from '../domain/jobSpans.ts';
import { accountOfImageQueue } from '../domain/imageQueue.ts';
import { isProcessImage } from '../domain/processImage.ts';
import { notFound, Refusal } from '../domain/refusal.ts';
import type { SpanSink } from '../domain/traceContext.ts';
import { newEndpointId, newReleaseId } from '../ids.ts';
import { WorkerLogs } from '../logs/workerLogs.ts';
import { Metrics } from '../metrics/metrics.ts';
import type { Store } from '../store/store.ts';
import type { HostCapacity } from '../workers/hostCapacity.ts';
import type { Adoption } from '../workers/worker.ts';
import type { AdoptableRun } from '../workers/workerRun.ts';
import type { CloseOptions } from '../workers/workerPool.ts';
import type { RunRecord } from '../store/runStore.ts';
import { WebhookSender } from '../queue/webhookSender.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { JobQueue, type JobQueueEvents } from '../queue/jobQueue.ts';
import { QueueEndpoint, type WorkerCaller } from '../queue/queueEndpoint.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { RunDependencies } from '../workers/runSpecOf.ts';
import { Removal } from './removal.ts';
import { isStorageFull } from '../storageFull.ts';
import { retryingClock, retryWhileFull } from '../store/fullDisk.ts';
import { Sweeper } from '../store/sweeper.ts';
import { EndedJobs, Traces } from '../traces/traces.ts';
import { WorkerEvents } from '../traces/workerEvents.ts';

interface EngineOptions extends RunDependencies {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Has the same time as `clock`, but waits in real time, as processes, the network, and the disk require. */
  readonly realClock: Clock;
  readonly capacity: HostCapacity;
  readonly log: Logger;
  /** Exports the traces of ended jobs. Default: nothing does. */
  readonly spans?: SpanSink | undefined;
  /** Maximum size of the logs of all workers, in bytes. Default: 1 GiB. */
  readonly maxLogBytes?: number | undefined;
  /** Time that workers have to exit on their own, in ms. */
  readonly graceMs: number;
  /** Returns the resources that endpoints of an account may refer to. */
  readonly referencesOf: (accountId: string) => EndpointReferences;
}

/** Interval of the heartbeat that is stored for running workers, in ms. A killed platform loses at most this much usage. */
const HEARTBEAT_MS = 5_000;

const NOT_PERMITTED =
  'endpoint paused: its account may run processes on this machine only with --allow-process-endpoints';

type AnyEndpoint = QueueEndpoint | BalancedEndpoint;

/** Runs the endpoints with their workers and jobs. */
export class Engine {
  readonly logs: WorkerLogs;
  readonly jobs: JobQueue;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly #workerEvents: WorkerEvents;
  readonly #endedJobs: EndedJobs | undefined;
  readonly #options: EngineOptions;
  readonly #webhooks: WebhookSender;
  readonly #endpoints = new Map<string, AnyEndpoint>();
  /** Deleted endpoints whose workers have not all stopped. */
  readonly #closing = new Map<AnyEndpoint, Promise<void>>();
  readonly #removal: Removal;
  /** Checks the stored records after the start, so that the start does not wait for it. */
  readonly #check: Sweeper;
  /** Processes of the previous platform, by the endpoint that takes them over. */
  readonly #adoptions = new Map<string, Adoption[]>();
  #cancelHeartbeat: (() => void) | undefined;
  #stopBatches: (() => void)[] = [];
  #closed = false;

  constructor(options: EngineOptions) {
    const { store, log, maxLogBytes: allBytes } = options;
    const clock = retryingClock(options.clock, options.realClock);
    const realClock = retryingClock(options.realClock);
    this.#options = { ...options, clock, realClock };
    this.metrics = new Metrics(store, clock);
    const limits = { ...(allBytes !== undefined && { allBytes }) };
    this.logs = new WorkerLogs(store.logs, realClock, limits, (owner, bytes) => this.metrics.logged(owner, bytes));
    this.#webhooks = new WebhookSender({
      ...{ store, clock, realClock, log },
      onFailed: (jobId, reason) => this.#noteFailedWebhook(jobId, reason),
      onRecorded: options.spans && (({ id, jobId }, event) => this.#exportDelivery(jobId, { ...event, webhookId: id })),
    });
    const events: JobQueueEvents = {
      onSubmitted: (endpointId) => this.#endpoints.get(endpointId)?.changed(),
      onExpired: ({ endpointId, id }) => {
        const endpoint = this.#endpoints.get(endpointId);
        if (endpoint?.type === 'QUEUE') endpoint.revoke(id);
      },
      onWebhook: () => this.#webhooks.wake(),
      onEnded: options.spans && ((job) => this.#endedJobs?.add(job, this.#nameOf(job.endpointId))),
    };
    this.jobs = new JobQueue(store, this.#options, events, this.metrics);
    this.#workerEvents = new WorkerEvents(store.traces, realClock);
    this.traces = new Traces({ store, jobs: this.jobs, events: this.#workerEvents, clock });
    if (options.spans) this.#endedJobs = new EndedJobs(options.spans, this.traces, realClock);
    const isClosing = (endpointId: string): boolean =>
      [...this.#closing.keys()].some(({ endpoint }) => endpoint.id === endpointId);
    this.#check = new Sweeper(realClock, () => store.checkPart());
    this.#removal = new Removal({ store, jobs: this.jobs, realClock, log, isClosing });
  }

  /**
   * Ends the worker processes of the previous platform on this store that no endpoint takes over, and requeues their running jobs, even after
   * a crash. Returns the number of ended processes.
   */
  async recover(): Promise<number> {
    const { store, runtime, capacity, clock } = this.#options;
    const open = store.runs.listOpen();
    const adoptable = this.#adoptable(open);
    const kept = new Set(adoptable.map(({ id }) => id));
    const orphaned = open.filter(({ id }) => !kept.has(id));
    const ended = await runtime.endOrphans(orphaned.map(({ handle }) => handle));
    this.#webhooks.recover();
    for (const endpoint of store.endpoints.list()) this.metrics.meterOf(endpoint);
    const workers = new Set(adoptable.map(({ workerId }) => workerId));
    store.transaction(() => {
      // The actual end is unknown, so usage is charged until the last heartbeat of the run.
      for (const run of orphaned) store.runs.end(run.id, run.lastSeenAt);
      store.traces.stopWorkers(clock.now(), [...workers]);
      for (const { id: endpointId } of store.endpoints.list()) {
        for (const id of store.jobs.ids(endpointId, 'IN_PROGRESS', {})) {
          const { workerId = '' } = store.jobs.get(endpointId, id) ?? {};
          if (!workers.has(workerId)) this.jobs.apply(endpointId, id, { kind: 'returned' });
        }
      }
    });
    for (const run of adoptable) {
      // Before any endpoint starts a worker, which could get the same GPUs.
      const adoption = { run, releaseSlot: capacity.occupy(run.claim.gpus) };
      this.#adoptions.set(run.endpointId, [...(this.#adoptions.get(run.endpointId) ?? []), adoption]);
    }
    return ended;
  }

  /** Returns the newest run of each worker whose container is that of the current version of its endpoint. */
  #adoptable(open: readonly RunRecord[]): AdoptableRun[] {
    const { endpoints } = this.#options.store;
    const current = new Map(endpoints.list().map((endpoint) => [endpoint.id, endpoint]));
    const found = new Map<string, AdoptableRun>();
    for (const run of open) {
      const { claim, endpointId, workerId, startedAt } = run;
      const endpoint = current.get(endpointId);
      if (!claim || !endpoint || !this.#options.runtime.canAdopt(endpoint.image)) continue;
      const isCurrent =
        endpoints.imageVersion(endpointId, claim.version) === endpoints.imageVersion(endpointId, endpoint.version);
      const other = found.get(workerId);
      if (isCurrent && (!other || other.startedAt < startedAt)) found.set(workerId, { ...run, claim });
    }
    return [...found.values()];
  }

  /** Starts every endpoint. The worker protocol must already be reachable. */
  start(): void {
    this.metrics.start();
    this.jobs.watchExpiry();
    this.jobs.recover();
    this.#webhooks.wake();
    this.#removal.recover();
    this.#check.wake();
    this.#beat();
    const { store, clock, runtime } = this.#options;
    const batches = [() => store.usage.settle(clock.now()), () => store.largeValues.deleteUnused()];
    batches.push(() => store.metrics.rollUp(clock.now()));
    batches.push(() => store.traces.dropOldWorkers(clock.now()));
    this.#stopBatches = batches.map((batch) => repeatBatches(this.#options, batch));
    runtime.keepClean?.(() => store.runs.listOpen().map(({ id }) => id));
    for (const endpoint of store.endpoints.list()) this.#start(this.#pauseUnlessPermitted(endpoint));
  }

  /** Starts a stored endpoint. An endpoint that cannot be started is quarantined, so that it does not affect the others. */
  #start(endpoint: EndpointRecord): void {
    const { store, realClock } = this.#options;
    retryWhileFull(realClock, () => {
      try {
        this.#endpoints.set(endpoint.id, this.#create(endpoint));
        this.#adoptions.delete(endpoint.id);
      } catch (error) {
        if (isStorageFull(error)) throw error;
        store.endpoints.setAside(endpoint.id, `cannot be started: ${(error as Error).message}`);
      }
    });
  }

  endpoints(): LiveEndpoint[] {
    return [...this.#endpoints.values()];
  }

  /** @throws Refusal 404 */
  endpoint(endpointId: string): AnyEndpoint {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) throw notFound(`endpoint '${endpointId}'`);
    return endpoint;
  }

  /**
   * Stores an endpoint and starts it after the commit. Inside another transaction, the endpoint starts after the commit of that one.
   *
   * @throws Refusal as `createEndpoint` of the domain does; 503 while the platform stops, because nothing would stop the workers
   */
  createEndpoint(
    body: CreateEndpointBody,
    { accountId = OWNER_ACCOUNT_ID, id = newEndpointId() }: { accountId?: string; id?: string } = {},
  ): EndpointRecord {
    if (this.#closed) throw new Refusal(503, 'the platform is stopping, or is being reset');
    const { store, clock, referencesOf } = this.#options;
    const endpoint = createEndpoint(body, { id, accountId, now: clock.now(), ...referencesOf(accountId) });
    store.transaction((transaction) => {
      this.#removal.finish(endpoint.id);
      store.endpoints.insert(endpoint);
      store.endpoints.beginImage(endpoint.id, endpoint.version);
      this.#addRelease(endpoint, []);
      transaction.afterCommit(() => this.#start(endpoint));
    });
    return endpoint;
  }

  /**
   * Stores a new release of the endpoint. Replaces its workers if the release changes their container.
   *
   * @param answer formats the endpoint as a response
   * @throws Refusal as `changeEndpoint` of the domain does; 404
   */
  updateEndpoint(id: string, body: UpdateEndpointBody, answer: (live: LiveEndpoint) => Endpoint): LiveEndpoint {
    const { store, referencesOf } = this.#options;
    const live = this.endpoint(id);
    const { endpoint, diff, replaceWorkers } = changeEndpoint(live.endpoint, body, {
      current: answer(live),
      ...referencesOf(live.endpoint.accountId),
    });
    if (endpoint === live.endpoint) return live;
    store.transaction(() => {
      store.endpoints.update(endpoint);
      if (replaceWorkers) store.endpoints.beginImage(id, endpoint.version);
      this.#addRelease(endpoint, diff);
    });
    live.update(endpoint, { replaceWorkers });
    return live;
  }

  /** Deletes the endpoint at once. Its workers stop, and its jobs are canceled and removed, in the background. @throws Refusal 404 */
  deleteEndpoint(endpointId: string): void {
    const { store } = this.#options;
    const endpoint = this.endpoint(endpointId);
    this.jobs.flush();
    store.transaction((transaction) => {
      store.endpoints.delete(endpointId);
      transaction.afterCommit(() => this.#closeDeleted(endpoint));
    });
  }

  /** Stops the workers of a deleted endpoint, and removes its jobs. The workers' logs are removed once no worker can write one. */
  #closeDeleted(endpoint: AnyEndpoint): void {
    const { id } = endpoint.endpoint;
    this.#endpoints.delete(id);
    this.metrics.forget(id);
    this.#removal.add(id);
    const closed = endpoint.close('the endpoint was deleted').then(() => {
      this.#closing.delete(endpoint);
      this.logs.flush();
      this.#workerEvents.flush();
      this.#removal.wake();
    });
    this.#closing.set(endpoint, closed);
  }

  /** Returns the endpoint of a worker if its current process sent the request. Includes endpoints that are being deleted. */
  queueOfWorker(endpointId: string, caller: WorkerCaller): QueueEndpoint | undefined {
    const candidates = [this.#endpoints.get(endpointId), ...this.#closing.keys()];
    return candidates.find(
      (live): live is QueueEndpoint =>
        live?.type === 'QUEUE' && live.endpoint.id === endpointId && live.authenticate(caller),
    );
  }

  /** Stores the usage and the measurements since the last heartbeat. On a full disk, they are lost. */
  storeProgress(): void {
    try {
      this.#storeHeartbeat();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
    }
  }

  /** Dispatches no more jobs and stops all workers. Unfinished jobs stay in the queue, or with the workers that run on. */
  async close(options?: CloseOptions): Promise<void> {
    this.#closed = true;
    this.#cancelHeartbeat?.();
    for (const stop of this.#stopBatches) stop();
    this.jobs.close();
    const closing = this.endpoints().map((endpoint) => endpoint.close('the platform is stopping', options));
    await Promise.all([...closing, ...this.#closing.values(), this.#webhooks.close()]);
    this.#removal.close();
    this.storeProgress();
    this.#endedJobs?.close();
    this.#workerEvents.close();
    this.#check.close();
    this.logs.close();
  }

  #addRelease({ id: endpointId, version }: EndpointRecord, diff: readonly ReleaseDiffEntry[]): void {
    const { store, clock } = this.#options;
    store.endpoints.insertRelease({ id: newReleaseId(), endpointId, version, createdAt: clock.now(), diff });
  }

  /** Pauses an endpoint whose account may no longer run processes. The endpoint stays, without workers. */
  #pauseUnlessPermitted(endpoint: EndpointRecord): EndpointRecord {
    const { store, log, referencesOf } = this.#options;
    const { id, accountId, image, workers } = endpoint;
    if (workers.max === 0 || !isProcessImage(image) || referencesOf(accountId).mayRunProcesses) return endpoint;
    const paused = { ...endpoint, workers: { ...workers, min: 0, max: 0 } };
    store.endpoints.update(paused);
    log.warn({ endpointId: id, accountId }, NOT_PERMITTED);
    return paused;
  }

  /** Writes to the log of the job's worker, which the account of the endpoint can read. */
  #noteFailedWebhook(jobId: string, reason: string): void {
    const owner = this.#options.store.jobs.runBy(jobId);
    if (owner) this.logs.note(owner, { kind: 'webhookFailed', jobId, reason });
  }

  #exportDelivery(jobId: string, delivery: Delivery): void {
    const { store, spans } = this.#options;
    const job = store.jobs.traced(jobId);
    if (job) spans?.add([deliverySpan(job, delivery, this.#nameOf(job.endpointId))]);
  }

  /** Returns the name of the endpoint of a queue. The ID of a queue of the image-editing model would name an account. */
  #nameOf(endpointId: string): string {
    if (accountOfImageQueue(endpointId) !== undefined) return IMAGE_EDIT_ENDPOINT_ID;
    return this.#endpoints.get(endpointId)?.endpoint.name ?? endpointId;
  }

  #create(endpoint: EndpointRecord): AnyEndpoint {
    const { jobs, logs } = this;
    const context = { ...this.#options, logs, meter: this.metrics.meterOf(endpoint), events: this.#workerEvents };
    const adoptions = this.#adoptions.get(endpoint.id);
    if (endpoint.type === 'QUEUE') return new QueueEndpoint(endpoint, { ...context, jobs }, adoptions);
    return new BalancedEndpoint(endpoint, context, adoptions);
  }

  /** Stores the usage and the measurements until now. */
  #storeHeartbeat(): void {
    const { store, clock } = this.#options;
    store.transaction((transaction) => {
      store.runs.touch(clock.now());
      this.metrics.write(transaction);
    });
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      this.#storeHeartbeat();
      this.#beat();
    });
  }
}
