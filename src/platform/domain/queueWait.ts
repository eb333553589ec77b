import { spansOf, spanKindOf, type Span } from './traceSpans.ts';
import { isAway, isDuring, isStart, phasesOf, rankOf, type WorkerPhase } from './workerPhases.ts';
import type { WorkerEventRecord } from './workerTraceEvent.ts';

/* What a job waited for in the queue. Times are milliseconds since the epoch. */

/** A stay in the queue. */
export interface QueueStay {
  readonly from: number;
  /** Undefined if the job still waits. */
  readonly to: number | undefined;
  /** The worker that took the job. Undefined if none did. */
  readonly workerId: string | undefined;
}

/** Time in ms within which a ready worker gets a job. A shorter wait for ready workers is not shown. */
const HANDOVER_MS = 100;

/** The phases of the workers of an endpoint. */
export class WorkerHistory {
  readonly #phases: ReadonlyMap<string, readonly WorkerPhase[]>;

  /** @param events of all workers of the endpoint, in order */
  constructor(events: readonly WorkerEventRecord[]) {
    const byWorker = Map.groupBy(events, ({ workerId }) => workerId);
    this.#phases = new Map([...byWorker].map(([id, own]) => [id, phasesOf(own)]));
  }

  /**
   * Returns the spans that divide a stay in the queue. They cover it without gaps, unless it is too short, or the events of the worker that
   * took the job are gone. Then there are none.
   *
   * @param now end of a stay that has not ended
   */
  waitOf({ from, to, workerId }: QueueStay, now: number): Span[] {
    const end = Math.max(from, to ?? now);
    const decider = workerId === undefined ? this.#mostAdvancedAt(end) : (this.#phases.get(workerId) ?? []);
    if (workerId !== undefined && !isKnownFrom(decider, from)) return [];
    const parts = merged(this.#divide({ from, to: end }, { decider, isTaken: workerId !== undefined }));
    const isBusy = parts.every((part) => spanKindOf(part.kind) === 'waitingForBusyWorkers');
    if (isBusy && end - from < HANDOVER_MS) return [];
    const last = parts.at(-1);
    if (last && to === undefined) parts[parts.length - 1] = { ...last, to: undefined };
    return spansOf(parts);
  }

  /** Returns the phases of the worker that is closest to work at a time. */
  #mostAdvancedAt(at: number): readonly WorkerPhase[] {
    let best: readonly WorkerPhase[] = [];
    let bestRank = 0;
    for (const phases of this.#phases.values()) {
      const phase = phases.findLast(({ from }) => from <= at);
      const rank = phase ? rankOf(phase) : -1;
      if (rank > bestRank) [best, bestRank] = [phases, rank];
    }
    return best;
  }

  /** Returns the phase that decides at each time. The other workers decide while the decider is away. */
  #divide({ from, to }: { from: number; to: number }, { decider, isTaken }: Decision): WorkerPhase[] {
    const within = (phases: readonly WorkerPhase[]): readonly WorkerPhase[] =>
      phases.filter((phase) => phase.from < to && (phase.to === undefined || phase.to > from));
    const own = within(decider);
    const others = [...this.#phases.values()].filter((phases) => phases !== decider).map(within);
    const bounds = new Set([from, to]);
    for (const phase of [...own, ...others.flat()])
      for (const bound of [phase.from, phase.to])
        if (bound !== undefined && bound > from && bound < to) bounds.add(bound);
    const times = [...bounds].sort((one, other) => one - other);
    return times.slice(0, -1).map((start, index) => {
      const part = { from: start, to: times[index + 1] };
      const phase = own.find((each) => isDuring(each, start));
      if (phase && !isAway(phase.kind)) return { ...phase, ...part };
      const standby = phase?.kind === 'standby' && isTaken ? phase : undefined;
      return { ...(bestAt(others, start) ?? standby ?? NO_WORKER), ...part };
    });
  }
}

interface Decision {
  readonly decider: readonly WorkerPhase[];
  /** Whether the decider took the job, so that it resumed if it was on standby. */
  readonly isTaken: boolean;
}

const NO_WORKER = { kind: 'absent', workerId: '', release: 0 } as const;

function bestAt(workers: readonly (readonly WorkerPhase[])[], at: number): WorkerPhase | undefined {
  let best: WorkerPhase | undefined;
  for (const phases of workers) {
    const phase = phases.find((each) => isDuring(each, at));
    if (phase && !isAway(phase.kind) && (!best || rankOf(phase) > rankOf(best))) best = phase;
  }
  return best;
}

/** Returns true if the events of a worker tell what it did since a time. */
function isKnownFrom(phases: readonly WorkerPhase[], from: number): boolean {
  const [first] = phases;
  return first !== undefined && (first.kind === 'between' || first.from <= from);
}

/** Joins consecutive parts with the same span. A worker that has just become ready gets its first job as the end of its start. */
function merged(parts: readonly WorkerPhase[]): WorkerPhase[] {
  const joined: WorkerPhase[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && isSame(last, part)) joined[joined.length - 1] = { ...last, to: part.to };
    else joined.push(part);
  }
  return joined;
}

function isSame(last: WorkerPhase, next: WorkerPhase): boolean {
  const isOfSameWorker = last.workerId === next.workerId;
  if (isStart(last) && next.kind === 'ready') return isOfSameWorker;
  const [lastKind, nextKind] = [spanKindOf(last.kind), spanKindOf(next.kind)];
  if (lastKind !== nextKind) return false;
  if (nextKind === 'waitingForWorker' || nextKind === 'waitingForBusyWorkers') return true;
  return isOfSameWorker && last.reason === next.reason;
}
