import type { EndpointStore } from './endpointStore.ts';
import type { JobStore } from './jobStore.ts';
import type { LogStore } from './logStore.ts';
import type { MetricStore } from './metricStore.ts';
import type { RunStore, TraceStore } from './runStore.ts';
import type { AccountRecord, ApiKeyRecord } from '../domain/account.ts';
import type { GlobalVolumeRecord, NetworkVolumeRecord } from '../domain/networkVolume.ts';
import type { RegistryRecord } from '../domain/registry.ts';
import type { TemplateRecord } from '../domain/template.ts';
import type { Charge, Usage, UsageKind } from '../domain/metering.ts';

/**
 * The state of the platform. A write survives the end of this process once its call returns, and a crash of the machine once `flush`
 * resolves. The calls inside one `transaction` are stored together or not at all. Times are milliseconds since the epoch.
 */
export interface Store {
  transaction<T>(work: (transaction: Transaction) => T): T;
  /**
   * Checks a part of the records, and moves unusable ones to a table that the platform does not read. Returns false once all are checked.
   * Unusable records that are not checked yet are not found.
   */
  checkPart(): boolean;
  /** Resolves once all earlier writes are on disk. Concurrent callers share one fsync. */
  flush(): Promise<void>;
  /** Brings all earlier writes to disk within milliseconds, for callers that need not wait. */
  flushSoon(): void;
  /** Resolves once no fsync is pending, so that later writes share the next one. Returns undefined if none is pending now. */
  pendingFlush(): Promise<void> | undefined;
  /**
   * Resolves once all earlier writes are on disk and, unless a snapshot is being written, copied from the write-ahead log into the database.
   * Long work calls this now and then, because the commit that fills the log copies all of it.
   */
  emptyLog(): Promise<void>;
  /**
   * Writes the contents of one moment, including logs, into a new file. Other calls continue in the meantime.
   *
   * @param begin called immediately before that moment
   * @throws the store's error, such as a full disk
   */
  writeSnapshot(file: string, begin?: () => void): Promise<void>;
  close(): void;

  readonly accounts: AccountStore;
  readonly endpoints: EndpointStore;
  readonly jobs: JobStore;
  readonly runs: RunStore;
  readonly gatePorts: GatePortStore;
  readonly resources: ResourceStores;
  readonly images: ImageStore;
  readonly pulledImages: PulledImageStore;
  readonly largeValues: LargeValueStore;
  readonly usage: UsageStore;
  readonly metrics: MetricStore;
  readonly traces: TraceStore;
  readonly webhooks: WebhookStore;
  /** The logs are in a separate file. Transactions and `flush` do not include them. */
  readonly logs: LogStore;
}

/** Ports at which workers in containers and pods find the platform, by the address of this machine. */
export interface GatePortStore {
  get(address: string): number | undefined;
  set(address: string, port: number): void;
}

/**
 * Images that this platform pulled onto its engine, by the engine's ID. Other programs use the same engine, so the platform offers to remove
 * only these images.
 */
export interface PulledImageStore {
  /** Does nothing if the image is known. */
  add(id: string, pulledAt: number): void;
  has(id: string): boolean;
  list(): string[];
  delete(id: string): void;
}

/** Values that are too large for one row and one transaction. They are stored before the rows that refer to them. */
export interface LargeValueStore {
  /**
   * Stores a large value in several transactions, and resolves with the result of `use`, whose transaction refers to the value. Without a
   * reference, the value is deleted later. `use` gets any other value at once.
   */
  keep<Result>(value: unknown, use: (kept: unknown) => Promise<Result>): Promise<Result>;
  /** Deletes a part of the values without a reference. Returns true if there was one, so that more may be left. */
  deleteUnused(): boolean;
}

/** Thrown if a file of the store cannot be opened. */
export class StoreFileError extends Error {
  readonly file: string;
  /** True if another process has locked the file. */
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

/** Thrown if another version of the platform has written the data, and this one cannot read it. */
export class OtherSchemaError extends Error {
  constructor(found: number, first: number, latest: number) {
    const supported = first === latest ? `version ${latest}` : `versions ${first} to ${latest}`;
    super(`it has schema version ${found}, but this platform supports ${supported}`);
    this.name = 'OtherSchemaError';
  }
}

/** Users, teams, team memberships, and API keys. */
export interface AccountStore {
  /** Does nothing if the account exists. */
  insert(account: AccountRecord): void;
  get(id: string): AccountRecord | undefined;
  /** Returns the accounts in order of creation. */
  list(): AccountRecord[];
  /** Does nothing if the user is a member already. */
  insertMember(teamId: string, userId: string): void;
  deleteMember(teamId: string, userId: string): void;
  isMember(teamId: string, userId: string): boolean;
  /** Returns the IDs of the members, in the order in which they joined. */
  members(teamId: string): string[];
  insertApiKey(key: ApiKeyRecord): void;
  getApiKey(id: string): ApiKeyRecord | undefined;
  /** Returns the keys of one account, or of all accounts, in order of creation. */
  apiKeys(accountId?: string): ApiKeyRecord[];
  /** @returns true if the key existed */
  deleteApiKey(id: string): boolean;
}

/** An edited image. Times are milliseconds since the epoch. */
export interface StoredImage {
  /** Random name that cannot be guessed. Anyone with the name may see the image. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Edited images. They are in the same database as all other data. An image, its job, and its charge are written together or not at all,
 * and a copy of the data includes the images.
 */
export interface ImageStore {
  insert(image: StoredImage): void;
  get(name: string): StoredImage | undefined;
  /** Removes the images that have expired, with their bytes. */
  removeExpired(now: number): void;
  /** Returns the time at which the next image expires. */
  nextExpiry(): number | undefined;
}

/** A webhook that has not been delivered yet. */
interface WebhookDelivery {
  readonly id: number;
  readonly jobId: string;
  /** Account of the job's queue. Empty if it is unknown. */
  readonly accountId: string;
  readonly url: string;
  /** Body as JSON. */
  readonly body: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly dueAt: number;
}

/** A pending webhook without its body, which can be long and is read only when it is sent. */
export interface WaitingWebhook extends Omit<WebhookDelivery, 'body'> {
  /** Origin of the URL. */
  readonly receiver: string;
}

/** Pending webhooks. They are stored in the transaction of the change that they report, so that none is lost. */
export interface WebhookStore {
  insert(delivery: Omit<WebhookDelivery, 'id' | 'attempts'>): void;
  /** Returns the delivery that is due first, except the given IDs and receivers. */
  next(except?: { readonly ids: readonly number[]; readonly receivers: readonly string[] }): WaitingWebhook | undefined;
  /** @throws Error if the delivery does not exist */
  body(id: number): string;
  /** Counts a failed attempt, and sets the time of the next one. */
  postpone(id: number, dueAt: number): void;
  /** Moves later deliveries forward to this time. */
  limitDueAt(latest: number): void;
  delete(id: number): void;
}

/** Records of one kind, with unique IDs. */
export interface Collection<Entry extends { readonly id: string }> {
  insert(entry: Entry): void;
  /** Replaces the entry with the same ID. Does nothing if there is none. */
  update(entry: Entry): void;
  /** @returns true if the entry existed */
  delete(id: string): boolean;
  get(id: string): Entry | undefined;
  /** Returns the entries in order of insertion. */
  list(): Entry[];
}

/** Resources of an account, except its endpoints. */
export interface ResourceStore {
  readonly templates: Collection<TemplateRecord>;
  readonly registries: Collection<RegistryRecord>;
  readonly networkVolumes: Collection<NetworkVolumeRecord>;
  readonly globalVolumes: Collection<GlobalVolumeRecord>;
}

/** The resources of all accounts. */
export interface ResourceStores {
  /** Returns the resources of one account. They exclude those of every other account. */
  of(accountId: string): ResourceStore;
  /** Returns the public templates of all accounts. */
  listPublicTemplates(): TemplateRecord[];
}

/** Selects sums of usage in [from, to). The bounds are whole hours, or whole days for the grain `day`. */
export interface UsageQuery {
  /** Account that pays. Omitted for the owner of the platform. */
  readonly accountId?: string | undefined;
  readonly grain: 'hour' | 'day';
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly UsageKind[];
  /** Selects the sum of all resources, under the resource ID ''; the sum of each resource; or the sum of one resource. */
  readonly of: 'account' | 'eachResource' | { readonly resourceId: string };
}

/**
 * Usage and charges. Call these methods in the transaction of the change that causes them, so that the charges match the changes
 * exactly.
 */
export interface UsageStore {
  /** Starts a cost that accrues until `end`, even while the platform is not running. */
  start(usage: Usage): void;
  /** Ends all usage of a source. */
  end(sourceId: string, endedAt: number): void;
  /** Records a single charge. */
  record(charge: Charge): void;
  /**
   * Adds some usage of past hours to the stored sums, within a few milliseconds. This only makes `sums` faster and does not change its
   * result. Returns true if there was such usage, so that more may be left.
   */
  settle(now: number): boolean;
  /**
   * Yields the usage up to now, summed by grain. `at` is the start of the hour or day. For usage that still accrues, it is the start of
   * the hour. A sum may have several parts. Finish the iteration before the next write.
   */
  sums(query: UsageQuery, now: number): Iterable<Charge>;
}

/** Initial contents of a store: the data that it has, nothing, or the data of a snapshot. */
export type Contents = 'kept' | 'none' | SnapshotContents;

export interface SnapshotContents {
  /** Path of the snapshot file. */
  readonly snapshot: string;
  /** `keep` refuses a snapshot whose secrets were encrypted with another key. `drop` drops those secrets. */
  readonly secrets: 'keep' | 'drop';
  /** True to start endpoints and send pending webhooks. Otherwise endpoints are paused. */
  readonly start: boolean;
  /** Returns true if an endpoint of that account with that image is allowed to start. */
  readonly mayStart: (accountId: string, image: string) => boolean;
}

/** The file is not a valid snapshot. */
export class SnapshotError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SnapshotError';
  }
}

/** Opens the store of the platform. */
export interface Stores {
  /** @throws SnapshotError; OtherSchemaError; StoreFileError; StartFailure for a data directory */
  open(contents: Contents): Store;
  /** Imports a snapshot into a temporary store in a directory. @throws SnapshotError; OtherSchemaError; StoreFileError */
  tryImport(contents: SnapshotContents, directory: string): void;
}

/**
 * A current transaction. Responses, events, released leases, and webhooks report stored state, so they must not happen before the
 * commit. A failed transaction reports nothing, and can be retried.
 */
export interface Transaction {
  /**
   * Runs an effect once the outermost transaction is committed, in the order of the calls. A failed transaction drops its effects. An
   * effect must not throw, because the transaction has succeeded and its caller must not see an error.
   */
  afterCommit(effect: () => void): void;
  /** Runs an effect once the outermost transaction has failed, to undo changes outside the database, such as a new directory. */
  afterRollback(effect: () => void): void;
}
