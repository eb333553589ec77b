import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showError } from '../../../kit/errors.ts';
import type { Reports } from '../../../kit/documents/reports.ts';
import { showMarkdown } from '../../../kit/showDocuments.ts';
import { showMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireTrust } from '../../../account/consent/workspaceTrust.ts';
import { withResults } from '../actions/deploymentJournal.ts';
import { deploySteps, type DeployedStep } from '../actions/deploySteps.ts';
import { readEnvValues } from '../actions/resolveBody.ts';
import { planDeployment, type PlanSources } from '../actions/planDeployment.ts';
import { readManifests } from '../actions/readManifests.ts';
import type { ValueSource } from '../../../account/secrets/envReferences.ts';
import { startedConnection } from '../create/createFromDocument.ts';
import type { DeployedServices } from '../deployed/chooseDeployed.ts';
import { journaled } from '../deployed/windowJournal.ts';
import { reportingFailures, tellWithHelp, VERIFY_MS } from '../deployed/watchedEndpoint.ts';
import type { ActiveEnvironment } from '../environments/activeEnvironment.ts';
import { chooseEnvironment, environmentsIn, isProductionWanted } from '../environments/chooseEnvironment.ts';
import { fileName, folderOf, languageOf, workspaceTree } from '../manifestFiles.ts';
import {
  blockedParts,
  deletionsOf,
  deployingSteps,
  keyOf,
  type BlockedPart,
  type CreateStep,
  type DeploymentPlan,
  type Step,
  type UpdateStep,
} from '../model/deployment/deploymentPlan.ts';
import type { CheckOptions } from '../model/manifestFile.ts';
import type { FolderEnvironment } from '../model/patched/environmentsOf.ts';
import { violationInManifest } from '../../../contract/manifest.ts';
import { comparedValues, valueSource } from '../../../account/secrets/valueSource.ts';
import { chooseFolder, isWanted } from './confirmDeployment.ts';
import {
  brokenEndpoints,
  failedSteps,
  isGood,
  noticeOf,
  reportOf,
  summaryOf,
  type Deployed,
} from './deploymentReport.ts';
import { choosePlan, planSummary, type ChosenSteps, type PlanQuestion } from './planPick.ts';
import { stepWords } from '../model/deployment/planWords.ts';

/** Start of the message about a failure. */
const ATTEMPT = l10n.t('Could not deploy the manifests');
const NEW_FILE: CommandId = 'cloudCompute.manifest.newFile';
const DEPLOY_ALL: CommandId = 'cloudCompute.manifest.deployAll';
const COMPARE: CommandId = 'cloudCompute.manifest.compare';
const OPEN_ENDPOINT: CommandId = 'cloudCompute.endpoints.open';
/** Maximum number of files with rejected fields that open after a deployment. */
const MAX_OPENED = 3;

export interface DeployAllServices extends DeployedServices {
  readonly active: ActiveEnvironment;
  readonly reports: Reports;
  /** Returns the platform to check for. */
  readonly options: () => CheckOptions;
}

/** A folder and the connection that it is deployed to. */
interface Run {
  readonly all: DeployAllServices;
  readonly folder: vscode.Uri;
  readonly profile: Profile;
  /** Undefined if no manifest of the folder has environments. */
  readonly environment: FolderEnvironment | undefined;
}

/** Deploys the manifests of a folder: shows the plan, asks for confirmation, sends the chosen steps, and shows a summary. */
export async function deployAll(all: DeployAllServices, argument: unknown): Promise<void> {
  const folder = await chooseFolder(argument);
  if (!folder) return;
  const deed = shown`deploying the manifests of ${fileName(folder)}`;
  requireTrust({ source: 'workspaceFile', process: undefined, deed });
  const environments = await environmentsIn(folder);
  const environment = environments.length > 0 ? await chooseEnvironment(all, environments) : undefined;
  if (environments.length > 0 && !environment) return;
  const connection = await startedConnection(all.services);
  if (!connection) return;
  const run = { all, folder, profile: connection.profile, environment };
  const read = await showReading(run);
  if (!read) return;
  const { plan } = read;
  if (plan.parts.length === 0) {
    tellEmpty(folder);
    return;
  }
  if (deployingSteps(plan).length + blockedParts(plan).length === 0) {
    const text = shown`Nothing to deploy: ${planSummary(plan)} on “${run.profile.name}”.`;
    const show = l10n.t('Show Plan');
    if ((await showMessage('information', text, ...(plan.notInFiles.length > 0 ? [show] : []))) !== show) return;
  }
  const chosen = await choosePlan(questionOf(run, plan));
  if (!chosen || chosen.steps.length === 0 || !(await mayDeploy(run, chosen.steps))) return;
  const deployed = await send(run, chosen, plan);
  if (deployed) await finish(run, deployed);
}

/** Asks before it sends steps, and for the name of the environment in production. */
async function mayDeploy(run: Run, chosen: readonly Step[]): Promise<boolean> {
  const profile = currentProfile(run);
  return (await isWanted(run.all, profile, chosen)) && (await isProductionWanted(run.environment, profile.name));
}

/** Returns the client of the connection that the plan is for. @throws UserError if another connection is the current one now */
function currentClient({ connections }: Pick<AccountServices, 'connections'>, { id }: Profile): Client {
  if (connections.profile?.id === id) return requireConnection(connections).client;
  throw new UserError(l10n.t('the connection changed before the endpoints were deployed'), {
    label: l10n.t('Try Again'),
    command: DEPLOY_ALL,
  });
}

/** Returns the connection that the plan is for. @throws UserError if another connection is the current one now */
function currentProfile({ all, profile }: Run): Profile {
  currentClient(all.services, profile);
  return profile;
}

interface ReadPlan {
  readonly plan: DeploymentPlan;
  /** Values of the references in the plan. */
  readonly values: readonly string[];
}

/** Reads the files and the endpoints, and shows progress. Returns undefined if the user canceled. */
async function showReading(run: Run): Promise<ReadPlan | undefined> {
  const title = shown`Comparing the manifests of ${fileName(run.folder)} with “${run.profile.name}”…`;
  return withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal) =>
    unlessCanceled(signal, () => readPlan(run, comparedValues(run.all.services), signal)),
  );
}

/** Returns undefined if the user canceled. */
async function unlessCanceled<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await act();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Reads the files and the endpoints. */
async function readPlan(
  { all, folder, profile, environment }: Run,
  source: ValueSource,
  signal: AbortSignal,
): Promise<ReadPlan> {
  const { services, links, tests } = all;
  const options = () => ({ ...all.options(), environment: environment?.name });
  const client = currentClient(services, profile);
  const found = await readManifests(workspaceTree, folder, signal);
  const files = found.map(({ place, path, content }) => ({
    file: place.toString(),
    fileName: path,
    language: languageOf(place),
    folder: folderOf(place),
    content,
  }));
  let values: readonly string[] = [];
  const valuesOf: PlanSources['valuesOf'] = async (environments) => {
    const read = await readEnvValues(environments, source);
    values = read.values;
    return read;
  };
  const plan = await planDeployment({
    ...{ client, files, options, links: links.of(profile.id), tests, valuesOf, signal },
    requiresGates: true,
  });
  return { plan, values };
}

function tellEmpty(folder: vscode.Uri): void {
  const create = l10n.t('New Endpoint File…');
  void showMessage('information', shown`${fileName(folder)} has no manifests (*.endpoint.yaml).`, create).then(
    (chosen) => {
      if (chosen === create) void vscode.commands.executeCommand(NEW_FILE, folder);
    },
  );
}

function questionOf({ all, profile, environment }: Run, plan: DeploymentPlan): PlanQuestion {
  const act: PlanQuestion['act'] = (button, of) => {
    if (of.kind === 'delete') {
      const node: EndpointNode = { kind: 'endpoint', endpointId: of.endpoint.id };
      void vscode.commands.executeCommand(OPEN_ENDPOINT, node);
      return;
    }
    const uri = vscode.Uri.parse(of.file, true);
    void (button === 'compare' ? vscode.commands.executeCommand(COMPARE, uri, of.part) : openFile(uri, of));
  };
  return { plan, connection: profile, environment, priceOf: all.priceOf, act };
}

/** Opens a manifest at its first problem. Does nothing if the editor cannot open it, because the plan shows the reason. */
async function openFile(uri: vscode.Uri, of: CreateStep | UpdateStep | BlockedPart): Promise<void> {
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const start = of.kind === 'blocked' && of.obstacle.kind === 'invalid' ? of.obstacle.problem.start : undefined;
    const place = start === undefined ? undefined : document.positionAt(start);
    const options = { preserveFocus: true, preview: true };
    await vscode.window.showTextDocument(document, {
      ...options,
      ...(place && { selection: new vscode.Range(place, place) }),
    });
  } catch {
    // A binary file, for example.
  }
}

/** Deploys the chosen steps, and returns the results. Returns undefined if the user canceled before anything was sent. */
async function send(
  run: Run,
  { steps, revertsFailures }: ChosenSteps,
  shownPlan: DeploymentPlan,
): Promise<Deployed | undefined> {
  const { all, profile, environment } = run;
  const { services, links, tests } = all;
  const title = shown`Deploying to “${profile.name}”`;
  // One notification for all parts, because the editor hides notifications that follow others too quickly.
  return withProgress({ title, location: vscode.ProgressLocation.Notification }, async (signal, report) => {
    const client = currentClient(services, profile);
    const journal = await journaled(services, { client, profile, folder: run.folder, environment }, steps);
    const plans: DeploymentPlan[] = [];
    let started = 0;
    const results = await unlessCanceled(signal, () =>
      reportingFailures(services, (claim) =>
        withResults(journal, steps, () =>
          deploySteps(
            {
              ...{ client, store: services.endpoints, platform: profile.kind },
              ...{ verifyMs: VERIFY_MS, revertsFailures, tests },
              readPlan: async () => {
                const read = await readPlan(run, valueSource(services), signal);
                plans.push(read.plan);
                return read;
              },
              deployed: async (step, { id }) => {
                claim(id);
                await links.link(profile.id, step, id).catch((error: unknown) => {
                  services.log.warn(`Could not store the link of ${step.fileName}`, error);
                });
              },
              starting: (step) => report(shown`${++started} of ${steps.length}: ${stepWords(step)}`),
              onState: ({ name }, { headline }) => report(shown`“${name}”: ${headline}`),
            },
            steps,
            signal,
          ),
        ),
      ),
    );
    const [plan] = plans;
    return results && plan && deployedOf(results, plan, shownPlan);
  });
}

/** @param plan the plan that was read before the steps were sent */
function deployedOf(results: readonly DeployedStep[], plan: DeploymentPlan, shownPlan: DeploymentPlan): Deployed {
  // The report contains the parts that are now unchanged or have a problem.
  const settled = new Set(plan.parts.filter(({ kind }) => kind === 'unchanged' || kind === 'blocked').map(keyOf));
  return {
    results: results.filter(({ outcome, step }) => outcome !== 'changed' || !settled.has(keyOf(step))),
    plan: { ...plan, parts: plan.parts.filter((part) => shownPlan.parts.some((one) => keyOf(one) === keyOf(part))) },
  };
}

/** Shows the rejected fields and the summary. */
async function finish(run: Run, deployed: Deployed): Promise<void> {
  const { all, profile } = run;
  await placeViolations(run, deployed).catch((error: unknown) => {
    all.services.log.warn('Could not show the rejected fields', error);
  });
  const report = reportOf(deployed, profile.name);
  all.services.log.info(`Deployed to ${profile.name}: ${summaryOf(deployed)}`);
  const failed = failedSteps(deployed);
  const isBlocked = blockedParts(deployed.plan).length > 0;
  const severity = !isGood(deployed) ? 'error' : isBlocked ? 'warning' : 'information';
  const retry = () => retryFailed(run, failed).catch((error: unknown) => showError(all.services.log, error, ATTEMPT));
  tellWithHelp(severity, noticeOf(deployed, profile.name), brokenEndpoints(deployed), [
    [l10n.t('Show Details'), () => showMarkdown(all.reports.add('deployment', report))],
    ...(failed.length > 0 ? [[l10n.t('Retry Failed'), retry] as const] : []),
  ]);
}

/** Shows the fields that the platform rejected in their files. */
async function placeViolations({ all, profile }: Run, { results }: Deployed): Promise<void> {
  let opened = 0;
  for (const result of results) {
    const { step } = result;
    if (result.outcome !== 'failed' || step.kind === 'delete' || !(result.error instanceof ApiError)) continue;
    const violations = result.error.fields.map((one) => violationInManifest(one, step.manifest, profile.kind));
    if (violations.length === 0) continue;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(step.file, true));
    // A document without an editor can be closed, which removes its problems.
    if (opened++ < MAX_OPENED) await vscode.window.showTextDocument(document, { preview: false, preserveFocus: true });
    await all.models.report(document, step.part, violations);
  }
}

/**
 * Sends failed steps again. The plan is read first, because a lost response can have created its endpoint, and because the user can have
 * corrected a file.
 */
async function retryFailed(run: Run, failed: readonly Step[]): Promise<void> {
  const read = await showReading(run);
  if (!read) return;
  const { plan } = read;
  const keys = new Set(failed.map(keyOf));
  const isFailed = (step: Step | DeploymentPlan['parts'][number]) => keys.has(keyOf(step));
  const chosen = [...deployingSteps(plan), ...deletionsOf(plan)].filter(isFailed);
  const own = { ...plan, parts: plan.parts.filter(isFailed) };
  if (chosen.length > 0 && !(await mayDeploy(run, chosen))) return;
  const { links } = run.all;
  for (const part of own.parts) if (part.kind === 'unchanged') await links.link(run.profile.id, part, part.endpoint.id);
  const retried = { steps: chosen, revertsFailures: false };
  const deployed = chosen.length > 0 ? await send(run, retried, own) : { results: [], plan: own };
  if (deployed) await finish(run, deployed);
}
