import path from 'node:path';
import * as l10n from '@vscode/l10n';
import pMap from 'p-map';
import * as vscode from 'vscode';
import { isQueue, endpointsNamed } from '../../../account/endpoints/endpointSnapshot.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { shown, type Showable } from '../../../text/shownText.ts';
import { fileName, folderOf, languageOf, MANIFEST_GLOB } from '../../manifest/index.ts';
import type { JobFile } from '../../../contract/jobFile.ts';
import { manifestOfJobFile, type ManifestCandidate } from '../model/manifestOfJobFile.ts';
import { textOf } from './jobTestTree.ts';

const MAX_MANIFESTS = 500;
const CONCURRENCY = 8;

/** A manifest of the workspace. */
export interface WorkspaceManifest extends ManifestCandidate {
  readonly uri: vscode.Uri;
  /** Absolute path of the worker's directory. Undefined without `x-local.directory`. */
  readonly directory: string | undefined;
}

/** Reads the manifests of the workspace, including unsaved changes. */
export async function readWorkspaceManifests(): Promise<readonly WorkspaceManifest[]> {
  const files = await vscode.workspace.findFiles(MANIFEST_GLOB, '**/node_modules/**', MAX_MANIFESTS);
  const { parseManifestFile } = await import('../../manifest/model/manifestFile.ts');
  const lists = await pMap(
    files,
    async (uri) => {
      const text = (await textOf(uri)) ?? '';
      return parseManifestFile(text, languageOf(uri)).parts.map(({ value }) => manifestOf(uri, value));
    },
    { concurrency: CONCURRENCY },
  );
  return lists.flat();
}

/** Returns the members of a manifest that matter here. The rest of it can have errors. */
function manifestOf(uri: vscode.Uri, value: unknown): WorkspaceManifest {
  const { name, type, 'x-local': local } = membersOf(value);
  const { directory } = membersOf(local);
  const folder = folderOf(uri);
  return {
    uri,
    path: uri.path,
    name: textIn(name),
    type: textIn(type),
    directory: typeof directory === 'string' && folder !== undefined ? path.resolve(folder, directory) : undefined,
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The endpoint on which a test runs, or the reason why there is none. */
export type JobTestTarget =
  | { readonly endpoint: Endpoint; readonly problem?: undefined }
  | { readonly endpoint?: undefined; readonly problem: Showable };

/** Finds the endpoint of a job file on a connection: by its name or ID in the file, else by the manifest that belongs to the file. */
export function targetOf(
  uri: vscode.Uri,
  { endpoint: wanted }: JobFile,
  manifests: readonly WorkspaceManifest[],
  { endpoints, connection }: { readonly endpoints: readonly Endpoint[]; readonly connection: string },
): JobTestTarget {
  const manifest = manifestFor(uri, wanted, manifests);
  const name = wanted ?? manifest?.name;
  if (name === undefined)
    return { problem: l10n.t('No manifest belongs to this file. Name its endpoint in the property "endpoint".') };
  const found = endpointsNamed(name, endpoints);
  const [endpoint, ...more] = found;
  if (!endpoint) {
    const remedy =
      manifest?.name === name
        ? shown`Create it from ${fileName(manifest.uri)}.`
        : l10n.t('Correct the property "endpoint".');
    return { problem: shown`The endpoint “${name}” does not exist on “${connection}”. ${remedy}` };
  }
  if (more.length > 0)
    return {
      problem: shown`${found.length} endpoints on “${connection}” have the name “${name}”. Use an ID in the property "endpoint".`,
    };
  if (!isQueue(endpoint)) return { problem: shown`The endpoint “${name}” is load-balanced and takes no jobs.` };
  return { endpoint };
}

export function manifestFor(
  uri: vscode.Uri,
  endpoint: string | undefined,
  manifests: readonly WorkspaceManifest[],
): WorkspaceManifest | undefined {
  const candidates = manifests.filter((one) => uri.scheme === 'untitled' || one.uri.scheme === uri.scheme);
  return manifestOfJobFile({ path: uri.path, endpoint }, candidates);
}
