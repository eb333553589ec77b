import * as l10n from '@vscode/l10n';
import type { SpanKind } from '../contract/control/controlTraces.ts';

const WORDS: Readonly<Record<SpanKind, string>> = {
  queued: l10n.t('In the queue'),
  waitingForWorker: l10n.t('No worker started'),
  waitingForSlot: l10n.t('Waiting for other workers'),
  waitingForGpus: l10n.t('Waiting for GPUs'),
  waitingForPlace: l10n.t('Waiting for room'),
  waitingForBusyWorkers: l10n.t('All workers busy'),
  waitingAfterFailure: l10n.t('Pause after a failure'),
  coldStart: l10n.t('Cold start'),
  pulling: l10n.t('Pulling the image'),
  pullingLayer: l10n.t('Layer'),
  creating: l10n.t('Creating the worker'),
  loading: l10n.t('Loading until ready'),
  importing: l10n.t('Importing'),
  resuming: l10n.t('Resuming from standby'),
  running: l10n.t('Running'),
  streaming: l10n.t('Streaming'),
  webhook: l10n.t('Webhook'),
};

/** Returns what a span of a trace was spent on in words. A kind of a newer platform appears as it is. */
export function spanWords(kind: string): string {
  return Object.hasOwn(WORDS, kind) ? WORDS[kind as SpanKind] : kind;
}
