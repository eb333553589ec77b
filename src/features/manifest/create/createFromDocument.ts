import path from 'node:path';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { CommandId } from '../../../vscode/commandIds.ts';
import { UserError } from '../../../vscode/userError.ts';
import { showMessage } from '../../../vscode/messages.ts';
import { withProgress } from '../../../vscode/progress.ts';
import { pick } from '../../../vscode/quickInput.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { notConnected, requireConnection } from '../../connections/requireConnection.ts';
import type { EndpointNode } from '../../endpoints/endpointNode.ts';
import type { Services } from '../../services.ts';
import { processOf } from '../../trust/trustDecision.ts';
import { mayAct, requireTrust, sourceOf, type TrustedAct } from '../../trust/workspaceTrust.ts';
import {
  createEndpoint,
  findNamesake,
  InvalidManifestError,
  NoFolderError,
  processOfDraft,
  readDraft,
  type Draft,
} from '../actions/createEndpoint.ts';
import { createTarget, type CreateTarget } from './createTarget.ts';
import { rangeOf } from '../language/manifestDiagnostics.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import type { ManifestProblem } from '../model/problem.ts';
import { fileName, languageOf } from '../manifestFiles.ts';
import { UnresolvedReferencesError } from '../actions/resolveBody.ts';
import { referencesOf } from '../model/envReferences.ts';
import { knownNames } from '../secrets/knownNames.ts';
import { unresolved } from '../secrets/unresolved.ts';
import { valueSource } from '../secrets/valueSource.ts';
import { violationInManifest } from '../model/serverViolations.ts';

const START: CommandId = 'cloudCompute.localPlatform.start';
const RUN: CommandId = 'cloudCompute.jobs.run';

/** The draft of a document and its target platform. */
interface DocumentDraft extends Draft {
  readonly document: vscode.TextDocument;
  readonly target: CreateTarget;
  readonly act: TrustedAct;
}

/** Creates an endpoint from the text in the editor, saved or not. */
export async function createFromDocument(
  services: Services,
  models: ManifestModels,
  document: vscode.TextDocument,
): Promise<void> {
  const { connections } = services;
  // A stopped local platform starts later, after the manifest is checked. A missing key fails here, before the check.
  if (!createTarget(connections).stopped) requireConnection(connections);
  const draft = await draftOf(services, document);
  const connection = await startedConnection(services);
  if (!connection) return;
  const { client, profile } = connection;
  // The body was made for one kind of platform, and a hosted platform must not receive a local directory.
  if (profile.kind !== draft.target.kind) throw connectionChanged();
  const act = { ...draft.act, process: await processOfDraft(client, draft) };
  if (!(await mayAct(services.context.workspaceState, profile, act))) return;
  if (!(await mayTakeName(services, draft.body.name))) return;
  await announce(await send(services, client, draft, models));
}

/** Reads the draft of a manifest that has no errors. @throws UserError after showing the first error */
async function draftOf({ connections, secrets }: Services, document: vscode.TextDocument): Promise<DocumentDraft> {
  const target = createTarget(connections);
  const source = {
    text: document.getText(),
    language: languageOf(document.uri),
    target: target.kind,
    names: knownNames(secrets.names, process.env, process.platform),
    folder: folderOf(document),
  };
  const draft = await readDraft(source).catch(async (error: unknown) => {
    if (error instanceof NoFolderError) throw noFolder(document);
    if (!(error instanceof InvalidManifestError)) throw error;
    throw await refusal(document, error.problems);
  });
  const act = {
    source: sourceOf(document.uri),
    process: processOf(draft.body),
    references: referencesOf(draft.body.env),
    deed: shown`creating an endpoint from ${fileName(document.uri)}`,
  };
  requireTrust(act);
  return { ...draft, document, target, act };
}

function connectionChanged(): UserError {
  return new UserError('the connection changed before the endpoint was created', {
    label: 'Try Again',
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

/** Returns the folder of a manifest, or undefined if the manifest is not on this machine. */
function folderOf({ uri }: vscode.TextDocument): string | undefined {
  const isOnDisk = uri.scheme === 'file' || (uri.scheme === 'untitled' && path.isAbsolute(uri.fsPath));
  return isOnDisk ? path.dirname(uri.fsPath) : undefined;
}

function noFolder({ uri }: vscode.TextDocument): UserError {
  return new UserError(
    shown`x-local.directory in ${fileName(uri)} is relative, but the file has no folder on this machine; use an absolute path`,
  );
}

/** Selects the first error in the editor and returns a `UserError` that describes it. */
async function refusal(document: vscode.TextDocument, problems: readonly ManifestProblem[]): Promise<UserError> {
  const first = problems.find(({ severity }) => severity === 'error');
  if (!first) return new UserError(shown`${fileName(document.uri)} is not a manifest`);
  const range = rangeOf(document, first);
  await vscode.window.showTextDocument(document, { selection: range });
  const more = problems.filter(({ severity }) => severity === 'error').length - 1;
  const others = more > 0 ? ` (and ${more} more in the Problems view)` : '';
  return new UserError(shown`${fileName(document.uri)}, line ${range.start.line + 1}: ${first.message}${others}`, {
    label: 'Try Again',
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

/** Returns the current connection and starts its platform if needed. Undefined if the start failed, because its command shows the error. */
async function startedConnection({ connections }: Services) {
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
  const cancel = { label: shown`$(close) Cancel`, detail: 'Does not create an endpoint' };
  const placeholder = shown`An endpoint named “${name}” already exists (${namesake.endpoint.id})`;
  return (await pick([another, cancel], { placeholder })) === another;
}

async function send(
  services: Services,
  client: Client,
  draft: DocumentDraft,
  models: ManifestModels,
): Promise<Endpoint> {
  const title = shown`Creating endpoint “${draft.body.name}” on ${draft.target.name}…`;
  try {
    return await withProgress({ title, location: { viewId: 'cloudCompute.endpoints' } }, async () =>
      withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal) =>
        createEndpoint({ client, store: services.endpoints, values: valueSource(services) }, draft, signal),
      ),
    );
  } catch (error) {
    if (error instanceof UnresolvedReferencesError) throw unresolved(error);
    throw error instanceof ApiError && error.kind === 'validation' ? await placed(error, draft, models) : error;
  }
}

/** Shows the fields that the service rejected as problems in the manifest. Returns the original error if it names no field. */
async function placed(error: ApiError, draft: DocumentDraft, models: ManifestModels): Promise<Error> {
  const violations = error.fields;
  if (violations.length === 0) return error;
  const inManifest = violations.map((violation) => violationInManifest(violation, draft.manifest, draft.target.kind));
  const { problems } = await models.report(draft.document, draft.part.index, inManifest);
  return refusal(draft.document, problems);
}

/** Shows the endpoints view without taking the focus, and offers to run a job. */
async function announce({ id, name, type }: Endpoint): Promise<void> {
  await vscode.commands.executeCommand('cloudCompute.endpoints.focus', { preserveFocus: true });
  const run = 'Run Job…';
  const buttons = type === 'LOAD_BALANCER' ? [] : [run];
  // Not awaited, because the command is complete before the user answers the message.
  void showMessage('information', shown`Endpoint “${name}” created.`, ...buttons).then((chosen) => {
    const node: EndpointNode = { kind: 'endpoint', endpointId: id };
    if (chosen === run) void vscode.commands.executeCommand(RUN, node);
  });
}
