import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { explain, remedyOf } from '../../../kit/explain.ts';
import { formatted, joinedMarkdown, table, type Markdown } from '../../../text/markdown.ts';
import { joined, NO_TEXT, shown, type Showable, type ShownText } from '../../../text/shownText.ts';
import { isDeployed, type DeployedStep, type Reverted, type VerifiedStep } from '../actions/deploySteps.ts';
import type { BrokenEndpoint } from '../deployed/watchedEndpoint.ts';
import { blockedParts, unchangedParts, type DeploymentPlan, type Step } from '../model/deployment/deploymentPlan.ts';
import { changeWords } from '../model/deployment/difference.ts';
import { countWords, explainObstacle, placeOf } from '../model/deployment/planWords.ts';
import { lostWords } from '../model/deployment/rollback.ts';
import { isBroken, verificationWords } from '../model/deployment/verification.ts';

/** A finished deployment. */
export interface Deployed {
  readonly results: readonly DeployedStep[];
  /** The plan that was read before the steps were sent. */
  readonly plan: DeploymentPlan;
}

/** `broken`: the endpoint does not work. `unverified`: its state is not known. */
type Outcome = DeployedStep['outcome'] | 'broken' | 'reverted' | 'unverified' | 'unchanged' | 'blocked';

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
  broken: l10n.t('not working'),
  reverted: l10n.t('rolled back'),
  unverified: l10n.t('not verified'),
  overtaken: l10n.t('created by another deployment'),
  differs: l10n.t('changed by others'),
  unchanged: l10n.t('unchanged'),
  failed: l10n.t('failed'),
  changed: l10n.t('not sent, because the plan changed'),
  canceled: l10n.t('canceled'),
  blocked: l10n.t('with problems'),
};
const GOOD = ['created', 'updated', 'deleted', 'unchanged'] as const;
const BAD = ['failed', 'broken', 'reverted', 'unverified', 'differs', 'overtaken', 'changed'] as const;
/** Outcomes in the order of the report. */
const ORDER: readonly Outcome[] = [...BAD, 'blocked', 'canceled', ...GOOD];
const SUMMARY_ORDER: readonly Outcome[] = [...GOOD, ...BAD, 'blocked', 'canceled'];

/** Returns the counts of all outcomes, such as `3 created, 1 updated, 2 unchanged, 1 failed`. */
export function summaryOf(deployed: Deployed): string {
  const rows = rowsOf(deployed);
  return countWords(
    SUMMARY_ORDER.map((outcome) => [rows.filter((row) => row.outcome === outcome).length, outcomeWords[outcome]]),
  );
}

/** Returns the text of the notification: the counts, and the cause if one step did not succeed. */
export function noticeOf(deployed: Deployed, connection: string): ShownText {
  const text = shown`Deployment to “${connection}”: ${summaryOf(deployed) || l10n.t('nothing to do')}.`;
  const [bad, ...others] = deployed.results.filter((result) => !isDeployed(result) && result.outcome !== 'canceled');
  const reason = bad && others.length === 0 && 'verification' in bad ? explainResult(bad).reason : '';
  return bad && reason !== '' ? shown`${text} “${bad.step.name}”: ${reason}` : text;
}

/** Returns whether all chosen steps have succeeded, except for those that the user canceled. */
export function isGood({ results }: Deployed): boolean {
  return results.every(
    (result) =>
      isDeployed(result) ||
      result.outcome === 'canceled' ||
      ('verification' in result && result.verification.outcome === 'interrupted'),
  );
}

/** Returns the endpoints that do not work and still have the new settings. */
export function brokenEndpoints({ results }: Deployed): readonly BrokenEndpoint[] {
  return results.flatMap((result) =>
    'verification' in result && isBroken(result.verification) && !isReverted(result)
      ? [{ endpoint: result.endpoint, isNew: result.outcome === 'created' }]
      : [],
  );
}

const isReverted = ({ reverted }: VerifiedStep): boolean => reverted !== undefined && !('error' in reverted);

/** Returns the steps that a retry would send again. */
export function failedSteps({ results }: Deployed): readonly Step[] {
  return results.flatMap(({ outcome, step }) => (outcome === 'failed' || outcome === 'changed' ? [step] : []));
}

/** Returns the report as Markdown, with the reason and the remedy of each endpoint that was not deployed. */
export function reportOf(deployed: Deployed, connection: string): Markdown {
  const rows = rowsOf(deployed).sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
  const hasRemedies = rows.some(({ remedy }) => remedy !== '');
  const cells = rows.map(({ outcome, name, place, reason, remedy }) => [
    outcome === 'blocked' ? 'problem' : outcomeWords[outcome],
    ...[name, place, shown`${reason}`],
    ...(hasRemedies ? [shown`${remedy}`] : []),
  ]);
  const head = [l10n.t('Result'), l10n.t('Endpoint'), l10n.t('File'), l10n.t('Reason')];
  return joinedMarkdown(
    [
      formatted`# Deployment to ${connection}`,
      formatted`${summaryOf(deployed)}.`,
      table(cells, hasRemedies ? [...head, l10n.t('Remedy')] : head),
    ],
    '\n\n',
  );
}

function outcomeOf(result: DeployedStep): Outcome {
  if (!('verification' in result) || isDeployed(result)) return result.outcome;
  if (isReverted(result)) return 'reverted';
  return isBroken(result.verification) ? 'broken' : 'unverified';
}

function rowsOf({ results, plan }: Deployed): Row[] {
  const sent = results.map((result): Row => {
    const { step } = result;
    const outcome = outcomeOf(result);
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

function explainResult(result: DeployedStep): Pick<Row, 'reason' | 'remedy'> {
  const again = l10n.t('Run “Deploy All…” again.');
  if ('verification' in result) return explainVerified(result);
  switch (result.outcome) {
    case 'changed':
      return { reason: l10n.t('The file or the endpoint has changed since the plan was shown.'), remedy: again };
    case 'differs': {
      const settings = joined(result.changes.map(changeWords), '; ');
      return {
        reason: shown`The settings of the endpoint differ from those that were sent: ${settings}.`,
        remedy: again,
      };
    }
    case 'overtaken':
      return 'error' in result
        ? { reason: explain(result.error, l10n.t('Could not delete the second endpoint')), remedy: '' }
        : { reason: l10n.t('The endpoint of this deployment was deleted again.'), remedy: again };
    case 'deleted':
    case 'canceled':
      return { reason: '', remedy: '' };
    case 'failed':
      return explainFailure(result);
  }
}

function explainVerified(result: VerifiedStep): Pick<Row, 'reason' | 'remedy'> {
  const { verification, reverted, outcome } = result;
  const reason = shown`${sentence(verificationWords(verification))}`;
  if (reverted) return { reason: shown`${reason} ${revertedWords(outcome, reverted)}`, remedy: '' };
  return { reason, remedy: isBroken(verification) ? l10n.t('Explain This Endpoint') : '' };
}

/** Returns the end of a sentence as a sentence. */
function sentence(words: string): string {
  const text = words.trimEnd();
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

function revertedWords(outcome: VerifiedStep['outcome'], reverted: Reverted): ShownText {
  if ('error' in reverted) return explain(reverted.error, l10n.t('Could not roll back the endpoint'));
  if (outcome === 'created') return shown`The endpoint was deleted again.`;
  const lost = joined(reverted.lost.map(lostWords), '; ');
  return reverted.lost.length === 0
    ? shown`The endpoint has its earlier settings again.`
    : shown`The endpoint has its earlier settings again, with exceptions: ${lost}.`;
}

function explainFailure(result: Extract<DeployedStep, { outcome: 'failed' }>): Pick<Row, 'reason' | 'remedy'> {
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
