import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { closeDifference, showDifference } from '../../../kit/showDocuments.ts';
import { confirmed, showMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { joined, shown, type Showable } from '../../../text/shownText.ts';
import { requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { mayAct, requireTrust, sourceOf } from '../../../account/consent/workspaceTrust.ts';
import { withResult } from '../actions/deploymentJournal.ts';
import { readEnvValues, UnresolvedReferencesError } from '../actions/resolveBody.ts';
import { overwrittenSettings, updateFromManifest, type UpdatePlan } from '../actions/updateEndpoint.ts';
import { priceSentence } from '../../../account/prices/money.ts';
import { isProductionWanted, isChangeWanted } from '../environments/chooseEnvironment.ts';
import { mayPassGate } from '../gate/mayPassGate.ts';
import { refusal, refusalOf, unresolved } from '../language/refusal.ts';
import { fileName, workspaceFolderOf } from '../manifestFiles.ts';
import { changeWords, workersSentence } from '../model/deployment/difference.ts';
import { referencesOf } from '../../../account/secrets/envReferences.ts';
import { valueSource } from '../../../account/secrets/valueSource.ts';
import { violationInManifest } from '../../../contract/manifest.ts';
import type { ChosenPart } from '../create/choosePart.ts';
import type { VerificationTest } from '../model/deployment/verificationTest.ts';
import { journaled } from './windowJournal.ts';
import { testOf, testSentences, tellDeployed, watchEndpoint } from './watchedEndpoint.ts';
import { chooseDeployed, type ChosenDeployed, type DeployedServices, readPlan } from './chooseDeployed.ts';

const UPDATE: CommandId = 'cloudCompute.manifest.update';
const MAX_CHANGES = 20;

/**
 * Updates the endpoint of a manifest from the text in the editor, saved or not: shows the differences, asks for confirmation, and sends
 * exactly the settings that differ.
 */
export async function updateFromDocument(deployed: DeployedServices, chosen: ChosenPart): Promise<void> {
  const { services, models, tests } = deployed;
  const { document, part } = chosen;
  const act = {
    source: sourceOf(document.uri),
    deed: shown`updating an endpoint from ${fileName(document.uri)}`,
  };
  const { manifest } = part;
  const references = referencesOf(manifest?.env);
  requireTrust({ ...act, process: undefined, references });
  if (!manifest) throw await refusal(document, part.problems, UPDATE);
  const target = await chooseDeployed(deployed, chosen);
  if (!target) return;
  const { client, profile, endpointId } = target;
  const { resolve, values, missing } = await readEnvValues([manifest.env], valueSource(services));
  if (missing.length > 0) throw unresolved(new UnresolvedReferencesError(missing));
  const plan = await readPlan(deployed, target, { manifest, resolve });
  const { comparison, endpoint, violations } = plan;
  const place = { document, part: part.index, command: UPDATE };
  if (violations.length > 0) throw await refusalOf(models, place, violations);
  if (comparison.changes.length === 0) {
    await services.endpoints.refreshOne(endpointId);
    void showMessage('information', shown`Endpoint “${endpoint.name}” is in sync with ${fileName(document.uri)}.`);
    return;
  }
  const sent = comparison.body.env ? references : [];
  if (!(await mayAct(services.context.workspaceState, profile, { ...act, process: plan.process, references: sent })))
    return;
  if (!(await mayPassGate(services, chosen, manifest, profile.kind))) return;
  const test = await testOf(tests, manifest, document);
  if (!(await isWanted(deployed, target, plan, test))) return;
  const isAllowed = part.environment
    ? await isProductionWanted(part.environment, profile.name)
    : await isChangeWanted(services, profile, endpoint);
  if (!isAllowed) return;
  // The connection may have changed while the question was open.
  requireConnectionOf(services.connections, profile.id);
  const title = shown`Updating endpoint “${endpoint.name}” on ${profile.name}…`;
  try {
    const { endpoint: updated, verification } = await withProgress(
      { title, location: { viewId: 'cloudCompute.endpoints' } },
      async () =>
        withProgress({ title, location: vscode.ProgressLocation.Notification }, async (signal, report) => {
          const deed = { kind: 'update', name: endpoint.name, manifest } as const;
          const place = { folder: workspaceFolderOf(document), environment: part.environment };
          const journal = await journaled(services, { client, profile, ...place }, [deed]);
          return withResult(journal, deed, async () => {
            const sent = await updateFromManifest({ client, store: services.endpoints }, plan, { values, signal });
            const watched = { client, profile, endpoint: sent, test, tests };
            return { endpoint: sent, verification: await watchEndpoint(services, watched, signal, report) };
          });
        }),
    );
    tellDeployed(shown`Endpoint “${updated.name}” updated`, verification, { endpoint: updated, isNew: false });
  } catch (error) {
    if (!(error instanceof ApiError) || error.fields.length === 0) throw error;
    const inManifest = error.fields.map((violation) => violationInManifest(violation, manifest, profile.kind));
    throw await refusalOf(models, place, inManifest);
  }
}

/** Shows the differences in a diff editor and asks for confirmation. Asks again if the endpoint changed in the meantime. */
async function isWanted(
  deployed: Pick<DeployedServices, 'priceOf' | 'documents'>,
  target: ChosenDeployed,
  plan: UpdatePlan,
  test: VerificationTest | undefined,
): Promise<boolean> {
  const { client, profile, part, document } = target;
  const { endpoint, comparison } = plan;
  const { changes } = comparison;
  const more = changes.length - MAX_CHANGES;
  const price = profile.kind === 'hosted' && part.manifest ? [priceSentence(deployed.priceOf(part.manifest))] : [];
  const lines: readonly Showable[] = [
    ...changes.slice(0, MAX_CHANGES).map(changeWords),
    ...(more > 0 ? [l10n.t`and ${more} more`] : []),
    '',
    workersSentence(comparison),
    ...testSentences(test),
    ...price,
  ];
  const question = shown`Update endpoint “${endpoint.name}” on “${profile.name}”?`;
  const before = await showDeployedDifference(deployed, target);
  try {
    if (!(await confirmed(question, joined(lines, '\n'), l10n.t('Update Endpoint')))) return false;
    const overwritten = await overwrittenSettings(client, comparison, endpoint);
    if (overwritten.length === 0) return true;
    const warning = shown`This overwrites a newer change of ${overwritten.join(l10n.t(' and '))}.`;
    return await confirmed(question, warning, l10n.t('Overwrite'));
  } finally {
    await closeDifference(before, document.uri);
  }
}

/** Opens the diff editor of the deployed endpoint and the file. Returns the address of the left side. */
async function showDeployedDifference(
  { documents }: Pick<DeployedServices, 'documents'>,
  { document, part, profile, endpointId }: ChosenDeployed,
): Promise<vscode.Uri> {
  const address = { connectionId: profile.id, endpointId, part: part.index };
  const before = await documents.prepare(address, document);
  await showDifference(before, document.uri, shown`${fileName(document.uri)}: Deployed ↔ File`);
  return before;
}

/** Shows the differences between the endpoint and its manifest. */
export async function compareDocument(deployed: DeployedServices, chosen: ChosenPart): Promise<void> {
  const { document, part } = chosen;
  if (!part.manifest) throw await refusal(document, part.problems, 'cloudCompute.manifest.compare');
  const target = await chooseDeployed(deployed, chosen);
  if (target) await showDeployedDifference(deployed, target);
}
