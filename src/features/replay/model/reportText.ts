import * as l10n from '@vscode/l10n';
import { withoutControls } from '../../../text/shownText.ts';
import type { ReplayResult } from '../actions/replayJob.ts';
import { differenceText, errorSummary } from './comparison.ts';
import { planText } from './planText.ts';
import type { PlanLine } from './replayPlan.ts';

/** Returns how a replay ended, as a sentence. @param directory directory of the worker */
export function verdictText(result: ReplayResult, directory: string | undefined): string {
  if (result.kind === 'notStarted') return l10n.t`The replay could not run: ${result.reason}.`;
  if (result.kind === 'neverEnded') return l10n.t`The job did not end within ${result.limitMs / 1000} s.`;
  const { job, comparison } = result;
  const error = errorSummary(job, directory);
  switch (comparison.verdict) {
    case 'same':
      return error === undefined
        ? l10n.t('The job ended as before, with the same output.')
        : l10n.t`Reproduced: ${error}`;
    case 'sameType':
      return l10n.t`Reproduced with another message: ${error ?? ''}`;
    case 'different':
      return error === undefined
        ? l10n.t`Not reproduced: the job is ${job.status}.`
        : l10n.t`Not reproduced: another error, ${error}`;
  }
}

/** Returns the report of a replay as a document. @param verdict result of `verdictText` */
export function reportText(verdict: string, lines: readonly PlanLine[], result: ReplayResult): string {
  const differences = result.kind === 'ended' ? result.comparison.differences : [];
  const part = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [[title, ...items.map((item) => `  ${item}`)].join('\n')];
  const paragraphs = [
    verdict,
    ...part(l10n.t('Differences in the result'), differences.map(differenceText)),
    ...part(l10n.t('The replay'), lines.map(planText)),
    ...part(l10n.t('Log of the worker'), result.log),
  ];
  return withoutControls(paragraphs.join('\n\n'));
}
