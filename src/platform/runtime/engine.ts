import type { CreateEndpointBody } from '../../contract/endpoint.ts';
import type { JobRequest } from '../../contract/job.ts';
import type { Clock } from '../clock.ts';
import { createEndpoint, type FindTemplate } from '../domain/endpoint.ts';
import type { JobRecord } from '../domain/job.ts';
import { notFound } from '../domain/refusal.ts';
import { newEndpointId } from '../ids.ts';
import { WorkerLogs } from '../logs/workerLogs.ts';
import type { Store } from '../store/store.ts';
import { JobBook } from './jobBook.ts';
import type { Runtime } from './runtime.ts';
import { Supervisor } from './supervisor.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly workerUrl: () => string;
  /** Time workers have to end by themselves, in ms. */
  readonly graceMs: number;
  readonly findTemplate: FindTemplate;
}

/** How often running workers are noted as seen: what a killed platform leaves unpaid is at most this long. */
const HEARTBEAT_MS = 5_000;

/** Everything that lives: the endpoints with their workers and jobs. */
export class Engine {
  readonly logs: WorkerLogs;
  readonly jobs: JobBook;
  readonly #options: EngineOptions;
  readonly #supervisors = new Map<string, Supervisor>();
  /** Endpoints that are being deleted, until their workers have ended. */
  readonly #leaving = new Map<Supervisor, Promise<void>>();
  #cancelHeartbeat: (() => void) | undefined;

  constructor(options: EngineOptions) {
    const { store, clock } = options;
    this.#options = options;
    this.logs = new WorkerLogs(store, clock);
    this.jobs = new JobBook(store, clock, (job) => this.#supervisors.get(job.endpointId)?.abandon(job.id));
  }

  /** Takes up where the last platform on this store ended, however it ended. Returns how many processes of it had to be ended. */
  async recover(): Promise<number> {
    const { store, runtime } = this.#options;
    const orphaned = store.openRuns();
    const ended = await runtime.endOrphans(
      orphaned.map(({ id, pid, processStart }) => ({ runId: id, pid, processStart })),
    );
    store.deleteStrayWorkers();
    store.transaction(() => {
      // When it really ended is not known: what was last seen is charged, and not a second more.
      for (const run of orphaned) store.endRun(run.id, run.lastSeenAt);
      for (const { id: endpointId } of store.listEndpoints()) {
        for (const { id } of store.listJobs(endpointId, 'IN_PROGRESS')) {
          this.jobs.apply(endpointId, id, { kind: 'returned' });
        }
      }
    });
    return ended;
  }

  /** Brings every endpoint to life. The worker protocol must be reachable by now. */
  start(): void {
    this.jobs.watchExpiry();
    this.#beat();
    for (const endpoint of this.#options.store.listEndpoints()) {
      this.#supervisors.set(endpoint.id, new Supervisor(endpoint, this.#context()));
    }
  }

  supervisors(): Supervisor[] {
    return [...this.#supervisors.values()];
  }

  /** @throws Refusal 404 */
  supervisor(endpointId: string): Supervisor {
    const supervisor = this.#supervisors.get(endpointId);
    if (!supervisor) throw notFound(`endpoint '${endpointId}'`);
    return supervisor;
  }

  /** @throws Refusal as `createEndpoint` of the domain does */
  createEndpoint(body: CreateEndpointBody): Supervisor {
    const { store, clock, findTemplate } = this.#options;
    const endpoint = createEndpoint(body, { id: newEndpointId(), now: clock.now(), findTemplate });
    store.insertEndpoint(endpoint);
    const supervisor = new Supervisor(endpoint, this.#context());
    this.#supervisors.set(endpoint.id, supervisor);
    return supervisor;
  }

  /** Deletes the endpoint at once; its workers end in their own time. @throws Refusal 404 */
  deleteEndpoint(endpointId: string): void {
    const { store } = this.#options;
    const supervisor = this.supervisor(endpointId);
    this.#supervisors.delete(endpointId);
    const unfinished = [...store.listJobs(endpointId, 'IN_QUEUE'), ...store.listJobs(endpointId, 'IN_PROGRESS')];
    store.transaction(() => {
      // Cancelled first, so that who waits for one of them hears of it.
      for (const { id } of unfinished) this.jobs.apply(endpointId, id, { kind: 'cancelled' });
      store.deleteEndpoint(endpointId);
    });
    const left = supervisor.close('the endpoint was deleted').then(() => {
      this.logs.flush();
      store.deleteStrayWorkers();
      this.#leaving.delete(supervisor);
    });
    this.#leaving.set(supervisor, left);
  }

  /** The supervisor that has this worker, when the secret is its own; also of an endpoint that is being deleted. */
  supervisorOfWorker(endpointId: string, workerId: string, token: string): Supervisor | undefined {
    return [...this.#supervisors.values(), ...this.#leaving.keys()].find(
      (supervisor) => supervisor.endpoint.id === endpointId && supervisor.authenticate(workerId, token),
    );
  }

  /** The job is on disk when this returns. @throws Refusal 404 */
  submit(endpointId: string, request: JobRequest, kind: 'run' | 'runsync'): JobRecord {
    const supervisor = this.supervisor(endpointId);
    const job = this.jobs.submit(endpointId, request, kind);
    supervisor.changed();
    return job;
  }

  cancel(endpointId: string, jobId: string): JobRecord {
    const supervisor = this.supervisor(endpointId);
    const job = this.jobs.cancel(endpointId, jobId);
    supervisor.abandon(jobId);
    return job;
  }

  retry(endpointId: string, jobId: string): JobRecord {
    const supervisor = this.supervisor(endpointId);
    const job = this.jobs.retry(endpointId, jobId);
    supervisor.changed();
    return job;
  }

  /** Cancels every job that is still waiting, and returns how many that were. They can still be read. */
  purge(endpointId: string): number {
    const supervisor = this.supervisor(endpointId);
    const waiting = this.#options.store.listJobs(endpointId, 'IN_QUEUE');
    for (const { id } of waiting) this.jobs.apply(endpointId, id, { kind: 'cancelled' });
    supervisor.changed();
    return waiting.length;
  }

  /** Hands out no more jobs and ends all workers; unfinished jobs stay in the queue. */
  async close(): Promise<void> {
    this.#cancelHeartbeat?.();
    this.jobs.close();
    const closing = this.supervisors().map((supervisor) => supervisor.close('the platform stops'));
    await Promise.all([...closing, ...this.#leaving.values()]);
    this.logs.flush();
  }

  #context() {
    const { jobs, logs } = this;
    return { ...this.#options, jobs, logs };
  }

  #beat(): void {
    const { store, clock } = this.#options;
    this.#cancelHeartbeat = clock.after(HEARTBEAT_MS, () => {
      store.touchRuns(clock.now());
      this.#beat();
    });
  }
}
