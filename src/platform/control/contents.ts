import type { EndpointRecord } from '../domain/endpoint.ts';
import type { Charge } from '../domain/metering.ts';

/** Access of the control API to all stored data. It bypasses the domain. */
export interface StoredContents {
  /** Runs the work in one transaction. */
  transaction<T>(work: () => T): T;
  /** Resolves once all earlier writes are on disk. */
  flush(): Promise<void>;
  /** Returns all endpoints, including endpoints that the current transaction creates and that start after its commit. */
  endpoints(): EndpointRecord[];
  /** Records a one-time charge. */
  charge(charge: Charge): void;
  /** Writes all data to a new file, including buffered log lines. @throws the store's error */
  writeSnapshot(file: string): Promise<void>;
}
