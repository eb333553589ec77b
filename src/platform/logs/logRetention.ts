import type { SystemLine } from '../../contract/systemLines.ts';
import type { DroppedLogs, LogOwner, LogSize, LogStore } from '../store/logStore.ts';
import type { Clock } from '../time/clock.ts';

/** Limits of the stored logs. The oldest lines are dropped first. */
export interface LogLimits {
  /** Limit for one worker. */
  readonly worker: LogSize;
  /** Limit for all workers together, including workers that have stopped. */
  readonly allBytes: number;
}

const MIB = 1_048_576;
/** Fraction of a limit that is dropped once the limit is exceeded. It keeps drops and their lines in the logs rare. */
const DROPPED_FRACTION = 1 / 32;
/** Maximum fraction of the limit of all logs that one endpoint loses before the endpoints are compared again. */
const STEP_FRACTION = 1 / 256;
/** Maximum number of blocks that one step drops. It takes about 5 ms. */
const STEP_BLOCKS = 512;
/** Time in ms between two steps, in which the platform answers requests. */
const STEP_PAUSE_MS = 5;

type DroppedLine = Extract<SystemLine, { kind: 'linesDropped' }>;

interface Options {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly limits: LogLimits;
  /** Called with a line for the log of each worker that has lost lines. */
  readonly onDropped: (owner: LogOwner, line: DroppedLine) => void;
}

/** Lines that a worker has lost since its log last reported a loss. */
interface Loss {
  readonly owner: LogOwner;
  readonly lines: number;
  /** Timestamp of the newest lost line. */
  readonly until: string;
}

/**
 * Enforces the limits of the stored logs in small steps. If all logs together are too large, the endpoint with the largest logs loses its
 * oldest lines, until another endpoint has the largest. The sizes thus approach a max-min fair share, and an endpoint below an equal share
 * loses no line because of another endpoint.
 */
export class LogRetention {
  readonly #options: Options;
  /** Workers whose log is being cut to below its limit. */
  readonly #tooLarge = new Map<string, LogOwner>();
  /** Whether all logs together are being cut to below their limit. */
  #isFull = false;
  readonly #losses = { worker: new Map<string, Loss>(), all: new Map<string, Loss>() };
  #cancelStep: (() => void) | undefined;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Enforces the limits after lines were added to logs. Further steps follow later. @throws the store's error */
  enforce(changed: readonly LogOwner[]): void {
    if (this.#isClosed) return;
    const { store, limits } = this.#options;
    for (const owner of changed) {
      const { lines, bytes } = store.size(owner.workerId);
      if (lines > limits.worker.lines || bytes > limits.worker.bytes) this.#tooLarge.set(owner.workerId, owner);
    }
    this.#isFull ||= store.size().bytes > limits.allBytes;
    if (!this.#cancelStep) this.#step();
  }

  /** Reports the lines that were dropped, and drops no more. */
  close(): void {
    this.#isClosed = true;
    this.#cancelStep?.();
    this.#reportWorkers();
    this.#reportAll();
  }

  #step(): void {
    this.#cancelStep = undefined;
    const [first] = this.#tooLarge.values();
    if (first) this.#cutWorker(first);
    else if (this.#isFull) this.#cutLargestEndpoint();
    if (this.#tooLarge.size > 0 || this.#isFull) {
      this.#cancelStep = this.#options.clock.after(STEP_PAUSE_MS, () => this.#retry());
    }
  }

  /** Runs a step that no caller waits for. If the store fails, the next lines that it stores continue. */
  #retry(): void {
    try {
      this.#step();
    } catch {
      this.#cancelStep = undefined;
    }
  }

  #cutWorker(owner: LogOwner): void {
    const { store, limits } = this.#options;
    const { lines, bytes } = store.size(owner.workerId);
    const excess = { lines: lines - lowMark(limits.worker.lines), bytes: bytes - lowMark(limits.worker.bytes) };
    if (excess.lines > 0 || excess.bytes > 0) {
      const dropped = store.dropOldest({ workerId: owner.workerId }, excess, STEP_BLOCKS);
      note(this.#losses.worker, owner.endpointId, dropped);
      if (dropped.length > 0) return;
    }
    this.#tooLarge.delete(owner.workerId);
    this.#reportWorkers();
  }

  #cutLargestEndpoint(): void {
    const { store, limits } = this.#options;
    const target = lowMark(limits.allBytes);
    const excess = store.size().bytes - target;
    const sizes = store.bytesByEndpoint();
    const largest = excess > 0 ? largestOf(sizes) : undefined;
    if (largest) {
      const aboveShare = largest.bytes - target / sizes.size;
      const bytes = Math.min(excess, aboveShare, limits.allBytes * STEP_FRACTION);
      const dropped = store.dropOldest({ endpointId: largest.endpointId }, { lines: 0, bytes }, STEP_BLOCKS);
      note(this.#losses.all, largest.endpointId, dropped);
      if (dropped.length > 0) return;
    }
    this.#isFull = false;
    this.#reportAll();
  }

  #reportWorkers(): void {
    const { lines, bytes } = this.#options.limits.worker;
    // Formatting the first number loads the data of the locale, which takes 10 ms.
    if (this.#losses.worker.size === 0) return;
    this.#report(this.#losses.worker, `a worker's log holds at most ${count(lines)} lines and ${mib(bytes)}`);
  }

  #reportAll(): void {
    this.#report(this.#losses.all, `the logs of all workers take at most ${mib(this.#options.limits.allBytes)}`);
  }

  #report(losses: Map<string, Loss>, limit: string): void {
    const reported = [...losses.values()];
    losses.clear();
    for (const { owner, lines, until } of reported) {
      this.#options.onDropped(owner, { kind: 'linesDropped', count: count(lines), until, limit });
    }
  }
}

const lowMark = (limit: number): number => limit * (1 - DROPPED_FRACTION);

function note(losses: Map<string, Loss>, endpointId: string, dropped: readonly DroppedLogs[]): void {
  for (const { workerId, lines, lastTs } of dropped) {
    const before = losses.get(workerId)?.lines ?? 0;
    losses.set(workerId, { owner: { workerId, endpointId }, lines: before + lines, until: lastTs });
  }
}

function largestOf(sizes: ReadonlyMap<string, number>): { endpointId: string; bytes: number } | undefined {
  let largest: { endpointId: string; bytes: number } | undefined;
  for (const [endpointId, bytes] of sizes) if (bytes > (largest?.bytes ?? 0)) largest = { endpointId, bytes };
  return largest;
}

function count(lines: number): string {
  return lines.toLocaleString('en');
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
