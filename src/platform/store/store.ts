import type { AccountStore } from './accountStore.ts';
import type { EndpointStore } from './endpointStore.ts';
import type { ImageStore } from './imageStore.ts';
import type { JobStore } from './jobStore.ts';
import type { LogStore } from './logStore.ts';
import type { ResourceStores } from './resourceStore.ts';
import type { RunStore } from './runStore.ts';
import type { Transaction } from './transaction.ts';
import type { UsageStore } from './usageStore.ts';
import type { WebhookStore } from './webhookStore.ts';

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
