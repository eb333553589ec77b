import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import type { WorkerView } from '../domain/worker.ts';

/** An endpoint with everything about it that is alive. */
export interface LiveEndpoint {
  /** As it is configured now. */
  readonly endpoint: EndpointRecord;
  /** The active workers: those that are ending are not among them. */
  views(): WorkerView[];
  /** How many workers stand by, frozen, for a fast start. */
  readonly standby: number;
  /** How many more workers it needs that this machine cannot start yet. They are THROTTLED, and have no view. */
  readonly waiting: number;
  /** Its releases, newest first. */
  releases(): ReleaseRecord[];
  /** Whether it has, or once had, that worker. */
  hasHad(workerId: string): boolean;
  /** Goes on with another configuration; `replaceWorkers` when workers of the old one are outdated. */
  update(endpoint: EndpointRecord, options: { replaceWorkers: boolean }): void;
  /** Ends all workers. */
  close(reason: string): Promise<void>;
}
