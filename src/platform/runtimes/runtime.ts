import type { ProcessExit } from '../../contract/systemLines.ts';
import type { StartProgress } from '../domain/startProgress.ts';
import type { RunSpec } from './runSpec.ts';

/**
 * Identifies a run, also after a restart of the platform: a JSON value that the store keeps. Only the runtime that made it reads it. It
 * holds no secret.
 */
export type RunHandle = unknown;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A worker that is up. */
export interface RunningWorker {
  readonly handle: RunHandle;
  /** Names it in logs, such as `process 123`. */
  readonly label: string;
  /** Resolves when it has ended and all its output has been handed over. */
  readonly exited: Promise<ProcessExit>;
  /**
   * Where to connect to one of the ports of its specification.
   *
   * @param port as the worker numbers it
   */
  address(port: number): Promise<Address>;
  /**
   * Asks it and all its descendants to end, and ends them by force after that many ms. Resolves when that is done. A frozen worker can be
   * stopped too.
   */
  stop(graceMs: number): Promise<void>;
  /**
   * Keeps it and all its descendants from running until `thaw`. Resolves when they no longer run. Calls take effect in their order. A
   * worker that cannot be frozen or thawed is ended, and `exited` reports it.
   */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

export interface StartOptions {
  /** Called during the start, when something takes long. */
  readonly onProgress: (progress: StartProgress) => void;
  /** Called with chunks of bytes, from the start until `exited`. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  /** Ends a start that is under way. The worker must not wait for a long pull when it is stopped. */
  readonly signal: AbortSignal;
}

/** Runs workers: as processes of this machine, or on an engine. */
export interface Runtime {
  /** Whether workers can be kept from running for a while. */
  readonly canFreeze: boolean;
  /** The handle of a run before its start. It suffices to find what an interrupted start has left. */
  handleOf(runId: string): RunHandle;
  /**
   * Starts a worker, with the environment of workerEnvironment.ts. A worker that already runs is returned although the start was aborted,
   * because it may have taken work.
   *
   * @throws StartError; the signal's reason once nothing is left of the aborted start
   */
  start(spec: RunSpec, options: StartOptions): Promise<RunningWorker>;
  /** Ends what is left of those runs, and nothing else. Ignores handles that are not its own. Returns how many of its units were ended. */
  endOrphans(handles: readonly RunHandle[]): Promise<number>;
}

/** A worker cannot be started; the message names the thing and the remedy. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}
