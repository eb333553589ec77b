import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { explain, remedyOf } from '../../../kit/explain.ts';
import { formatted, joinedMarkdown, table, type Markdown } from '../../../text/markdown.ts';
import { NO_TEXT, shown, type Showable, type ShownText } from '../../../text/shownText.ts';
import type { StepResult } from '../actions/applyPlan.ts';
import { blockedParts, unchangedParts, type DeploymentPlan, type Step } from '../model/deployment/deploymentPlan.ts';
import { countWords, explainObstacle, placeOf } from '../model/deployment/planWords.ts';

/** Result of a step, or of a step that no longer matched the plan. */
export type Result = StepResult | { readonly outcome: 'changed'; readonly step: Step };

/** A finished deployment. */
export interface Deployed {
  readonly results: readonly Result[];
  /** The plan that was read before the steps were sent. */
  readonly plan: DeploymentPlan;
}

type Outcome = Result['outcome'] | 'unchanged' | 'blocked';

interface Row {
  readonly outcome: Outcome;
  readonly name: ShownText;
  readonly place: ShownText;
  readonly reason: Showable;
  readonly remedy: Showable;
}

const outcomeWords: Readonly<Record<Outcome, string>> = {
  created: l10n.t('created'),
  updated: l10n.t('updated'),
  deleted: l10n.t('deleted'),
  unchanged: l10n.t('unchanged'),
  failed: l10n.t('failed'),
  changed: l10n.t('not sent, because the plan changed'),
  canceled: l10n.t('canceled'),
  blocked: l10n.t('with problems'),
};
/** Outcomes in the order of the report. */
const ORDER: readonly Outcome[] = [
  ...(['failed', 'changed', 'blocked', 'canceled', 'created', 'updated', 'deleted', 'unchanged'] as const),
];
const SUMMARY_ORDER: readonly Outcome[] = [
  ...(['created', 'updated', 'deleted', 'unchanged', 'failed', 'changed', 'blocked', 'canceled'] as const),
];

/** Returns the counts of all outcomes, such as `3 created, 1 updated, 2 unchanged, 1 failed`. */
export function summaryOf(deployed: Deployed): string {
  const rows = rowsOf(deployed);
  return countWords(
    SUMMARY_ORDER.map((outcome) => [rows.filter((row) => row.outcome === outcome).length, outcomeWords[outcome]]),
  );
}

/** Returns the steps that a retry would send again. */
export function failedSteps({ results }: Deployed): readonly Step[] {
  return results.flatMap(({ outcome, step }) => (outcome === 'failed' || outcome === 'changed' ? [step] : []));
}

/** Returns the report as Markdown, with the reason and the remedy of each endpoint that was not deployed. */
export function reportOf(deployed: Deployed, connection: string): Markdown {
  const rows = rowsOf(deployed).sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
  return joinedMarkdown(
    [
      formatted`# Deployment to ${connection}`,
      formatted`${summaryOf(deployed)}.`,
      table(
        rows.map(({ outcome, name, place, reason, remedy }) => [
          outcome === 'blocked' ? 'problem' : outcomeWords[outcome],
          name,
          place,
          shown`${reason}`,
          shown`${remedy}`,
        ]),
        [l10n.t('Result'), l10n.t('Endpoint'), l10n.t('File'), l10n.t('Reason'), l10n.t('Remedy')],
      ),
    ],
    '\n\n',
  );
}

function rowsOf({ results, plan }: Deployed): Row[] {
  const sent = results.map((result): Row => {
    const { step, outcome } = result;
    const place = step.kind === 'delete' ? NO_TEXT : placeOf(step);
    return { outcome, name: shown`${step.name}`, place, ...explainResult(result) };
  });
  const unchanged = unchangedParts(plan).map((part): Row => ({
    ...{ outcome: 'unchanged', name: shown`${part.name ?? ''}`, place: placeOf(part), reason: '', remedy: '' },
  }));
  const blocked = blockedParts(plan).map((part): Row => ({
    ...{ outcome: 'blocked', name: shown`${part.name ?? ''}`, place: placeOf(part), ...explainObstacle(part.obstacle) },
  }));
  return [...sent, ...unchanged, ...blocked];
}

const attempts = {
  create: l10n.t('Could not create the endpoint'),
  update: l10n.t('Could not update the endpoint'),
  delete: l10n.t('Could not delete the endpoint'),
};

function explainResult(result: Result): Pick<Row, 'reason' | 'remedy'> {
  if (result.outcome === 'changed')
    return {
      reason: l10n.t('The file or the endpoint has changed since the plan was shown.'),
      remedy: l10n.t('Run “Deploy All…” again.'),
    };
  if (result.outcome !== 'failed') return { reason: '', remedy: '' };
  const { error, step, uncertain } = result;
  const reason = explain(error, attempts[step.kind]);
  if (error instanceof ApiError && error.fields.length > 0)
    return { reason, remedy: l10n.t('Correct the marked fields, and select “Retry Failed”.') };
  if (uncertain && step.kind === 'create')
    return {
      reason: shown`${reason}. The platform may have created the endpoint.`,
      remedy: l10n.t('Select “Retry Failed”, which reads the endpoints first.'),
    };
  return { reason, remedy: shown`${remedyOf(error)?.label ?? l10n.t('Retry Failed')}` };
}
