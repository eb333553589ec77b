import type { JobRequest, JobStatus } from '../../contract/job.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { GlobalVolumeRecord } from '../domain/globalVolume.ts';
import type { JobRecord } from '../domain/job.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import type { WorkerCost } from '../domain/usage.ts';
import type { AccountStore } from './accountStore.ts';
import type { ImageStore } from './imageStore.ts';
import type { LogStore } from './logStore.ts';
import type { Transaction } from './transaction.ts';
import type { UsageStore } from './usageStore.ts';
import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import type { RegistryRecord } from '../domain/registry.ts';
import type { TemplateRecord } from '../domain/template.ts';

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
  insertJob(job: JobRecord, request: JobRequest): void;
  /** @param before as it is stored */
  updateJob(before: JobRecord, after: JobRecord): void;
  getJob(endpointId: string, id: string): JobRecord | undefined;
  /** The body as it was sent: input, webhook, policy, s3Config and whatever else. @throws Error when there is no such job */
  getRequest(jobId: string): JobRequest;
  /** Forgets the job, its request and its chunks. */
  deleteJob(id: string): void;
  /** The same for all jobs of an endpoint, and how many there were. */
  deleteJobsOf(endpointId: string): void;
  /** The jobs that have waited longest. */
  queuedJobs(endpointId: string, limit: number): JobRecord[];
  /** When the jobs in the queue entered it, oldest first, without those of low priority. */
  queuedSince(endpointId: string, limit: number): number[];
  /** When the last of the jobs in the queue entered it; 0 when there is none. */
  lastQueuedAt(endpointId: string): number;
  /** Ids of jobs with that status which were queued by then, oldest first. */
  jobIds(
    endpointId: string,
    status: JobStatus,
    query: { readonly queuedBy?: number; readonly limit?: number },
  ): string[];
  countJobs(endpointId: string): JobCounts;
  /** Jobs that have expired by then, in whatever status. */
  expiredJobs(now: number, limit: number): Pick<JobRecord, 'id' | 'endpointId'>[];
  /** The moment the next job expires. */
  nextExpiry(): number | undefined;

  appendChunk(jobId: string, output: unknown): void;
  /** The next chunks, in order, of at most that many characters of JSON in sum, or one; they are gone afterwards. */
  takeChunks(jobId: string, maxLength?: number): unknown[];
}

/** A webhook that has not been delivered yet. */
export interface WebhookDelivery {
  readonly id: number;
  readonly jobId: string;
  readonly url: string;
  /** JSON */
  readonly body: string;
  /** How often it was tried in vain. */
  readonly attempts: number;
  readonly dueAt: number;
}

/** The same without its body, which may be long and is read when it is sent. */
export interface WaitingWebhook extends Omit<WebhookDelivery, 'body'> {
  /** Origin of the address; what stands before its path when it was written by an earlier version. */
  readonly receiver: string;
}

/** Webhooks on their way out: written together with what they tell, so that none is forgotten when the platform ends. */
export interface WebhookStore {
  insertWebhook(delivery: Omit<WebhookDelivery, 'id' | 'attempts'>): void;
  /** The delivery that is due first, apart from some and from all to some receivers. */
  nextWebhook(except?: {
    readonly ids: readonly number[];
    readonly receivers: readonly string[];
  }): WaitingWebhook | undefined;
  /** @throws Error when there is no such delivery */
  getWebhookBody(id: number): string;
  /** Counts a failed attempt, and sets when the next is due. */
  postponeWebhook(id: number, dueAt: number): void;
  /** What is due later than that becomes due then. */
  limitWebhooksDueAt(latest: number): void;
  deleteWebhook(id: number): void;
}

/** The endpoints and their releases. */
export interface EndpointStore {
  insertEndpoint(endpoint: EndpointRecord): void;
  updateEndpoint(endpoint: EndpointRecord): void;
  /** In the order they were created. */
  listEndpoints(): EndpointRecord[];
  /** Keeps the endpoint where nothing reads it, because it cannot be brought to life. */
  setEndpointAside(id: string, reason: string): void;
  /** Forgets the endpoint, its releases and its jobs. Usage stays: it has been spent. */
  deleteEndpoint(id: string): void;
  insertRelease(release: ReleaseRecord): void;
  /** Newest first. */
  listReleases(endpointId: string): ReleaseRecord[];
}

/** Records of one kind, each with an id of its own. */
export interface Collection<Entry extends { readonly id: string }> {
  insert(entry: Entry): void;
  /** Replaces the entry with that id; without one nothing happens. */
  update(entry: Entry): void;
  /** @returns whether there was one */
  delete(id: string): boolean;
  get(id: string): Entry | undefined;
  /** In the order they were inserted. */
  list(): Entry[];
}

/** What an account has beside its endpoints. */
export interface ResourceStore {
  readonly templates: Collection<TemplateRecord>;
  readonly registries: Collection<RegistryRecord>;
  readonly networkVolumes: Collection<NetworkVolumeRecord>;
  readonly globalVolumes: Collection<GlobalVolumeRecord>;
}

/**
 * What the platform remembers. What is written survives the end of this process when the call returns, and the end of the
 * machine when `durable` resolves; calls inside one `transaction` do so together or not at all. Times are milliseconds since the epoch.
 */
export interface Store extends AccountStore, EndpointStore, ImageStore, JobStore, UsageStore, WebhookStore {
  transaction<T>(work: (transaction: Transaction) => T): T;
  /** Resolves when everything written before is on disk. Callers at the same time share the wait. */
  durable(): Promise<void>;
  /** Brings everything written before to disk within some ms, for callers who need not wait for that. */
  durableSoon(): void;
  /** Resolves when the disk is not waited for any more: what is written then is brought to it together. undefined when it is not now. */
  quiet(): Promise<void> | undefined;
  /** Writes all there is at this moment, logs too, into a file that is not there yet. @throws the store's error, such as a full disk */
  writeSnapshot(file: string): void;
  close(): void;
  /** Kept apart: it takes no part in transactions and `durable`. */
  readonly logs: LogStore;

  /** What that account has beside its endpoints; it knows nothing of what others have. */
  resourcesOf(accountId: string): ResourceStore;
  /** The templates of all accounts that are for everybody. */
  listPublicTemplates(): TemplateRecord[];

  /** Forgets the workers whose endpoint is no longer there, and their logs. */
  deleteStrayWorkers(): void;

  /** One that is known already, and starts again, stays as it is. */
  insertWorker(worker: WorkerRecord): void;
  getWorker(endpointId: string, id: string): WorkerRecord | undefined;
  /** A process is about to be started: should we be killed meanwhile, it can be found by the run's id. */
  announceRun(run: Omit<RunRecord, 'pid' | 'processStart'>): void;
  /** It is up, and its usage begins. */
  insertRun(run: RunRecord & WorkerCost): void;
  /** Marks every run that is up as seen. */
  touchRuns(now: number): void;
  /** Forgets the run; its usage ends. */
  endRun(id: string, endedAt: number): void;
  /** Runs that nobody ended: after a start, those a killed platform left behind. */
  openRuns(): RunRecord[];
}

/** A file of the store cannot be opened. */
export class StoreFileError extends Error {
  readonly file: string;
  /** Another process has it. */
  readonly locked: boolean;

  constructor(file: string, cause: Error & { readonly errcode?: number }) {
    super(cause.message, { cause });
    this.name = 'StoreFileError';
    this.file = file;
    this.locked = cause.errcode === SQLITE_BUSY;
  }
}

/** SQLite's result code for a file that another process has locked. */
const SQLITE_BUSY = 5;

/** The data was written by a newer version of the platform. */
export class NewerSchemaError extends Error {
  constructor(found: number, known: number) {
    super(`it has schema version ${found}, this platform knows versions up to ${known}`);
    this.name = 'NewerSchemaError';
  }
}
