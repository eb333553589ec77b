/* Selects the worker of a load-balanced endpoint that gets a request (docs/local-platform.md, Load-balanced endpoints). */

/**
 * The worker that a request names. `prefer` falls back to other workers, `strict` requires the worker, and `resume` requires it even if it
 * was scaled down.
 */
export interface Affinity {
  readonly mode: 'prefer' | 'strict' | 'resume';
  readonly workerId: string;
}

const MODES: ReadonlyMap<string, Affinity['mode']> = new Map([
  ['strict', 'strict'],
  ['strict-resume', 'resume'],
]);

/** Parses the affinity header: `<id>`, `strict <id>`, or `strict-resume <id>`. Returns undefined for any other value. */
export function parseAffinity(header: string | undefined): Affinity | undefined {
  const words = header?.trim().split(/\s+/) ?? [];
  const [first = '', second = ''] = words;
  if (words.length === 1 && first !== '') return { mode: 'prefer', workerId: first };
  const mode = MODES.get(first.toLowerCase());
  return words.length === 2 && mode ? { mode, workerId: second } : undefined;
}

/** A worker that accepts requests. */
export interface Candidate {
  readonly id: string;
  /** True if its health check passes. */
  readonly ready: boolean;
  /** Number of requests in progress. */
  readonly load: number;
  /** Sequence number of the last request that the worker got, counted per endpoint. 0 before the first. */
  readonly lastAssigned: number;
}

/** A worker, `none yet` if no worker is ready, or `gone` if the required worker has stopped for good. */
export type Choice<Worker extends Candidate> = Worker | 'none yet' | 'gone';

/** Selects the ready worker with the fewest requests, or among equals the longest-waiting one. Affinity takes precedence. */
export function chooseWorker<Worker extends Candidate>(
  workers: Iterable<Worker>,
  affinity: Affinity | undefined,
): Choice<Worker> {
  let best: Worker | undefined;
  let wanted: Worker | undefined;
  for (const worker of workers) {
    if (worker.id === affinity?.workerId) wanted = worker;
    if (worker.ready && (!best || isBetter(worker, best))) best = worker;
  }
  if (wanted?.ready) return wanted;
  if (affinity && affinity.mode !== 'prefer') return wanted ? 'none yet' : 'gone';
  return best ?? 'none yet';
}

function isBetter(left: Candidate, right: Candidate): boolean {
  return left.load === right.load ? left.lastAssigned < right.lastAssigned : left.load < right.load;
}
