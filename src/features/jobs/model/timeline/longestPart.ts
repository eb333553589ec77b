import * as l10n from '@vscode/l10n';
import type { SpanKind } from '../../../../contract/control/controlTraces.ts';
import { totalOf, type JobLife, type LifeSpan } from './jobLife.ts';

/** Share of the total time from which a part stands out, and the shortest total time that is worth a sentence, in ms. */
const LEAST_SHARE = 0.5;
const LEAST_TOTAL_MS = 1_000;

type Sentence = (percent: number) => string;

/** What took longest, and what would help. A job that mostly ran has no sentence. The later ones are parts of the earlier ones. */
const SENTENCES: readonly (readonly [kind: SpanKind, words: Sentence])[] = [
  ['queued', (n) => l10n.t`${n} % of the time was in the queue.`],
  ['waitingForWorker', (n) => l10n.t`For ${n} % of the time, no worker was being started.`],
  [
    'waitingForSlot',
    (n) =>
      l10n.t`For ${n} % of the time, the worker waited until others ended. Fewer workers of other endpoints shorten the wait.`,
  ],
  [
    'waitingForGpus',
    (n) =>
      l10n.t`For ${n} % of the time, the worker waited for GPUs. Another type of GPU, or fewer workers of other endpoints, shortens the wait.`,
  ],
  [
    'waitingForPlace',
    (n) =>
      l10n.t`For ${n} % of the time, the worker waited for room. A smaller worker, or fewer workers of other endpoints, shortens the wait.`,
  ],
  [
    'waitingForBusyWorkers',
    (n) => l10n.t`For ${n} % of the time, all workers were busy. A higher maximum number of workers shortens the wait.`,
  ],
  [
    'waitingAfterFailure',
    (n) => l10n.t`For ${n} % of the time, the worker paused after a failed start. Its log contains the reason.`,
  ],
  [
    'coldStart',
    (n) =>
      l10n.t`${n} % of the time was a cold start. A minimum number of workers avoids cold starts, and FlashBoot shortens them.`,
  ],
  ['pulling', (n) => l10n.t`${n} % of the time was the pull of the image. A smaller image shortens it.`],
];

/** Returns one sentence about the part of a job's time that stands out, or undefined if none does. */
export function longestPart(life: JobLife): string | undefined {
  const total = totalOf(life);
  if (total === undefined || total < LEAST_TOTAL_MS) return undefined;
  const start = life.submittedAt ?? life.spans[0]?.start ?? 0;
  const [from, to] = [start, start + total];
  let found: string | undefined;
  for (const [kind, words] of SENTENCES) {
    // The platform tells why the job was in the queue.
    if (kind === 'queued' && life.source === 'trace') continue;
    const share =
      coveredBy(
        life.spans.filter((span) => span.kind === kind),
        from,
        to,
      ) / total;
    if (share >= LEAST_SHARE) found = words(Math.round(100 * share));
  }
  return found;
}

/** Returns the time between two times that spans cover, in ms. Counts no time twice. */
function coveredBy(spans: readonly LifeSpan[], from: number, to: number): number {
  let [covered, reached] = [0, from];
  for (const { start, end = to } of spans.toSorted((one, other) => one.start - other.start)) {
    const [begin, stop] = [Math.max(start, reached), Math.min(end, to)];
    if (stop <= begin) continue;
    covered += stop - begin;
    reached = stop;
  }
  return covered;
}
