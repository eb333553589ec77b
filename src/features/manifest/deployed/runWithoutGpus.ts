import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { ENDPOINT_SCHEME } from '../../../account/endpoints/endpointAddress.ts';
import { fileName, languageOf, workspaceTree } from '../manifestFiles.ts';
import { changesOf } from '../model/editing/changesOf.ts';
import { parseManifestFile } from '../model/manifestFile.ts';
import type { DeployedServices } from './chooseDeployed.ts';
import { writeChanges } from './pullIntoDocument.ts';
import { readManifests } from '../actions/readManifests.ts';
import { linkOf, matchEndpoint, nameOf, type EndpointLink } from '../model/deployment/matchEndpoint.ts';

const IGNORE_GPUS = { kind: 'set', path: ['x-local', 'gpu'], value: 'ignore' } as const;
const UPDATE = l10n.t('Update Endpoint');

/**
 * Writes `x-local.gpu: ignore` into the manifest of an endpoint, with which the local platform runs its workers without GPUs. An endpoint
 * without a manifest in the workspace is edited itself. Nothing changes on the platform until the user updates the endpoint.
 */
export async function runWithoutGpus({ services, links }: DeployedServices, snapshot: EndpointSnapshot): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const { id, name, gpu } = snapshot.endpoint;
  if (!gpu) throw new UserError(shown`“${name}” uses no GPUs`);
  const endpoints = services.endpoints.endpoints.map(({ endpoint }) => endpoint);
  const found = await withLateProgress(services.clock, l10n.t('Reading the manifests…'), (signal) =>
    findManifest(id, endpoints, links.of(profile.id), signal),
  );
  const document = found ? await vscode.workspace.openTextDocument(found.uri) : await openEdit(id);
  const text = document.getText();
  const language = languageOf(document.uri);
  const root = parseManifestFile(text, language).parts[found?.part ?? 0]?.root;
  const changes = changesOf({ text, language, root }, [IGNORE_GPUS]);
  if (!changes)
    throw new UserError(
      shown`${fileName(document.uri)} cannot be edited automatically; write gpu: ignore below x-local yourself`,
    );
  await writeChanges(document, text, changes);
  if (!found) {
    void showMessage('information', shown`Save the document to run “${name}” without GPUs.`);
    return;
  }
  const message = shown`${fileName(document.uri)} now runs “${name}” without GPUs. Update the endpoint to apply it.`;
  // Not awaited, because the command is complete once the message is visible.
  void showMessage('information', message, UPDATE).then((chosen) => {
    if (chosen === UPDATE) void vscode.commands.executeCommand('cloudCompute.manifest.update', found.uri, found.part);
  });
}

/** Opens the endpoint for editing. */
async function openEdit(endpointId: string): Promise<vscode.TextDocument> {
  await vscode.commands.executeCommand('cloudCompute.endpoints.edit', { kind: 'endpoint', endpointId });
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme !== ENDPOINT_SCHEME)
    throw new UserError(l10n.t('the endpoint could not be opened for editing'));
  return document;
}

/** One endpoint of a manifest file in the workspace. */
export interface ManifestPlace {
  readonly uri: vscode.Uri;
  /** Index of the endpoint in the file. */
  readonly part: number;
}

/**
 * Finds the manifest of an endpoint in the workspace: a linked one, or one with the name of the endpoint. Returns the first one in the order
 * of the paths.
 *
 * @param endpoints all endpoints of the connection
 * @param links links of the connection
 */
export async function findManifest(
  endpointId: string,
  endpoints: readonly { readonly id: string; readonly name: string }[],
  links: readonly EndpointLink[],
  signal: AbortSignal,
): Promise<ManifestPlace | undefined> {
  for (const { uri: folder } of vscode.workspace.workspaceFolders ?? []) {
    for (const { place, content } of await readManifests(workspaceTree, folder, signal)) {
      if (!('text' in content)) continue;
      const { parts } = parseManifestFile(content.text, languageOf(place));
      const names = parts.map(nameOf);
      const part = parts.findIndex(({ index }) => {
        const linkedId = linkOf(links, { file: place.toString(), part: index, names })?.endpointId;
        const match = matchEndpoint({ name: names[index], linkedId }, endpoints);
        return match.kind === 'one' && match.endpointId === endpointId;
      });
      if (part >= 0) return { uri: place, part };
    }
  }
  return undefined;
}
