import * as l10n from '@vscode/l10n';
import { isTerminal } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';

/**
 * Reason why a document does not show the output that the user expects.
 *
 * - `noOutput`: the job completed without an output.
 * - `expired`: the platform deleted a result that had been available.
 * - `removed`: the platform deleted a job that waited, for example because its queue was purged.
 * - `lost`: the platform deleted a job that was running.
 * - `unknown`: the platform does not have the job, and this editor did not submit it.
 * - `emptyInput`: the job was submitted with an empty input.
 * - `cut`: the document shows the beginning of a large result.
 * - `shortened`: the document shortens data URLs.
 */
export type ExplanationCode =
  'noOutput' | 'expired' | 'removed' | 'lost' | 'unknown' | 'emptyInput' | 'cut' | 'shortened';

export const explanations: Readonly<Record<ExplanationCode, string>> = {
  noOutput: l10n.t(
    'The job completed without an output. The worker returned nothing, or its output exceeded the limit of the platform.',
  ),
  expired: l10n.t(
    'The result has expired. Platforms keep a result for a limited time. This is the last state that the editor has seen.',
  ),
  removed: l10n.t(
    'The job is no longer in the queue. The queue was purged, or the job expired before a worker took it.',
  ),
  lost: l10n.t('The platform no longer has this job. It was running when the editor saw it last.'),
  unknown: l10n.t('This job does not exist on the connected platform.'),
  emptyInput: l10n.t(
    'The input of this job was empty. Hosted platforms drop an empty input, so the worker received none.',
  ),
  cut: l10n.t('The result is large. This document shows its beginning.'),
  shortened: l10n.t('Data URLs are shortened in this document.'),
};

/** Returns why the platform does not have a job. @param stored the job in the history of this editor */
export function goneCode(stored: StoredJob | undefined): ExplanationCode {
  if (!stored) return 'unknown';
  if (isTerminal(stored.status)) return 'expired';
  return stored.status === 'IN_QUEUE' ? 'removed' : 'lost';
}
