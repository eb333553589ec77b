import type { Readable, Writable } from 'node:stream';
import type { DebugLanguage, DebugProblem } from '../../contract/control/controlWorkers.ts';
import type { StartProblem } from '../../contract/startProblem.ts';
import type { ProcessExit, SystemLine } from '../../contract/systemLines.ts';
import type { PulledLayer } from '../domain/workerTraceEvent.ts';
import type { StartProgress } from '../domain/startProgress.ts';
import type { ImageServices } from './imageServices.ts';
import type { OpenRuns } from './leftoverSchedule.ts';
import type { ImageDigest, RunDebug, RunSpec } from './runSpec.ts';

/** Position in the output of a run up to which it was delivered. A JSON value that only the runtime reads. */
export type OutputPosition = unknown;

/**
 * Identifies a run, even after a restart of the platform. It is a JSON value without secrets, and the store saves it. Only the runtime that
 * created it reads it.
 */
export type RunHandle = unknown;

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface RunningWorker {
  readonly handle: RunHandle;
  /** Name in logs, such as `process 123`. */
  readonly label: string;
  /** Resolves once the worker has ended and all its output has been delivered. */
  readonly exited: Promise<ProcessExit>;
  /** Whether the worker ended before it was adopted, at an unknown time. Default: no. */
  readonly hadEnded?: boolean;
  /** Resolves with the address of one of the ports of its specification. @param port in the worker's own numbering */
  address(port: number): Promise<Address>;
  /**
   * Asks the worker and all its descendants to exit, and kills them after `graceMs` ms. Resolves once they have ended. A frozen worker can
   * be stopped too.
   */
  stop(graceMs: number): Promise<void>;
  /** Kills the worker and all its descendants, as a crash would. Resolves once they have ended. Omitted if the runtime only stops workers. */
  kill?(): Promise<void>;
  /**
   * Stops following the worker and lets it run, so that the next platform can adopt it. From then on, neither output nor the exit is
   * reported. Omitted for a worker that ends with the platform.
   */
  leave?(): void;
  /**
   * Suspends the worker and all its descendants until `thaw`. Resolves once they are suspended. Calls take effect in their order. A worker
   * that cannot be frozen or thawed is ended, and `exited` reports it.
   */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** The debugger of the worker; omitted if it is opened with `exec`, or the runtime cannot debug its workers. */
  readonly debugger?: WorkerDebugger;
  /**
   * Runs a program beside the worker, inside its container or pod. Omitted for a worker that runs as a process on this machine. The program
   * ends with the container. Once the signal is aborted or the connection is lost, it is killed with its descendants if the image has `sh`
   * and `grep`. Otherwise, it only loses its input and output.
   *
   * @throws ExecError if the program cannot be started; the signal's reason
   */
  exec?(request: ExecRequest, signal: AbortSignal): Promise<ExecSession>;
}

/** Size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ExecRequest {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Omitted for a program without a terminal, whose bytes stay as they are. */
  readonly terminal?: TerminalSize | undefined;
}

/** A running program beside a worker. Both outputs share a connection, so the reader of one must not leave the other full. */
export interface ExecSession {
  /**
   * Ending it closes the standard input of the program. Clusters before Kubernetes 1.30 cannot close the input of a program without a
   * terminal, which waits for more then.
   */
  readonly stdin: Writable;
  /**
   * The output; with a terminal, it contains stderr. It ends with the program, and fails if the connection to the engine is lost. Podman can
   * lose output that is not read before the program ends.
   */
  readonly stdout: Readable;
  /** Empty with a terminal. */
  readonly stderr: Readable;
  /** Changes the size of the terminal. Does nothing without one. */
  resize(size: TerminalSize): Promise<void>;
  /** Resolves with the exit code after the output has ended; with undefined if the connection was lost, or the signal was aborted. */
  readonly exited: Promise<number | undefined>;
}

/** The debugger of one process of a worker. */
export interface WorkerDebugger {
  /** Whether `open` does not need a process that is ready. */
  readonly opensEarly: boolean;
  /**
   * Opens the debugger, until the signal is aborted. Resolves with how the worker must be started again if it does not run under its
   * debugger.
   *
   * @param debugpy as in `RunDebug`
   * @throws DebuggerError; the signal's reason
   */
  open(debugpy: string | undefined, signal: AbortSignal): Promise<OpenedDebugger | RestartUnderDebugger>;
}

export interface OpenedDebugger extends Address {
  readonly language: DebugLanguage;
  /** Directory of the worker, in its container or on this machine. */
  readonly directory: string;
}

export interface RestartUnderDebugger {
  readonly restart: RunDebug;
}

export interface StartOptions {
  /** Called with the progress of a long start. */
  readonly onProgress: (progress: StartProgress) => void;
  /** Called with lines about the start, for the log of the worker. */
  readonly onRemark?: ((line: SystemLine) => void) | undefined;
  /** Called with the layers of the image after its pull, if the engine reports them. They share the time of the worker's events. */
  readonly onLayers?: ((layers: readonly PulledLayer[]) => void) | undefined;
  /** Called once the process runs, if `start` resolves later. A process can request jobs in the meantime. */
  readonly onSpawned?: (() => void) | undefined;
  /**
   * Called with chunks of bytes, from the start until `exited`.
   *
   * @param at time at which the engine received the chunk, in ms since the epoch; omitted if the runtime does not know it
   * @param position returns the position after all chunks so far, including this one; omitted for a worker that ends with the platform
   */
  readonly onOutput: (
    stream: 'stdout' | 'stderr',
    chunk: Uint8Array,
    at?: number,
    position?: () => OutputPosition,
  ) => void;
  /** Called if the engine has lost output between two times (RFC 3339), before the output that follows it. */
  readonly onOutputLost?: ((from: string, until: string) => void) | undefined;
  /**
   * Called with the digest of the image before the worker runs; never for a process. Stores the image of the release.
   *
   * @param pulledId ID of an image that the engine did not have before; omitted for any other image
   * @returns the digest that the worker must run. It differs if another worker of the release was first, with another image.
   * @throws the store's error; the worker must not run then
   */
  readonly onImage: (digest: ImageDigest, pulledId?: string) => ImageDigest;
  /** Returns whether the platform has pulled this image, as opposed to another program that pulled or built it. Default: no. */
  readonly wasPulled?: (id: string) => boolean;
  /**
   * Called when the engine cannot be reached after the start, with the reason, and with undefined when it can be reached again. The worker
   * may run in the meantime.
   */
  readonly onReachable: (unreachable: string | undefined) => void;
  /** Aborts the start, such as a long pull, when the worker is stopped. */
  readonly signal: AbortSignal;
}

export interface AdoptOptions extends Pick<StartOptions, 'onOutput' | 'onOutputLost' | 'onReachable' | 'signal'> {
  /** Position of the output that is stored. Undefined if there is none, so that all output is delivered. */
  readonly position: OutputPosition;
  /** Whether the worker is on standby. Otherwise, a frozen worker is thawed. */
  readonly frozen: boolean;
}

/** Maximum number of workers of an endpoint that start at the same time on one machine. */
export const DEFAULT_CONCURRENT_STARTS = 4;

/** Runs workers, as processes on this machine, or on a container engine or a cluster. */
export interface Runtime {
  /** Returns whether workers with this image can be frozen. */
  canFreeze(image: string): boolean;
  /** Returns whether workers with this image outlive the platform, so that the next platform can adopt them. */
  canAdopt(image: string): boolean;
  /** Returns whether the engine assigns its GPUs to workers with this image itself, as a cluster does. */
  placesGpus(image: string): boolean;
  /** Returns the handle of a run before its start. The handle suffices to find the leftovers of an interrupted start. */
  handleOf(run: RunIdentity): RunHandle;
  /**
   * Starts a worker with the environment of workerEnvironment.ts. Returns a worker that is already up even if the start was aborted,
   * because the worker may have taken work.
   *
   * @throws StartError; the signal's reason once the aborted start is cleaned up
   */
  start(spec: RunSpec, options: StartOptions): Promise<RunningWorker>;
  /**
   * Takes over a worker that an earlier platform started with this specification, also one that has ended, with the rest of its output.
   * Resolves with undefined if nothing is left of it, it differs from the specification, or it cannot reach this platform. The caller then
   * ends the run like an orphan. Waits while the engine cannot be reached, because the worker may run in the meantime.
   *
   * @throws the signal's reason. The worker runs on then.
   */
  adopt(handle: RunHandle, spec: RunSpec, options: AdoptOptions): Promise<RunningWorker | undefined>;
  /**
   * Ends the leftover processes or containers of these runs, and nothing else. Ignores handles of other runtimes. Resolves with the number
   * of ended processes or containers.
   */
  endOrphans(handles: readonly RunHandle[]): Promise<number>;
  /** Called once a worker has fully stopped, and starts no other process. Omitted if nothing outlives the processes of a worker. */
  workerStopped?(workerId: string): void;
  /** Maximum number of workers of an endpoint with this image that start at the same time. Default: `DEFAULT_CONCURRENT_STARTS`. */
  concurrentStarts?(image: string): number;
  /** Resolves once the engine of this image answers, or the signal is aborted. Omitted if there is no engine. */
  untilReachable?(image: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes what belongs to this platform but to no open run, from now on until `close`: an engine can create a container after the platform
   * has given up the request. Omitted if the runtime can leave nothing.
   */
  keepClean?(openRuns: OpenRuns): void;
  /** The engine and its images, for people; omitted if the runtime has no images. */
  readonly images?: ImageServices | undefined;
  /** Ends leftovers, but no worker that was left, and closes the connections to the engine. Call it once all workers have stopped. */
  close(): Promise<void>;
}

/** The identity of a run before its start. */
export interface RunIdentity {
  readonly runId: string;
  readonly image: string;
}

/** Thrown if a worker cannot be started. The message contains the cause and the remedy. */
export class StartError extends Error {
  /** Class of the cause; omitted if no remedy depends on it. */
  readonly problem: StartProblem | undefined;

  constructor(message: string, { problem, cause }: { problem?: StartProblem; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'StartError';
    this.problem = problem;
  }
}

/** Thrown if a program cannot be started beside a worker. */
export class ExecError extends Error {
  /**
   * noProgram: the image does not contain it. unreachable: the engine cannot be reached. ended: the container has ended. forbidden: the
   * cluster does not permit it.
   */
  readonly problem: 'noProgram' | 'unreachable' | 'ended' | 'forbidden' | 'other';

  constructor(problem: ExecError['problem'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExecError';
    this.problem = problem;
  }
}

/** Thrown if a worker cannot be debugged. */
export class DebuggerError extends Error {
  readonly problem: DebugProblem;

  constructor(problem: DebugProblem, message: string) {
    super(message);
    this.name = 'DebuggerError';
    this.problem = problem;
  }
}

/**
 * Opens the worker protocol to workers that cannot reach the loopback interface, such as containers. Such a listener serves the worker
 * protocol only, so the rest of the platform stays closed to other machines.
 */
export interface WorkerGate {
  /**
   * Listens on an address of this machine, such as the one of a bridge. Further calls with the same address share the listener, which stays
   * open until the platform stops.
   *
   * @returns the URL of the worker protocol at that address, such as `http://172.17.0.1:41234/worker/v2`
   * @throws StartError if this machine does not have the address
   */
  open(address: string): Promise<string>;
}
