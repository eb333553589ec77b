import { isTerminal } from '../../contract/job.ts';
import type { JobTrace } from '../../contract/control/controlTraces.ts';
import type { JobRecord } from './job.ts';
import { endedOutcome, reasonOf, type JobTraceEvent } from './jobTraceEvent.ts';
import type { QueueStay, WorkerHistory } from './queueWait.ts';
import { traceSpan, type Span } from './traceSpans.ts';
import { dateTime } from '../../contract/dateTime.ts';

export interface JobHistory {
  readonly job: JobRecord;
  /** Events of the job, in order. */
  readonly events: readonly JobTraceEvent[];
  /** History of the workers of its endpoint. Undefined if no workers run the jobs of the queue. */
  readonly workers: WorkerHistory | undefined;
  readonly now: number;
}

type EndedAttempt = Extract<JobTraceEvent, { kind: 'attemptEnded' }>;

/** Returns the life of a job as spans of time. */
export function jobTrace({ job, events, workers: history, now: time }: JobHistory): JobTrace {
  const { id, endpointId, status, createdAt, finishedAt, traceParent } = job;
  // The clock may have been set back.
  const now = Math.max(time, job.queuedAt, job.startedAt ?? 0, finishedAt ?? 0);
  const spans = attemptsOf(job, events).flatMap((attempt) => attemptSpans(attempt, { events, history, now }));
  const sorted = [...spans, ...deliveries(events)].sort((one, other) => one.from - other.from);
  return {
    ...{ jobId: id, endpointId, status, ...(traceParent !== undefined && { traceParent }) },
    createdAt: dateTime(createdAt),
    ...(isTerminal(status) && finishedAt !== undefined && { finishedAt: dateTime(finishedAt) }),
    spans: sorted.map(traceSpan),
  };
}

interface Attempt {
  readonly number: number;
  /** Undefined if the start of the stay in the queue is not known. */
  readonly stay: QueueStay | undefined;
  /** Undefined if no worker took the job. */
  readonly running: Span | undefined;
}

function attemptsOf(job: JobRecord, events: readonly JobTraceEvent[]): Attempt[] {
  const attempts: Attempt[] = [];
  let number = 1;
  let queuedFrom: number | undefined = job.createdAt;
  for (const ended of events.filter((event) => event.kind === 'attemptEnded')) {
    // Earlier events may be dropped.
    attempts.push(endedAttempt(ended, ended.attempt === number ? queuedFrom : undefined));
    number = ended.attempt + 1;
    queuedFrom = Math.max(queuedFrom, ended.at);
  }
  return [...attempts, lastAttempt(job, job.retries + 1 === number ? queuedFrom : undefined)];
}

function endedAttempt(
  { attempt, startedAt, endedAt, workerId, release, outcome, reason }: EndedAttempt,
  queuedFrom: number | undefined,
): Attempt {
  const begin = startedAt === undefined ? undefined : Math.max(startedAt, queuedFrom ?? 0);
  const end = Math.max(endedAt, begin ?? queuedFrom ?? 0);
  const stay = queuedFrom === undefined ? undefined : { from: queuedFrom, to: begin ?? end, workerId };
  if (begin === undefined) return { number: attempt, stay, running: undefined };
  const running = { kind: 'running', from: begin, to: end, attempt, workerId, release, outcome, reason } as const;
  return { number: attempt, stay, running };
}

/** Returns the current attempt, or the last one of an ended job. */
function lastAttempt(job: JobRecord, queuedFrom: number | undefined): Attempt {
  const { status, startedAt, finishedAt, workerId, release, retries } = job;
  const number = retries + 1;
  // An imported job may have any times.
  const from = queuedFrom ?? job.queuedAt;
  const begin = startedAt === undefined ? undefined : Math.max(startedAt, from);
  const end = isTerminal(status) ? Math.max(finishedAt ?? 0, begin ?? from) : undefined;
  const stay = { from, to: begin ?? end, workerId };
  if (begin === undefined) return { number, stay, running: undefined };
  const running = { kind: 'running', from: begin, to: end, attempt: number, workerId, release } as const;
  if (status === 'IN_PROGRESS' || status === 'IN_QUEUE') return { number, stay, running };
  if (status === 'COMPLETED') return { number, stay, running: { ...running, outcome: 'ok' } };
  if (status === 'CANCELLED') return { number, stay, running: { ...running, outcome: 'cancelled' } };
  return { number, stay, running: { ...running, outcome: endedOutcome(job), reason: reasonOf(job) } };
}

interface SpanContext {
  readonly events: readonly JobTraceEvent[];
  readonly history: WorkerHistory | undefined;
  readonly now: number;
}

function attemptSpans({ number, stay, running }: Attempt, { events, history, now }: SpanContext): Span[] {
  const queued: Span[] = stay
    ? [{ kind: 'queued', from: stay.from, to: stay.to, attempt: number }, ...(history?.waitOf(stay, now) ?? [])]
    : [];
  if (!running) return queued;
  const streaming = streamOf(running, events);
  return [...queued, running, ...(streaming ? [streaming] : [])];
}

/** Returns the span from the first chunk of an attempt to the last one. */
function streamOf({ attempt, from, to }: Span, events: readonly JobTraceEvent[]): Span | undefined {
  const at = (kind: 'firstChunk' | 'lastChunk'): number | undefined =>
    events.findLast((event) => event.kind === kind && event.attempt === attempt)?.at;
  const first = at('firstChunk');
  if (first === undefined) return undefined;
  const within = (time: number): number => Math.min(Math.max(time, from), to ?? Infinity);
  const last = at('lastChunk') ?? to;
  const begin = within(first);
  return {
    kind: 'streaming',
    from: begin,
    to: last === undefined ? undefined : Math.max(begin, within(last)),
    attempt,
  };
}

function deliveries(events: readonly JobTraceEvent[]): Span[] {
  return events
    .filter((event) => event.kind === 'webhook')
    .map(({ startedAt, at, attempt, origin, outcome, reason }) => {
      return { kind: 'webhook', from: startedAt, to: Math.max(startedAt, at), attempt, name: origin, outcome, reason };
    });
}
