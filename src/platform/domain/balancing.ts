/* Which worker of a load-balanced endpoint gets a request (facts, section 5). */

/** What a request says about the worker it wants: it prefers one, insists on it, or wants it back even if it was scaled down. */
export interface Affinity {
  readonly mode: 'prefer' | 'strict' | 'resume';
  readonly workerId: string;
}

const MODES: Readonly<Record<string, Affinity['mode']>> = { strict: 'strict', 'strict-resume': 'resume' };

/** Reads the affinity header: `<id>`, `strict <id>` or `strict-resume <id>`. Anything else is no wish at all. */
export function parseAffinity(header: string | undefined): Affinity | undefined {
  const words = header?.trim().split(/\s+/) ?? [];
  const [first = '', second = ''] = words;
  if (words.length === 1 && first !== '') return { mode: 'prefer', workerId: first };
  const mode = MODES[first.toLowerCase()];
  return words.length === 2 && mode ? { mode, workerId: second } : undefined;
}

/** A worker that is not about to end. */
export interface Candidate {
  readonly id: string;
  /** Its health check passes. */
  readonly ready: boolean;
  /** Requests it is working on. */
  readonly load: number;
  /** Counts up with every request of the endpoint: which of them it was given last; 0 for none yet. */
  readonly lastGiven: number;
}

/** A worker, or that there is none at the moment, or that the one asked for will never be there again. */
export type Choice<Worker extends Candidate> = Worker | 'none yet' | 'gone';

/** The worker with the fewest requests, of those the one that has waited longest for one; a request's wish comes first. */
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
  return left.load === right.load ? left.lastGiven < right.lastGiven : left.load < right.load;
}
