import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { codeBlock, fileLink, formatted, joinedMarkdown, type Markdown } from '../../../text/markdown.ts';
import type { ReplayResult } from '../actions/replayJob.ts';
import { differenceText, errorSummary, failingPlace } from './comparison.ts';
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

export interface ReplayReport {
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Result of `verdictText`. */
  readonly verdict: string;
  readonly lines: readonly PlanLine[];
  readonly result: ReplayResult;
  /** Returns the path of a file in the first folder of the workspace, with slashes. Undefined if it is not there. */
  readonly inWorkspace: (file: string) => string | undefined;
}

/** Returns the report of a replay as Markdown. */
export function replayDocument({ endpoint, verdict, lines, result, inWorkspace }: ReplayReport): Markdown {
  const differences = result.kind === 'ended' ? result.comparison.differences : [];
  const list = (title: Markdown, items: readonly string[]) =>
    items.length === 0
      ? []
      : [
          title,
          joinedMarkdown(
            items.map((item) => formatted`- ${item}`),
            '\n',
          ),
        ];
  return joinedMarkdown(
    [
      formatted`# Replay of “${endpoint}”`,
      verdict,
      ...placeLines(result, lines, inWorkspace),
      ...list(formatted`## Differences in the Result`, differences.map(differenceText)),
      ...list(formatted`## Plan`, lines.map(planText)),
      ...(result.log.length === 0 ? [] : [formatted`## Log of the Worker`, codeBlock(result.log)]),
    ],
    '\n\n',
  );
}

/** Returns a link to the line that failed, if its file is in the workspace. */
function placeLines(
  result: ReplayResult,
  lines: readonly PlanLine[],
  inWorkspace: ReplayReport['inWorkspace'],
): readonly Markdown[] {
  const directory = lines.find((line) => line.code === 'code' || line.code === 'codeInsteadOfImage')?.directory;
  if (result.kind !== 'ended' || directory === undefined) return [];
  const place = failingPlace(result.job.error, directory);
  const file = place && inWorkspace(path.resolve(directory, place.path));
  if (!place || file === undefined) return [];
  return [formatted`Line of the error: ${fileLink(`${file}:${place.line}`, file, place.line)}`];
}
