/** What a worker's process is made from. */
export interface RunSpec {
  readonly image: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface RunExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A worker's process. */
export interface RunningProcess {
  readonly pid: number;
  /** When the operating system says it started, as it words it; with the pid it names the process beyond doubt. */
  readonly processStart: string | undefined;
  /** Resolves when it has ended and all its output has been handed over. */
  readonly exited: Promise<RunExit>;
  /** Asks it and all its descendants to end, ends them by force after that many ms, and resolves when that is done. */
  stop(graceMs: number): Promise<void>;
  /** Keeps it and all its descendants from running until `thaw`; it can be stopped all the same. */
  freeze(): void;
  thaw(): void;
}

/** What is left of a run of a platform that was killed. */
export interface Orphan {
  readonly runId: string;
  readonly pid: number;
  readonly processStart: string | undefined;
}

/** Runs workers. */
export interface Runtime {
  /** Whether this system can keep a process from running for a while. */
  readonly canFreeze: boolean;
  /**
   * Starts a process. Output arrives in chunks of bytes, also between the resolution and `exited`.
   *
   * @throws StartError
   */
  start(
    spec: RunSpec,
    runId: string,
    onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void,
  ): Promise<RunningProcess>;
  /** Ends what is left of those runs, and nothing else. Returns how many processes that were. */
  endOrphans(orphans: readonly Orphan[]): Promise<number>;
}

/** A worker cannot be started; the message names the thing and the remedy. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}
