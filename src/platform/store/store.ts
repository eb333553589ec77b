import type { JobStatus } from '../../contract/job.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { JobRecord } from '../domain/job.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import type { WorkerCost } from '../domain/usage.ts';
import type { LogStore } from './logStore.ts';
import type { UsageStore } from './usageStore.ts';

/** A worker: it may have several runs, one after the other. Its logs outlive it. */
export interface WorkerRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly createdAt: number;
}

/** One process of a worker, for as long as it is up. */
export interface RunRecord {
  /** Random; also in the environment of the process, so that it can be told from a foreign one. */
  readonly id: string;
  readonly endpointId: string;
  readonly workerId: string;
  readonly pid: number;
  /** When the operating system says the process started, as it words it. */
  readonly processStart: string | undefined;
  readonly startedAt: number;
  /** When the platform last knew it to be up. */
  readonly lastSeenAt: number;
}

export type JobCounts = Readonly<Record<JobStatus, number>> & { readonly retries: number };

/** The jobs, and the chunks of output that have not been asked for yet. */
export interface JobStore {
  insertJob(job: JobRecord): void;
  updateJob(job: JobRecord): void;
  getJob(endpointId: string, id: string): JobRecord | undefined;
  /** The job that has waited longest. */
  nextQueuedJob(endpointId: string): JobRecord | undefined;
  /** When the jobs in the queue entered it, oldest first, without those of low priority. */
  queuedSince(endpointId: string, limit: number): number[];
  /** Jobs with that status, oldest first. */
  listJobs(endpointId: string, status: JobStatus): JobRecord[];
  countJobs(endpointId: string): JobCounts;
  /** Removes the jobs that expired by then and returns them. */
  removeExpiredJobs(now: number): JobRecord[];
  /** The moment the next job expires. */
  nextExpiry(): number | undefined;

  appendChunk(jobId: string, output: unknown): void;
  /** The chunks that have not been taken yet, in order; they are gone afterwards. */
  takeChunks(jobId: string): unknown[];
}

/** The endpoints and their releases. */
export interface EndpointStore {
  insertEndpoint(endpoint: EndpointRecord): void;
  updateEndpoint(endpoint: EndpointRecord): void;
  /** In the order they were created. */
  listEndpoints(): EndpointRecord[];
  /** Forgets the endpoint, its releases and its jobs. Usage stays: it has been spent. */
  deleteEndpoint(id: string): void;
  insertRelease(release: ReleaseRecord): void;
  /** Newest first. */
  listReleases(endpointId: string): ReleaseRecord[];
}

/**
 * What the platform remembers. What is written survives the end of this process when the call returns, and the end of the
 * machine when `durable` resolves; calls inside one `transaction` do so together or not at all. Times are milliseconds since the epoch.
 */
export interface Store extends EndpointStore, JobStore, UsageStore {
  transaction<T>(work: () => T): T;
  /** Resolves when everything written before is on disk. Callers at the same time share the wait. */
  durable(): Promise<void>;
  close(): void;
  /** Kept apart: it takes no part in transactions and `durable`. */
  readonly logs: LogStore;

  /** Forgets the workers whose endpoint is no longer there, and their logs. */
  deleteStrayWorkers(): void;

  insertWorker(worker: WorkerRecord): void;
  getWorker(endpointId: string, id: string): WorkerRecord | undefined;
  /** Its usage begins. */
  insertRun(run: RunRecord & WorkerCost): void;
  /** Marks every run that is up as seen. */
  touchRuns(now: number): void;
  /** Forgets the run; its usage ends. */
  endRun(id: string, endedAt: number): void;
  /** Runs that nobody ended: after a start, those a killed platform left behind. */
  openRuns(): RunRecord[];
}

/** The data was written by a newer version of the platform. */
export class NewerSchemaError extends Error {
  constructor(found: number, known: number) {
    super(`it has schema version ${found}, this platform knows versions up to ${known}`);
    this.name = 'NewerSchemaError';
  }
}
