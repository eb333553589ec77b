import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import type { WorkerView } from '../domain/worker.ts';
import type { CloseOptions } from './workerPool.ts';
import type { DebugListener, DebugRequest } from './debugSession.ts';

/** A running endpoint. */
export interface LiveEndpoint {
  /** Current configuration. */
  readonly endpoint: EndpointRecord;
  /** Returns the active workers. Workers that are stopping are not active. */
  views(): WorkerView[];
  /** Number of workers on standby, frozen for a fast start. */
  readonly standby: number;
  /** Number of further workers that the endpoint needs but this machine cannot start yet. They are THROTTLED, and have no view. */
  readonly waiting: number;
  /** Returns the releases, newest first. */
  releases(): ReleaseRecord[];
  /** Returns whether the worker belongs or belonged to the endpoint. */
  isKnownWorker(workerId: string): boolean;
  /** Applies a new configuration. `replaceWorkers` is true if the current workers are outdated. */
  update(endpoint: EndpointRecord, options: { replaceWorkers: boolean }): void;
  /** Replaces the processes of all workers. Returns the number of workers that restart now, and of those that finish their work first. */
  renewWorkers(reason: string): { restarted: number; finishing: number };
  /** Debugs a worker while the returned function is not called. See `DebugSession`. @throws Refusal 404 for an unknown worker */
  debug(request: DebugRequest, listener: DebugListener): () => void;
  /** Stops all workers, or lets them run on for the next platform. */
  close(reason: string, options?: CloseOptions): Promise<void>;
}
