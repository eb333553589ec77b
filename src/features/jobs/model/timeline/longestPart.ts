import * as l10n from '@vscode/l10n';
import type { SpanKind } from '../../../../contract/control/controlTraces.ts';
import { totalOf, type JobLife, type LifeSpan } from './jobLife.ts';

/** Share of the total time from which a part stands out, and the shortest total time that is worth a sentence, in ms. */
const LEAST_SHARE = 0.5;
const LEAST_TOTAL_MS = 1_000;

interface Part {
  readonly kind: SpanKind;
  readonly words: (percent: number) => string;
  /** Advice that shortens it. */
  readonly help?: string;
}

/** Parts of a job's time except the run itself. The later ones are parts of the earlier ones. */
const PARTS: readonly Part[] = [
  { kind: 'queued', words: (n) => l10n.t`${n} % of the time was in the queue.` },
  { kind: 'waitingForWorker', words: (n) => l10n.t`For ${n} % of the time, no worker was being started.` },
  {
    kind: 'waitingForSlot',
    words: (n) => l10n.t`For ${n} % of the time, the worker waited until others ended.`,
    help: l10n.t('Fewer workers of other endpoints shorten the wait.'),
  },
  {
    kind: 'waitingForGpus',
    words: (n) => l10n.t`For ${n} % of the time, the worker waited for GPUs.`,
    help: l10n.t('Another type of GPU, or fewer workers of other endpoints, shortens the wait.'),
  },
  {
    kind: 'waitingForPlace',
    words: (n) => l10n.t`For ${n} % of the time, the worker waited for room.`,
    help: l10n.t('A smaller worker, or fewer workers of other endpoints, shortens the wait.'),
  },
  {
    kind: 'waitingForBusyWorkers',
    words: (n) => l10n.t`For ${n} % of the time, all workers were busy.`,
    help: l10n.t('A higher maximum number of workers shortens the wait.'),
  },
  {
    kind: 'waitingAfterFailure',
    words: (n) => l10n.t`For ${n} % of the time, the worker paused after a failed start.`,
    help: l10n.t('Its log contains the reason.'),
  },
  {
    kind: 'coldStart',
    words: (n) => l10n.t`${n} % of the time was a cold start.`,
    help: l10n.t('A minimum number of workers avoids cold starts, and FlashBoot shortens them.'),
  },
  {
    kind: 'pulling',
    words: (n) => l10n.t`${n} % of the time was spent on pulling the image.`,
    help: l10n.t('A smaller image shortens it.'),
  },
];

/** Returns the part of a job's time that stands out, and what would help, in one sentence each. Empty if none does. */
export function longestPart(life: JobLife): readonly string[] {
  const total = totalOf(life);
  if (total === undefined || total < LEAST_TOTAL_MS) return [];
  const from = life.submittedAt ?? life.spans[0]?.start ?? 0;
  const to = from + total;
  let found: readonly string[] = [];
  for (const { kind, words, help } of PARTS) {
    // The platform tells why the job was in the queue.
    if (kind === 'queued' && life.source === 'trace') continue;
    const spans = life.spans.filter((span) => span.kind === kind);
    const share = coveredBy(spans, from, to) / total;
    if (share >= LEAST_SHARE) found = [words(Math.round(100 * share)), ...(help === undefined ? [] : [help])];
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
