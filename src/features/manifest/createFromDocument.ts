import path from 'node:path';
import * as vscode from 'vscode';
import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { CommandId } from '../../vscode/commandIds.ts';
import { UserError } from '../../vscode/errors.ts';
import { showMessage } from '../../vscode/messages.ts';
import { withProgress } from '../../vscode/progress.ts';
import { pick } from '../../vscode/quickInput.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { notConnected, requireConnection } from '../connections/requireConnection.ts';
import type { EndpointNode } from '../endpoints/endpointNode.ts';
import type { Services } from '../services.ts';
import { processOf } from '../trust/trustDecision.ts';
import { mayAct, requireTrust, sourceOf, type TrustedAct } from '../trust/workspaceTrust.ts';
import {
  createEndpoint,
  findNamesake,
  InvalidManifestError,
  NoFolderError,
  processOfDraft,
  readDraft,
  type Draft,
} from './actions/createEndpoint.ts';
import { createTarget, type CreateTarget } from './createTarget.ts';
import { rangeOf, type ManifestDiagnostics } from './manifestDiagnostics.ts';
import type { ManifestProblem } from './manifestDocument.ts';
import { fileName, readOptions } from './manifestFiles.ts';
import { violationInManifest } from './serverViolations.ts';

const START: CommandId = 'cloudCompute.localPlatform.start';
const RUN: CommandId = 'cloudCompute.jobs.run';

/** The draft of a document, and where it goes. */
interface DocumentDraft extends Draft {
  readonly document: vscode.TextDocument;
  readonly target: CreateTarget;
  readonly act: TrustedAct;
}

/** Creates an endpoint from the text of a manifest as it is in the editor. */
export async function createFromDocument(
  services: Services,
  diagnostics: ManifestDiagnostics,
  document: vscode.TextDocument,
): Promise<void> {
  const { connections } = services;
  // A stopped local platform is started below, after the manifest has been checked. A missing key is told before that.
  if (!createTarget(connections).stopped) requireConnection(connections);
  const draft = await draftOf(services, diagnostics, document);
  const connection = await startedConnection(services);
  if (!connection) return;
  const { client, profile } = connection;
  // The body was made for one kind of platform, and a hosted platform must not receive a local directory.
  if (profile.kind !== draft.target.kind) throw connectionChanged();
  const act = { ...draft.act, process: await processOfDraft(client, draft) };
  if (!(await mayAct(services.context.workspaceState, profile, act))) return;
  if (!(await mayTakeName(services, draft.body.name))) return;
  await announce(await send(services, client, draft, diagnostics));
}

/** The draft of a manifest without problems. @throws UserError, after showing the first problem */
async function draftOf(
  { connections }: Services,
  diagnostics: ManifestDiagnostics,
  document: vscode.TextDocument,
): Promise<DocumentDraft> {
  const target = createTarget(connections);
  const source = { text: document.getText(), ...readOptions(document, connections), folder: folderOf(document) };
  const draft = await readDraft(source).catch(async (error: unknown) => {
    if (error instanceof NoFolderError) throw noFolder(document);
    if (!(error instanceof InvalidManifestError)) throw error;
    diagnostics.show(document, error.problems);
    throw await refusal(document, error.problems);
  });
  const act = {
    source: sourceOf(document.uri),
    process: processOf(draft.body),
    deed: shown`creating an endpoint from ${fileName(document.uri)}`,
  };
  requireTrust(act);
  return { ...draft, document, target, act };
}

function connectionChanged(): UserError {
  return new UserError('the connection changed in the meantime', {
    label: 'Try Again',
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

/** The folder of a manifest on this machine. */
function folderOf({ uri }: vscode.TextDocument): string | undefined {
  const isOnDisk = uri.scheme === 'file' || (uri.scheme === 'untitled' && path.isAbsolute(uri.fsPath));
  return isOnDisk ? path.dirname(uri.fsPath) : undefined;
}

function noFolder({ uri }: vscode.TextDocument): UserError {
  return new UserError(
    shown`${fileName(uri)} is not in a folder on this machine, so x-local.directory has nothing to be relative to.`,
  );
}

/** Reveals the first problem and makes the error that tells it. */
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

/** The current connection, after starting its platform where needed. Undefined when the start failed: its command shows why. */
async function startedConnection({ connections }: Services) {
  if (createTarget(connections).stopped) {
    await vscode.commands.executeCommand(START);
    if (notConnected(connections)) return undefined;
  }
  return requireConnection(connections);
}

/** Names need not be unique, so an endpoint made twice by mistake is asked about, not refused. */
async function mayTakeName({ endpoints }: Services, name: string): Promise<boolean> {
  const namesake = await findNamesake(endpoints, name);
  if (!namesake) return true;
  const another = {
    label: shown`$(add) Create Another`,
    detail: shown`A second endpoint named “${name}”, with an id of its own`,
  };
  const cancel = { label: shown`$(close) Cancel`, detail: 'Leave everything as it is' };
  const placeholder = shown`There is an endpoint “${name}” already (${namesake.endpoint.id})`;
  return (await pick([another, cancel], { placeholder })) === another;
}

async function send(
  { endpoints }: Services,
  client: Client,
  draft: DocumentDraft,
  diagnostics: ManifestDiagnostics,
): Promise<Endpoint> {
  const title = shown`Creating endpoint “${draft.body.name}” on ${draft.target.name}…`;
  try {
    return await withProgress({ title, location: { viewId: 'cloudCompute.endpoints' } }, async () =>
      withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal) =>
        createEndpoint({ client, store: endpoints }, draft, signal),
      ),
    );
  } catch (error) {
    throw error instanceof ApiError && error.kind === 'validation' ? await placed(error, draft, diagnostics) : error;
  }
}

/** The service's refusal at the places it names, as far as it names any. */
async function placed(error: ApiError, draft: DocumentDraft, diagnostics: ManifestDiagnostics): Promise<Error> {
  const violations = error.fields;
  if (violations.length === 0) return error;
  const { told } = await import('./manifestDocument.ts');
  const problems = told(violations, (violation) =>
    draft.read.problemOf(violationInManifest(violation, draft.manifest, draft.target.kind)),
  );
  diagnostics.show(draft.document, problems);
  return refusal(draft.document, problems);
}

/** Shows the endpoint in its view, without taking the focus, and offers what comes next. */
async function announce({ id, name, type }: Endpoint): Promise<void> {
  await vscode.commands.executeCommand('cloudCompute.endpoints.focus', { preserveFocus: true });
  const run = 'Run Job…';
  const buttons = type === 'LOAD_BALANCER' ? [] : [run];
  // Not awaited: the command is done, whenever the message is answered.
  void showMessage('information', shown`Endpoint “${name}” created.`, ...buttons).then((chosen) => {
    const node: EndpointNode = { kind: 'endpoint', endpointId: id };
    if (chosen === run) void vscode.commands.executeCommand(RUN, node);
  });
}
