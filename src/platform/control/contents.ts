import type { EndpointRecord } from '../domain/endpoint.ts';
import type { Charge } from '../domain/metering.ts';

/** What the control API does with everything that is stored, past the domain. */
export interface StoredContents {
  /** Stores the changes of the work together or not at all. */
  transaction<T>(work: () => T): T;
  /** Resolves once all earlier writes are on disk. */
  flush(): Promise<void>;
  /** All endpoints, with those that the current transaction has created and that start after its commit. */
  endpoints(): EndpointRecord[];
  /** Adds usage that is paid once. */
  charge(charge: Charge): void;
  /** Writes everything into a new file, with the log lines that have not been stored yet. @throws the store's error */
  writeSnapshot(file: string): void;
}
