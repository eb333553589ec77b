import path from 'node:path';
import * as vscode from 'vscode';
import { ENDPOINT_SCHEME } from '../endpoints/editing/endpointAddress.ts';
import { createTarget } from './createTarget.ts';
import type { Services } from '../services.ts';
import type { ManifestOptions } from './manifestDocument.ts';

/** Where manifests are looked for in a workspace. */
export const MANIFEST_GLOB = '**/*.endpoint.{yaml,yml,json}';
const MANIFEST_NAME = /\.endpoint\.(ya?ml|json)$/;
/** Not the old versions that source control shows, nor output. */
const SCHEMES = ['file', 'untitled', 'vscode-vfs'];

export const manifestSelector: vscode.DocumentSelector = SCHEMES.map((scheme) => ({ scheme, pattern: MANIFEST_GLOB }));

export function isManifest({ uri }: Pick<vscode.TextDocument, 'uri'>): boolean {
  // That of an endpoint being edited is one too, but not one to create it from.
  return [...SCHEMES, ENDPOINT_SCHEME].includes(uri.scheme) && MANIFEST_NAME.test(uri.path);
}

/** How a document is read for the platform it would go to now. */
export function readOptions(
  { languageId }: vscode.TextDocument,
  connections: Services['connections'],
): Pick<ManifestOptions, 'language' | 'target'> {
  const language = languageId === 'json' || languageId === 'jsonc' ? 'json' : 'yaml';
  return { language, target: createTarget(connections).kind };
}

/** Whether another extension already checks this document against the manifest's schema, which package.json contributes. */
export function isCheckedElsewhere({ languageId }: vscode.TextDocument): boolean {
  if (languageId === 'json' || languageId === 'jsonc') return true;
  return languageId === 'yaml' && vscode.extensions.getExtension('redhat.vscode-yaml') !== undefined;
}

export function fileName(uri: vscode.Uri): string {
  return path.posix.basename(uri.path);
}

/** The open manifests, as they are in the editor. */
export function openManifests(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((document) => !document.isClosed && isManifest(document));
}
