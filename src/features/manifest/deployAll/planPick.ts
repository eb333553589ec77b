import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { accepted, createPick, rowOf, separator, type Row, type ShownItem } from '../../../kit/quickInput.ts';
import { joined, shown, type ShownText } from '../../../text/shownText.ts';
import { priceLabel, type PriceOf } from '../create/createTarget.ts';
import { productionLabel } from '../environments/activeEnvironment.ts';
import {
  blockedParts,
  deletionsOf,
  deployingSteps,
  unchangedParts,
  type BlockedPart,
  type CreateStep,
  type DeleteStep,
  type DeploymentPlan,
  type Step,
  type UpdateStep,
} from '../model/deployment/deploymentPlan.ts';
import { changeWords } from '../model/deployment/difference.ts';
import { countWords, explainObstacle, placeOf } from '../model/deployment/planWords.ts';

interface PlanItem extends ShownItem {
  /** Undefined for a separator and for the option. */
  readonly of?: Step | BlockedPart;
}

/** Steps that the user wants. */
export interface ChosenSteps {
  readonly steps: readonly Step[];
  /** Whether a step is taken back if its endpoint does not work. */
  readonly revertsFailures: boolean;
}

const REVERT: PlanItem = {
  label: shown`$(discard) Roll back on failure`,
  detail: l10n.t('Reverts each change whose endpoint does not work'),
};

type Button = 'openFile' | 'compare' | 'openEndpoint';

const buttons: Readonly<Record<Button, vscode.QuickInputButton>> = {
  openFile: { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: l10n.t('Open File') },
  compare: { iconPath: new vscode.ThemeIcon('diff'), tooltip: l10n.t('Compare with Deployed') },
  openEndpoint: { iconPath: new vscode.ThemeIcon('open-preview'), tooltip: l10n.t('Show Endpoint as Document') },
};

export interface PlanQuestion {
  readonly plan: DeploymentPlan;
  readonly connection: { readonly kind: 'local' | 'hosted'; readonly name: string };
  readonly environment: { readonly name: string; readonly production: boolean } | undefined;
  readonly priceOf: PriceOf;
  /** Called for a button of a row. The plan stays open. */
  readonly act: (button: Button, of: Step | BlockedPart) => void;
}

/**
 * Shows the plan with checkboxes, and returns the chosen steps. Creations and updates are selected first, and deletions are not. A part
 * with a problem cannot be selected. Returns undefined if the user dismissed the plan.
 */
export function choosePlan(question: PlanQuestion): Promise<ChosenSteps | undefined> {
  const { plan, act } = question;
  const list = createPick<PlanItem>({
    title: titleOf(question),
    placeholder: shown`${planSummary(plan)}. Select the endpoints to deploy.`,
  });
  list.canSelectMany = true;
  list.ignoreFocusOut = true;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  const rows = itemsOf(question).map(rowOf);
  list.items = rows;
  const preselected = new Set<unknown>(deployingSteps(plan));
  list.selectedItems = rows.filter(({ item }) => preselected.has(item.of));
  list.onDidChangeSelection((selected) => {
    const possible = selected.filter(({ item }) => item.of?.kind !== 'blocked');
    if (possible.length < selected.length) list.selectedItems = possible;
  });
  list.onDidTriggerItemButton(({ item: { item }, button }) => {
    const [name] = Object.entries(buttons).find(([, one]) => one === button) ?? [];
    if (item.of && name !== undefined) act(name as Button, item.of);
  });
  return accepted(list, () => chosenOf(list.selectedItems));
}

function titleOf({ connection, environment }: PlanQuestion): ShownText {
  if (!environment) return shown`Deploy All to “${connection.name}”`;
  const { name, production } = environment;
  return shown`Deploy All to ${production ? productionLabel(name) : name} on “${connection.name}”`;
}

function chosenOf(rows: readonly Row<PlanItem>[]): ChosenSteps {
  return {
    steps: rows.flatMap(({ item: { of } }) => (of && of.kind !== 'blocked' ? [of] : [])),
    revertsFailures: rows.some(({ item }) => item === REVERT),
  };
}

/** Returns the counts of a plan, such as `2 to create, 1 unchanged`. */
export function planSummary(plan: DeploymentPlan): string {
  const steps = deployingSteps(plan);
  return countWords([
    [steps.filter(({ kind }) => kind === 'create').length, l10n.t('to create')],
    [steps.filter(({ kind }) => kind === 'update').length, l10n.t('to update')],
    [unchangedParts(plan).length, l10n.t('unchanged')],
    [blockedParts(plan).length, l10n.t('with problems')],
    [plan.notInFiles.length, l10n.t('not in files')],
  ]);
}

function itemsOf({ plan, connection, priceOf }: PlanQuestion): readonly PlanItem[] {
  const steps = deployingSteps(plan);
  const priced = (step: CreateStep | UpdateStep) =>
    deployItem(step, connection.kind === 'hosted' ? priceOf : undefined);
  const notInFiles = plan.complete ? l10n.t('Not in files (delete)') : l10n.t('Not in files that can be read (delete)');
  return [
    ...section(l10n.t('Create'), steps.filter(({ kind }) => kind === 'create').map(priced)),
    ...section(l10n.t('Update'), steps.filter(({ kind }) => kind === 'update').map(priced)),
    ...section(l10n.t('Problems (cannot be deployed)'), blockedParts(plan).map(blockedItem)),
    ...section(notInFiles, deletionsOf(plan).map(deletionItem)),
    ...section(l10n.t('Options'), steps.length > 0 ? [REVERT] : []),
  ];
}

function section(label: string, items: readonly PlanItem[]): readonly PlanItem[] {
  return items.length > 0 ? [separator(label), ...items] : [];
}

function deployItem(step: CreateStep | UpdateStep, priceOf: PriceOf | undefined): PlanItem {
  const price = priceOf?.(step.manifest);
  const facts = [...(price === undefined ? [] : [priceLabel(price)]), ...testFacts(step)];
  const description = joined([placeOf(step), ...facts], ' · ');
  if (step.kind === 'create')
    return { label: shown`$(add) ${step.name}`, description, buttons: [buttons.openFile], of: step };
  return {
    label: shown`$(edit) ${step.name}`,
    description,
    detail: updateDetail(step),
    buttons: [buttons.compare, buttons.openFile],
    of: step,
  };
}

function testFacts({ test }: CreateStep | UpdateStep): readonly string[] {
  if (!test) return [];
  return [test.kind === 'job' ? l10n.t('runs a job') : l10n.t('sends requests')];
}

function updateDetail({ changes, replacesWorkers }: UpdateStep): ShownText {
  return joined([...changes.map(changeWords), ...(replacesWorkers ? [l10n.t('replaces the workers')] : [])], '; ');
}

function blockedItem(part: BlockedPart): PlanItem {
  const { reason, remedy } = explainObstacle(part.obstacle);
  const isFile = !(part.obstacle.kind === 'unreadable' && part.obstacle.reason === 'folder');
  return {
    label: part.name === undefined ? shown`$(error) ${part.fileName}` : shown`$(error) ${part.name}`,
    description: part.name === undefined ? undefined : placeOf(part),
    detail: shown`${reason} ${remedy}`,
    buttons: isFile ? [buttons.openFile] : [],
    of: part,
  };
}

function deletionItem(step: DeleteStep): PlanItem {
  return {
    label: shown`$(trash) ${step.name}`,
    description: shown`${step.endpoint.id}`,
    buttons: [buttons.openEndpoint],
    of: step,
  };
}
