import { AFFINITY_WAIT_MS, ROUTE_WAIT_MS } from '../../contract/route.ts';
import { chooseWorker, type Affinity } from '../domain/balancing.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { routeSettings, type RouteSettings } from '../domain/routeSettings.ts';
import type { OnDisconnect } from '../http/connections.ts';
import type { CloseOptions, WorkerPoolContext } from '../workers/workerPool.ts';
import { LiveEndpoint } from '../workers/liveEndpoint.ts';
import type { Clock } from '../time/clock.ts';
import type { Adoption, Worker } from '../workers/worker.ts';
import type { Address, RunningWorker } from '../runtimes/runtime.ts';
import { Backend, type BackendServer } from './backend.ts';
import { HealthWatch } from './healthWatch.ts';
import { noWorkers, restarting, shuttingDown, workerGone, workerTimeout, type BalancerRefusal } from './refusals.ts';
import { requirementOf, WaitingRoom, type Waiting } from './waitingRoom.ts';

/** A worker's server, reserved for one request. */
export interface Reservation {
  readonly workerId: string;
  readonly server: BackendServer;
  /** Measures the time limit of the request. */
  readonly clock: Clock;
  /** Must be called when the request becomes an upgraded connection. A draining worker does not wait for its end. */
  readonly markUpgraded: () => void;
  /** Must be called once, at the end of the request. @param failure reason that the worker did not respond */
  readonly end: (failure?: BalancerRefusal) => void;
}

/** Maximum number of scaled-down workers that a request can resume. */
const MAX_RESUMABLE = 100;

/** A running load-balanced endpoint. It assigns each request to a ready worker, and holds the request until there is one. */
export class BalancedEndpoint extends LiveEndpoint {
  readonly type = 'LOAD_BALANCER';
  readonly #backends = new Map<string, Backend>();
  readonly #waiting: WaitingRoom<Reservation>;
  readonly #scaledDown = new Set<string>();
  #settings: RouteSettings;
  #requests = 0;
  /** Refusal of all requests since the endpoint was closed. */
  #closed: BalancerRefusal | undefined;

  /** @param adoptions processes of an earlier platform */
  constructor(endpoint: EndpointRecord, context: WorkerPoolContext, adoptions: readonly Adoption[] = []) {
    super(endpoint, context);
    this.#settings = routeSettings(endpoint);
    this.#waiting = new WaitingRoom(context.realClock, (length) => context.meter.setDepth(length));
    this.workers.adopt(adoptions);
    this.adapt();
  }

  get settings(): RouteSettings {
    return this.#settings;
  }

  override update(endpoint: EndpointRecord, options: { replaceWorkers: boolean }): void {
    this.#settings = routeSettings(endpoint);
    // Scaled-down workers belong to the previous container.
    if (options.replaceWorkers) this.#scaledDown.clear();
    super.update(endpoint, options);
  }

  /** Refuses waiting requests and stops all workers. Requests in progress may finish within the grace time of workers. */
  override async close(reason: string, options?: CloseOptions): Promise<void> {
    this.#closed = options?.keepWorkers ? restarting() : shuttingDown(reason);
    await Promise.all([super.close(reason, options), this.#waiting.refuseAll(this.#closed)]);
    // Those of the workers that run on.
    for (const backend of this.#backends.values()) this.#release(backend);
  }

  /**
   * Reserves a worker for a request: at once if one is ready, or as soon as one becomes ready. Starts a worker if there is none.
   *
   * @throws BalancerRefusal if no worker becomes ready in time, or if the worker that the request requires no longer exists
   */
  reserve(affinity: Affinity | undefined, onDisconnect: OnDisconnect): Reservation | Promise<Reservation> {
    if (this.#closed) throw this.#closed;
    const choice = chooseWorker(this.#backends.values(), affinity);
    if (choice instanceof Backend && !this.#waiting.isBehindOthers(affinity)) return this.#assign(choice);
    if (choice === 'gone' && !this.#mayBecomeReady(affinity)) throw workerGone(affinity?.workerId ?? '');
    const required = requirementOf(affinity);
    const turn = this.#waiting.wait(affinity, {
      ms: required ? AFFINITY_WAIT_MS : ROUTE_WAIT_MS,
      timeoutError: () => (required ? workerTimeout(required.workerId) : noWorkers()),
      onDisconnect,
    });
    this.changed();
    return turn;
  }

  protected waitingSince(horizon: number): number[] {
    return this.#waiting.since(horizon);
  }

  /** Connects to the new process. Requests go to it once its server reports that it is ready. */
  processStarted(worker: Worker, running: RunningWorker): void {
    const backend = this.#backends.get(worker.id) ?? new Backend(worker, this.context.realClock);
    this.#backends.set(worker.id, backend);
    this.#release(backend);
    backend.process = running;
    this.#connect(backend, running).catch((error: unknown) => {
      if (backend.process === running)
        this.workers.replace(worker, `its address is unknown: ${(error as Error).message}`);
    });
  }

  async #connect(backend: Backend, running: RunningWorker): Promise<void> {
    const { worker } = backend;
    const { port, healthPorts, healthPath } = routeSettings(worker.endpoint);
    const addressesOf = (ports: readonly number[]) => Promise.all(ports.map((one) => running.address(one)));
    // Imported with the first load-balanced worker. This is the largest module of the platform, and many users never need it.
    const [{ Pool }, address, healthAddresses] = await Promise.all([
      import('./undiciPool.ts'),
      running.address(port),
      addressesOf(healthPorts),
    ]);
    // The process ended in the meantime.
    if (backend.process !== running) return;
    const watch = new HealthWatch({
      addresses: healthAddresses,
      path: healthPath,
      clock: this.context.realClock,
      onChange: (state, finding) => {
        if (state === 'ready') worker.markReady();
        // A worker at a breakpoint does not respond.
        else if (!worker.debugged) worker.markNotReady(finding, { sick: state === 'sick' });
      },
      onSlow: (finding) => worker.note({ kind: 'stillStarting', finding, advice: SLOW_START_ADVICE }),
      mayExpire: () => !worker.debugged,
      onExpired: (finding) => this.workers.replace(worker, `it did not become ready in time: ${finding}`),
    });
    backend.server = { address, pool: new Pool(originOf(address), POOL_OPTIONS), watch };
  }

  standbyChanged(worker: Worker, frozen: boolean): void {
    const watch = this.#backends.get(worker.id)?.server?.watch;
    if (frozen) watch?.suspend();
    else watch?.resume();
  }

  debuggedChanged(worker: Worker): void {
    this.#backends.get(worker.id)?.onDebuggedChanged();
  }

  async drain(worker: Worker): Promise<void> {
    const backend = this.#backends.get(worker.id);
    if (!backend) return;
    const { realClock, graceMs } = this.context;
    await new Promise<void>((resolve) => {
      const cancel = realClock.after(graceMs, resolve);
      void backend.idle().then(() => {
        cancel();
        resolve();
      });
    });
  }

  workerEnding(): void {
    // A draining worker receives no new requests and finishes its current ones.
  }

  /** Releases the server. Requests in progress end when their connections break. */
  processEnded(worker: Worker): void {
    const backend = this.#backends.get(worker.id);
    if (backend) this.#release(backend);
  }

  workerEnded(worker: Worker): void {
    const backend = this.#backends.get(worker.id);
    if (backend) this.#release(backend);
    this.#backends.delete(worker.id);
    if (!worker.retired) this.#rememberScaledDown(worker.id);
    this.changed();
  }

  #rememberScaledDown(workerId: string): void {
    this.#scaledDown.add(workerId);
    const [oldest] = this.#scaledDown;
    if (this.#scaledDown.size > MAX_RESUMABLE && oldest !== undefined) this.#scaledDown.delete(oldest);
  }

  #mayBecomeReady(affinity: Affinity | undefined): boolean {
    return this.#canResume(affinity) || this.workers.find(affinity?.workerId ?? '')?.starting === true;
  }

  #canResume(affinity: Affinity | undefined): boolean {
    return affinity?.mode === 'resume' && this.#scaledDown.has(affinity.workerId);
  }

  protected dispatch(): void {
    const isAnyReady = [...this.#backends.values()].some(({ ready }) => ready);
    const give = ({ affinity, give: resolve }: Waiting<Reservation>): void => {
      const choice = chooseWorker(this.#backends.values(), affinity);
      if (choice instanceof Backend) resolve(this.#assign(choice));
    };
    const more = this.#waiting.answer((required) => {
      if (!required) return isAnyReady ? give : undefined;
      const { workerId } = required;
      if (this.#backends.get(workerId)?.ready) return give;
      const worker = this.workers.find(workerId);
      if (worker?.frozen || (!worker && this.#canResume(required))) this.workers.revive(workerId);
      else if (!worker) return ({ refuse }) => refuse(workerGone(workerId));
      return undefined;
    });
    if (more) this.changed();
  }

  #assign(backend: Backend): Reservation {
    const { server, id } = backend;
    if (!server) throw new Error(`worker ${id} has no server`);
    const requestId = String(++this.#requests);
    backend.lastAssigned = this.#requests;
    backend.begin(requestId);
    this.changed();
    return {
      workerId: id,
      server,
      clock: backend.clock,
      markUpgraded: () => {
        backend.markUpgraded(requestId);
        this.changed();
      },
      end: (failure) => {
        if (failure) backend.worker.note({ kind: 'requestFailed', reason: failure.message });
        backend.finish(requestId, failure === undefined);
        this.changed();
      },
    };
  }

  #release(backend: Backend): void {
    const { server } = backend;
    // The worker receives no more requests, because another process may use its ports from now on.
    backend.process = undefined;
    backend.server = undefined;
    server?.watch.close();
    // Requests in progress fail with their own errors.
    void server?.pool.destroy();
  }
}

/** Returns the origin of the HTTP server at an address, such as `http://127.0.0.1:80`. */
function originOf({ host, port }: Address): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Advice for a worker whose start takes long, for example because its server listens on a port that is not probed. */
const SLOW_START_ADVICE =
  'its server must listen on the port in the PORT variable and return 200 from its health path once it is ready';

/**
 * The balancer enforces its own time limits. Idle connections close before the server closes them, so that no request is sent on a closing
 * connection.
 */
const POOL_OPTIONS = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 60_000 };
