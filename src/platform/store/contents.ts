import type { Store } from './store.ts';

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
