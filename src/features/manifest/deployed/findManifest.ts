import * as vscode from 'vscode';
import { readManifests } from '../actions/readManifests.ts';
import { workspaceTree } from '../workspaceTree.ts';
import { languageOf } from '../manifestFiles.ts';
import { parseManifestFile } from '../model/manifestFile.ts';
import { linkOf, matchEndpoint, nameOf, type EndpointLink } from '../model/deployment/matchEndpoint.ts';

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
