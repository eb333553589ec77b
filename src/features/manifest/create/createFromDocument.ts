import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { violationInManifest } from '../../../contract/manifest.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { UserError } from '../../../kit/userError.ts';
import { confirmed } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { pick } from '../../../kit/quickInput.ts';
import { joined, shown } from '../../../text/shownText.ts';
import { notConnected, requireConnection } from '../../../account/connections/requireConnection.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { processOf } from '../../../account/consent/trustDecision.ts';
import { mayAct, requireTrust, sourceOf, type TrustedAct } from '../../../account/consent/workspaceTrust.ts';
import { createEndpoint, draftOf, findNamesake, processOfDraft, type Draft } from '../actions/createEndpoint.ts';
import { NoFolderError } from '../actions/compareWithDeployed.ts';
import { withResult } from '../actions/deploymentJournal.ts';
import type { Obstacle } from '../../../account/diagnosis/diagnosis.ts';
import { readObstacle } from '../../../account/diagnosis/obstacle.ts';
import { startProblemWords } from '../../../account/endpoints/startProblems.ts';
import { type PriceOf, createTarget, type CreateTarget } from './createTarget.ts';
import { priceSentence } from '../../../account/prices/money.ts';
import { isProductionWanted } from '../environments/chooseEnvironment.ts';
import { mayPassGate } from '../gate/mayPassGate.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import type { Verification } from '../model/deployment/verification.ts';
import type { VerificationTest, VerificationTests } from '../model/deployment/verificationTest.ts';
import {
  testOf,
  testSentences,
  reportingFailures,
  tellDeployed,
  tellWithHelp,
  watchEndpoint,
  type Help,
} from '../deployed/watchedEndpoint.ts';
import { journaled } from '../deployed/windowJournal.ts';
import { noFolder, refusal, refusalOf, unresolved } from '../language/refusal.ts';
import type { CheckOptions, ManifestPart } from '../model/manifestFile.ts';
import type { ChosenPart } from './choosePart.ts';
import { fileName, folderOf, workspaceFolderOf } from '../manifestFiles.ts';
import { UnresolvedReferencesError } from '../actions/resolveBody.ts';
import { referencesOf } from '../../../account/secrets/envReferences.ts';
import { valueSource } from '../../../account/secrets/valueSource.ts';

const START: CommandId = 'cloudCompute.localPlatform.start';
const RUN: CommandId = 'cloudCompute.jobs.run';
const CREATE: CommandId = 'cloudCompute.manifest.createEndpoint';

/** The draft of a chosen part and its target platform. */
interface DocumentDraft extends Draft {
  readonly document: vscode.TextDocument;
  readonly target: CreateTarget;
  readonly act: TrustedAct;
}

type Services = Pick<
  AccountServices,
  | 'connections'
  | 'secrets'
  | 'endpoints'
  | 'localPlatform'
  | 'clock'
  | 'context'
  | 'globalState'
  | 'claimedFailures'
  | 'log'
>;

/** Functions that `createFromDocument` uses besides the services. */
export interface Creation {
  readonly models: ManifestModels;
  /** Reads and runs the job that verifies the endpoint. */
  readonly tests: VerificationTests;
  /** Returns the platform to check for. */
  readonly options: () => CheckOptions;
  /** Returns the price of a worker on the current connection, in USD per hour. Undefined if it is not known. */
  readonly priceOf: PriceOf;
  /** Called with the new endpoint before it is verified. */
  readonly created: (endpoint: Endpoint, connectionId: string) => Promise<void>;
}

/** Creates an endpoint from a part of the text in the editor, saved or not. */
export async function createFromDocument(
  services: Services,
  { models, tests, options, priceOf, created }: Creation,
  chosen: ChosenPart,
): Promise<void> {
  const { connections } = services;
  // A stopped local platform starts later, after the manifest is checked. A missing key fails here, before the check.
  if (!createTarget(connections).stopped) requireConnection(connections);
  const draft = await checkedDraft(createTarget(connections), options(), chosen);
  const connection = await startedConnection(services);
  if (!connection) return;
  const { client, profile } = connection;
  // The body was made for one kind of platform, and a hosted platform must not receive a local directory.
  if (profile.kind !== draft.target.kind) throw connectionChanged();
  const act = { ...draft.act, process: await processOfDraft(client, draft) };
  if (!(await mayAct(services.context.workspaceState, profile, act))) return;
  if (!(await mayPassGate(services, chosen, draft.manifest, profile.kind))) return;
  if (!(await mayTakeName(services, draft.body.name))) return;
  const test = await testOf(tests, draft.manifest, draft.document);
  if (profile.kind === 'hosted' && !(await isWanted({ ...draft, test }, profile, priceOf))) return;
  if (!(await isProductionWanted(chosen.part.environment, profile.name))) return;
  const title = shown`Creating endpoint “${draft.body.name}” on ${draft.target.name}…`;
  await withProgress({ title, location: { viewId: 'cloudCompute.endpoints' } }, async () => {
    const { endpoint, obstacle, verification } = await withProgress(
      { title, location: vscode.ProgressLocation.Notification },
      async (signal, report) => {
        const deed = { kind: 'create', name: draft.body.name, manifest: draft.manifest } as const;
        const place = { folder: workspaceFolderOf(draft.document), environment: chosen.part.environment };
        const journal = await journaled(services, { client, profile, ...place }, [deed]);
        const create = async (claim: (endpointId: string) => void): Promise<Created> => {
          const sent = await send(services, client, draft, models, signal);
          // A worker can fail before the steps until the watch are complete.
          claim(sent.id);
          await created(sent, profile.id);
          await vscode.commands.executeCommand('cloudCompute.endpoints.focus', { preserveFocus: true });
          const found = await readObstacle(services, sent);
          if (found) return { endpoint: sent, obstacle: found };
          const watched = { client, profile, endpoint: sent, test, tests };
          return { endpoint: sent, verification: await watchEndpoint(services, watched, signal, report) };
        };
        return withResult(journal, deed, () => reportingFailures(services, create));
      },
    );
    if (obstacle) tellObstacle(endpoint, obstacle);
    else
      tellDeployed(
        shown`Endpoint “${endpoint.name}” created`,
        verification,
        { endpoint, isNew: true },
        runHelp(endpoint),
      );
  });
}

type Created = { readonly endpoint: Endpoint } & (
  | { readonly obstacle: Obstacle; readonly verification?: undefined }
  | { readonly obstacle?: undefined; readonly verification: Verification }
);

/**
 * Returns the draft of a part without errors. The lists of the platform are not part of the check, because they can be out of date, and the
 * platform checks the body anyway.
 *
 * @throws UserError after showing the first error
 */
async function checkedDraft(
  target: CreateTarget,
  { names }: CheckOptions,
  { document, file, part }: ChosenPart,
): Promise<DocumentDraft> {
  const { checkManifestFile } = await import('../model/manifestFile.ts');
  const options = { target: target.kind, names, environment: part.environment?.name };
  const [checked = part] = checkManifestFile({ ...file, parts: [part.parsed] }, options).parts;
  if (!checked.manifest) throw await refusal(document, checked.problems, CREATE);
  const draft = draftIn(document, checked, target.kind);
  const act = {
    source: sourceOf(document.uri),
    process: processOf(draft.body),
    references: referencesOf(draft.body.env),
    deed: shown`creating an endpoint from ${fileName(document.uri)}`,
  };
  requireTrust(act);
  return { ...draft, document, target, act };
}

function draftIn(document: vscode.TextDocument, part: ManifestPart, target: CreateTarget['kind']): Draft {
  try {
    return draftOf(part, { target, folder: folderOf(document.uri) });
  } catch (error) {
    throw error instanceof NoFolderError ? noFolder(document) : error;
  }
}

function connectionChanged(): UserError {
  return new UserError(l10n.t('the connection changed before the endpoint was created'), {
    label: l10n.t('Try Again'),
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

/** Returns the current connection and starts its platform if needed. Undefined if the start failed, because its command shows the error. */
export async function startedConnection({ connections }: Pick<AccountServices, 'connections'>) {
  if (createTarget(connections).stopped) {
    await vscode.commands.executeCommand(START);
    if (notConnected(connections)) return undefined;
  }
  return requireConnection(connections);
}

/** Asks before it creates a second endpoint with the same name. Names are not unique, so a second one is valid. */
async function mayTakeName({ endpoints }: Services, name: string): Promise<boolean> {
  const namesake = await findNamesake(endpoints, name);
  if (!namesake) return true;
  const another = {
    label: shown`$(add) Create Another`,
    detail: shown`Creates a second endpoint named “${name}” with a different ID`,
  };
  const cancel = { label: shown`$(close) Cancel`, detail: l10n.t('Does not create an endpoint') };
  const placeholder = shown`An endpoint named “${name}” already exists (${namesake.endpoint.id})`;
  return (await pick([another, cancel], { placeholder })) === another;
}

/** Asks before it creates an endpoint on a hosted platform, which costs money. */
function isWanted(
  { body, manifest, test }: Draft & { readonly test: VerificationTest | undefined },
  profile: Profile,
  priceOf: PriceOf,
): Promise<boolean> {
  const question = shown`Create endpoint “${body.name}” on “${profile.name}”?`;
  const detail = joined([priceSentence(priceOf(manifest)), ...testSentences(test)], '\n');
  return confirmed(question, detail, l10n.t('Create Endpoint'));
}

async function send(
  services: Services,
  client: Client,
  draft: DocumentDraft,
  models: ManifestModels,
  signal: AbortSignal,
): Promise<Endpoint> {
  try {
    return await createEndpoint({ client, store: services.endpoints, values: valueSource(services) }, draft, signal);
  } catch (error) {
    if (error instanceof UnresolvedReferencesError) throw unresolved(error);
    if (!(error instanceof ApiError) || error.fields.length === 0) throw error;
    const { document, manifest, target, part } = draft;
    const inManifest = error.fields.map((violation) => violationInManifest(violation, manifest, target.kind));
    throw await refusalOf(models, { document, part: part.index, command: CREATE }, inManifest);
  }
}

/** Warns about what prevents the start of workers, and offers what lets them start. */
function tellObstacle({ id, name }: Endpoint, { problem }: Obstacle): void {
  const { headline, remedies } = startProblemWords(problem, 'local');
  const text = shown`Endpoint “${name}” created. It will not start here: ${headline}.`;
  tellWithHelp(
    'warning',
    text,
    [],
    remedies.map(({ title, command }) => helpOf(title, command, id)),
  );
}

/** Offers to run a job. */
function runHelp({ id, type }: Endpoint): readonly Help[] {
  return type === 'LOAD_BALANCER' ? [] : [helpOf(l10n.t('Run Job…'), RUN, id)];
}

function helpOf(button: string, command: CommandId, endpointId: string): Help {
  const node: EndpointNode = { kind: 'endpoint', endpointId };
  return [button, () => vscode.commands.executeCommand(command, node)];
}
