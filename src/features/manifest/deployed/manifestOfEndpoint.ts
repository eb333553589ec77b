import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { UserError } from '../../../kit/userError.ts';
import type { ShownText } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { ENDPOINT_SCHEME } from '../../../account/endpoints/endpointAddress.ts';
import { readManifests } from '../actions/readManifests.ts';
import { languageOf, workspaceTree } from '../manifestFiles.ts';
import { linkOf, matchEndpoint, nameOf, type EndpointLink } from '../model/deployment/matchEndpoint.ts';
import { parseManifestFile } from '../model/manifestFile.ts';
import type { DeployedServices } from './chooseDeployed.ts';
import type { EndpointLinks } from './endpointLinks.ts';

/** One endpoint of a manifest file in the workspace. */
export interface ManifestPlace {
  readonly uri: vscode.Uri;
  /** Index of the endpoint in the file. */
  readonly part: number;
}

/** A document with the settings of an endpoint. */
export interface EndpointText {
  readonly document: vscode.TextDocument;
  readonly part: number;
  /** Whether the document is a manifest of the workspace. If not, it edits the endpoint itself. */
  readonly isManifest: boolean;
}

/** Opens the manifest of an endpoint, or the endpoint itself for editing if the workspace has no manifest of it. */
export async function openManifestOf(
  { services, links }: Pick<DeployedServices, 'services' | 'links'>,
  endpointId: string,
): Promise<EndpointText> {
  const found = await manifestPlaceOf(services, links, endpointId);
  if (!found) return { document: await openEdit(endpointId), part: 0, isManifest: false };
  return { document: await vscode.workspace.openTextDocument(found.uri), part: found.part, isManifest: true };
}

/** Returns the manifest of an endpoint. Undefined if the workspace has none. */
export async function manifestPlaceOf(
  services: Pick<AccountServices, 'clock' | 'connections' | 'endpoints'>,
  links: Pick<EndpointLinks, 'of'>,
  endpointId: string,
): Promise<ManifestPlace | undefined> {
  const { profile } = requireConnection(services.connections);
  const endpoints = services.endpoints.endpoints.map(({ endpoint }) => endpoint);
  return withLateProgress(services.clock, l10n.t('Reading the manifests…'), (signal) =>
    findManifest(endpointId, endpoints, links.of(profile.id), signal),
  );
}

const UPDATE = l10n.t('Update Endpoint');

/** Shows a message about a changed manifest, with a button that updates its endpoint. Does not wait for an answer. */
export function offerUpdate({ document, part }: Pick<EndpointText, 'document' | 'part'>, message: ShownText): void {
  void showMessage('information', message, UPDATE).then((chosen) => {
    if (chosen === UPDATE) void vscode.commands.executeCommand('cloudCompute.manifest.update', document.uri, part);
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

/**
 * Finds the manifest of an endpoint in the workspace: a linked one, or one with the name of the endpoint. Returns the first one in the order
 * of the paths.
 *
 * @param endpoints all endpoints of the connection
 * @param links links of the connection
 */
async function findManifest(
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
