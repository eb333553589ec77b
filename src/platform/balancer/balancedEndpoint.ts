import { AFFINITY_WAIT_MS, ROUTE_WAIT_MS } from '../../contract/route.ts';
import type { Demand } from '../domain/autoscaler.ts';
import { chooseWorker, type Affinity } from '../domain/balancing.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import { routeSettings, type RouteSettings } from '../domain/routeSettings.ts';
import type { WorkerView } from '../domain/worker.ts';
import { WorkerPool, type WorkerPoolContext, type WorkSource } from '../workers/workerPool.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { pausedWhileFull } from '../store/fullDisk.ts';
import type { Worker } from '../workers/worker.ts';
import type { RunningWorker } from '../runtimes/runtime.ts';
import { originOf } from './address.ts';
import { Backend, type BackendServer } from './backend.ts';
import { HealthWatch } from './healthWatch.ts';
import { noWorkers, shuttingDown, workerGone, workerTimeout, type BalancerRefusal } from './refusals.ts';
import { WaitingRoom } from './waitingRoom.ts';

/** A worker's server, for the time of one request. */
export interface Reservation {
  readonly workerId: string;
  readonly server: BackendServer;
  /** To be called when it has become a connection: nobody waits for its end when the worker is to go. */
  readonly lasts: () => void;
  /** To be called once. @param failure why the worker gave no answer */
  readonly end: (failure?: BalancerRefusal) => void;
}

/** Requests come and go by the thousand: the number of workers is adapted to them no more often than this, in ms. */
const SETTLE_MS = 20;

/** How many workers that were scaled down are remembered, so that they can be asked for again. */
const REMEMBERED = 100;

/** A load-balanced endpoint that is alive: gives each request to one of its workers, and waits with it while there is none. */
export class BalancedEndpoint implements LiveEndpoint, WorkSource {
  readonly type = 'LOAD_BALANCER';
  readonly #context: WorkerPoolContext;
  readonly #workers: WorkerPool;
  readonly #backends = new Map<string, Backend>();
  readonly #waiting: WaitingRoom<Reservation>;
  readonly #scaledDown = new Set<string>();
  readonly #adapt: () => void;
  #settings: RouteSettings;
  #requests = 0;
  #scalingScheduled = false;

  constructor(endpoint: EndpointRecord, context: WorkerPoolContext) {
    this.#context = context;
    this.#settings = routeSettings(endpoint);
    this.#waiting = new WaitingRoom(context.clock);
    this.#workers = new WorkerPool(endpoint, context, this);
    this.#adapt = pausedWhileFull(context.realWaits, () => {
      if (this.#workers.closed) return;
      this.#dispatch();
      this.#workers.scale();
    });
    this.changed();
  }

  get endpoint(): EndpointRecord {
    return this.#workers.endpoint;
  }

  get settings(): RouteSettings {
    return this.#settings;
  }

  views(): WorkerView[] {
    return this.#workers.views();
  }

  get standby(): number {
    return this.#workers.standby;
  }

  get waiting(): number {
    return this.#workers.waiting;
  }

  releases(): ReleaseRecord[] {
    return this.#context.store.endpoints.releases(this.endpoint.id);
  }

  hasHad(workerId: string): boolean {
    return this.#context.store.runs.getWorker(this.endpoint.id, workerId) !== undefined;
  }

  update(endpoint: EndpointRecord, options: { replaceWorkers: boolean }): void {
    this.#settings = routeSettings(endpoint);
    // What was scaled down before is of another container now.
    if (options.replaceWorkers) this.#scaledDown.clear();
    this.#workers.update(endpoint, options);
  }

  /** Requests that wait are refused; those that a worker has may be finished first, in the time that workers have to end. */
  async close(reason: string): Promise<void> {
    const closed = this.#workers.close(reason);
    for (const { refuse } of this.#waiting.all()) refuse(shuttingDown(reason));
    await closed;
  }

  /**
   * A worker for a request: at once when one is ready, or else when one is. With no worker at all, one is started for it.
   *
   * @throws BalancerRefusal when there is none in time, or the one that the request insists on is gone
   */
  reserve(affinity: Affinity | undefined, signal: () => AbortSignal): Reservation | Promise<Reservation> {
    if (this.#workers.closed) throw shuttingDown('the endpoint takes no more requests');
    const choice = chooseWorker(this.#backends.values(), affinity);
    if (choice instanceof Backend) return this.#give(choice);
    if (choice === 'gone' && !this.#comesUp(affinity)) throw workerGone(affinity?.workerId ?? '');
    const insists = affinity && affinity.mode !== 'prefer' ? affinity : undefined;
    const turn = this.#waiting.wait(affinity, {
      ms: insists ? AFFINITY_WAIT_MS : ROUTE_WAIT_MS,
      late: () => (insists ? workerTimeout(insists.workerId) : noWorkers()),
      signal: signal(),
    });
    this.changed();
    return turn;
  }

  changed(): void {
    this.#adapt();
  }

  demand(horizon: number): Demand {
    return {
      waitingSince: this.#waiting
        .all()
        .slice(0, horizon)
        .map(({ since }) => since),
      running: this.#workers.active().reduce((sum, { load }) => sum + load, 0),
    };
  }

  /** Requests go to the process once its server reports that it is ready. */
  started(worker: Worker, running: RunningWorker): void {
    const backend = this.#backends.get(worker.id) ?? new Backend(worker);
    this.#backends.set(worker.id, backend);
    this.#release(backend);
    backend.process = running;
    this.#connect(backend, running).catch((error: unknown) => {
      if (backend.process === running)
        this.#workers.replace(worker, `its address is unknown: ${(error as Error).message}`);
    });
  }

  async #connect(backend: Backend, running: RunningWorker): Promise<void> {
    const { worker } = backend;
    const { port, healthPorts, healthPath } = routeSettings(worker.endpoint);
    const addressesOf = (ports: readonly number[]) => Promise.all(ports.map((one) => running.address(one)));
    // Loaded with the first load-balanced worker: it is the largest part of the platform, and many never need it.
    const [{ Pool }, address, healthAddresses] = await Promise.all([
      import('./undiciPool.ts'),
      running.address(port),
      addressesOf(healthPorts),
    ]);
    // It has ended meanwhile.
    if (backend.process !== running) return;
    const watch = new HealthWatch({
      addresses: healthAddresses,
      path: healthPath,
      clock: this.#context.realWaits,
      onChange: (state, finding) => {
        if (state === 'ready') worker.markReady();
        else worker.markNotReady(finding, { sick: state === 'sick' });
      },
      onSlow: (finding) => worker.note({ kind: 'stillStarting', finding, advice: ADVICE }),
      onExpired: (finding) => this.#workers.replace(worker, `it has not been ready for too long: ${finding}`),
    });
    backend.server = { address, pool: new Pool(originOf(address), POOL_OPTIONS), watch };
  }

  standsBy(worker: Worker, frozen: boolean): void {
    const watch = this.#backends.get(worker.id)?.server?.watch;
    if (frozen) watch?.suspend();
    else watch?.resume();
  }

  async letFinish(worker: Worker): Promise<void> {
    const backend = this.#backends.get(worker.id);
    if (!backend) return;
    const { realWaits, graceMs } = this.#context;
    await new Promise<void>((resolve) => {
      const cancel = realWaits.after(graceMs, resolve);
      void backend.idle().then(() => {
        cancel();
        resolve();
      });
    });
  }

  ending(): void {
    // Draining workers are given nothing; what they have, they may finish.
  }

  /** Requests end by themselves with the connections that the process had. */
  gone(worker: Worker): void {
    const backend = this.#backends.get(worker.id);
    if (backend) this.#release(backend);
  }

  ended(worker: Worker): void {
    const backend = this.#backends.get(worker.id);
    if (backend) this.#release(backend);
    this.#backends.delete(worker.id);
    if (!worker.retired) this.#remember(worker.id);
    this.changed();
  }

  #remember(workerId: string): void {
    this.#scaledDown.add(workerId);
    const [oldest] = this.#scaledDown;
    if (this.#scaledDown.size > REMEMBERED && oldest !== undefined) this.#scaledDown.delete(oldest);
  }

  #comesUp(affinity: Affinity | undefined): boolean {
    return this.#canReturn(affinity) || this.#workers.find(affinity?.workerId ?? '')?.starting === true;
  }

  #canReturn(affinity: Affinity | undefined): boolean {
    return affinity?.mode === 'resume' && this.#scaledDown.has(affinity.workerId);
  }

  #dispatch(): void {
    for (const { affinity, give, refuse } of this.#waiting.all()) {
      const choice = chooseWorker(this.#backends.values(), affinity);
      if (choice instanceof Backend) give(this.#give(choice));
      else if (affinity && affinity.mode !== 'prefer' && this.#workers.find(affinity.workerId)?.frozen) {
        this.#workers.revive(affinity.workerId);
      } else if (choice === 'gone' && affinity) {
        if (this.#workers.find(affinity.workerId)) continue;
        if (this.#canReturn(affinity)) this.#workers.revive(affinity.workerId);
        else refuse(workerGone(affinity.workerId));
      }
    }
  }

  #give(backend: Backend): Reservation {
    const { server, id } = backend;
    if (!server) throw new Error(`worker ${id} has no server`);
    const requestId = String(++this.#requests);
    backend.lastGiven = this.#requests;
    backend.begin(requestId);
    this.#scheduleScaling();
    return {
      workerId: id,
      server,
      lasts: () => {
        backend.lasts(requestId);
        this.#scheduleScaling();
      },
      end: (failure) => {
        if (failure) backend.worker.note({ kind: 'requestFailed', reason: failure.message });
        backend.finish(requestId, failure === undefined);
        this.#scheduleScaling();
      },
    };
  }

  #scheduleScaling(): void {
    if (this.#scalingScheduled) return;
    this.#scalingScheduled = true;
    this.#context.realWaits.after(SETTLE_MS, () => {
      this.#scalingScheduled = false;
      this.changed();
    });
  }

  #release(backend: Backend): void {
    const { server } = backend;
    // From now on nothing is given to it, and its ports may be another's.
    backend.process = undefined;
    backend.server = undefined;
    server?.watch.close();
    // Requests that are on their way end with an error of their own.
    void server?.pool.destroy();
  }
}

/** For who waits for a worker whose server has a port of its own choice, which nobody asks. */
const ADVICE = 'a server listens on the PORT of its environment, and answers its health path with 200 when it is ready';

/** Time limits are ours. Idle connections are given up before a server does so, lest a request meets its end. */
const POOL_OPTIONS = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 60_000 };
