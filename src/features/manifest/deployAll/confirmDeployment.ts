import * as l10n from '@vscode/l10n';
import { WORKER_DEFAULTS } from '../../../contract/endpointSettings.ts';
import { confirmed } from '../../../kit/messages.ts';
import { joined, namedAtMost, type Showable, shown } from '../../../text/shownText.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { readBeforeDeletion } from '../../endpoints/actions/deleteEndpoints.ts';
import { deletionQuestion } from '../../endpoints/model/deletion.ts';
import { mayAct } from '../../../account/consent/workspaceTrust.ts';
import { priceSentence } from '../../../account/prices/money.ts';
import type { PriceOf } from '../create/createTarget.ts';
import type { DeployedServices } from '../deployed/chooseDeployed.ts';
import { stepWords } from '../model/deployment/planWords.ts';
import { referencesOf } from '../../../account/secrets/envReferences.ts';
import type { CreateStep, Step, UpdateStep } from '../model/deployment/deploymentPlan.ts';
import * as vscode from 'vscode';
import { pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';

/** Asks before it sends steps to a hosted platform, before it deletes endpoints, and before a platform runs a command as a process. */
export async function isWanted(
  { services, priceOf }: Pick<DeployedServices, 'services' | 'priceOf'>,
  profile: Profile,
  steps: readonly Step[],
): Promise<boolean> {
  const deploying = steps.filter((step) => step.kind !== 'delete');
  for (const { process, body, manifest, fileName: name } of deploying) {
    const references = body.env ? referencesOf(manifest.env) : [];
    const act = { source: 'workspaceFile', process, references, deed: shown`deploying ${name}` } as const;
    if (!(await mayAct(services.context.workspaceState, profile, act))) return false;
  }
  if (profile.kind === 'hosted' && deploying.length > 0 && !(await isPaidFor(profile, deploying, priceOf)))
    return false;
  const deletions = steps.filter((step) => step.kind === 'delete');
  if (deletions.length === 0) return true;
  const { endpoints } = services;
  await endpoints.refresh();
  const ids = deletions.map(({ endpoint }) => endpoint.id);
  const { message, detail } = deletionQuestion(await readBeforeDeletion(endpoints, ids));
  return confirmed(message, detail, l10n.t('Delete'));
}

function isPaidFor({ name }: Profile, steps: readonly (CreateStep | UpdateStep)[], priceOf: PriceOf): Promise<boolean> {
  const lines: readonly Showable[] = [
    ...namedAtMost(
      steps.map((step) => shown`• ${stepWords(step)}`),
      '• ',
    ),
    '',
    ...testsSentences(steps),
    totalSentence(steps, priceOf),
  ];
  const question =
    steps.length === 1 ? shown`Deploy 1 endpoint to “${name}”?` : shown`Deploy ${steps.length} endpoints to “${name}”?`;
  return confirmed(question, joined(lines, '\n'), l10n.t('Deploy'));
}

function testsSentences(steps: readonly (CreateStep | UpdateStep)[]): readonly string[] {
  const jobs = steps.filter(({ test }) => test?.kind === 'job').length;
  const sendsRequests = steps.some(({ test }) => test?.kind === 'requests');
  return [
    ...(jobs === 0
      ? []
      : [jobs === 1 ? l10n.t('Then runs 1 job of x-verify.') : l10n.t`Then runs ${jobs} jobs of x-verify.`]),
    ...(sendsRequests ? [l10n.t('Then sends the requests of x-verify.')] : []),
  ];
}

/** Returns the price with the maximum number of workers of all endpoints. */
function totalSentence(steps: readonly (CreateStep | UpdateStep)[], priceOf: PriceOf): Showable {
  const prices = steps.map(({ manifest }) => {
    const price = priceOf(manifest);
    return price === undefined ? undefined : price * (manifest.workers?.max ?? WORKER_DEFAULTS.max);
  });
  const isKnown = prices.every((price) => price !== undefined);
  if (!isKnown) return priceSentence(undefined);
  const total = prices.reduce((sum, price) => sum + price, 0);
  return shown`All workers cost up to $${total.toFixed(2)} per hour.`;
}

/**
 * Returns the folder that a command acts on: its argument, the workspace folder, or one that the user picks. Returns undefined if the user
 * dismissed the picker.
 *
 * @throws UserError if no folder is open
 */
export async function chooseFolder(argument: unknown): Promise<vscode.Uri | undefined> {
  if (argument instanceof vscode.Uri) return argument;
  const [first, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (!first) throw new UserError(l10n.t('no folder is open; open the folder that contains the manifests'));
  if (others.length === 0) return first.uri;
  const items = [first, ...others].map(({ name, uri }) => ({ label: shown`$(folder) ${name}`, uri }));
  return (await pick(items, { placeholder: l10n.t('Folder with the manifests to deploy') }))?.uri;
}
