import path from 'node:path';
import * as vscode from 'vscode';
import { ENDPOINT_SCHEME } from '../endpoints/editing/endpointAddress.ts';
import { createTarget } from './createTarget.ts';
import type { Services } from '../services.ts';
import type { ManifestOptions } from './manifestDocument.ts';

/** Matches the manifests of a workspace. */
export const MANIFEST_GLOB = '**/*.endpoint.{yaml,yml,json}';
const MANIFEST_NAME = /\.endpoint\.(ya?ml|json)$/;
/** Schemes of editable documents. They exclude the old versions that source control shows, and output channels. */
const SCHEMES = ['file', 'untitled', 'vscode-vfs'];

export const manifestSelector: vscode.DocumentSelector = SCHEMES.map((scheme) => ({ scheme, pattern: MANIFEST_GLOB }));

export function isManifest({ uri }: Pick<vscode.TextDocument, 'uri'>): boolean {
  // A document that edits an endpoint is also a manifest, but it has no CodeLens that creates an endpoint.
  return [...SCHEMES, ENDPOINT_SCHEME].includes(uri.scheme) && MANIFEST_NAME.test(uri.path);
}

/** Returns the options to read a document with, for the platform of the current connection. */
export function readOptions(
  { languageId }: vscode.TextDocument,
  connections: Services['connections'],
): Pick<ManifestOptions, 'language' | 'target'> {
  const language = languageId === 'json' || languageId === 'jsonc' ? 'json' : 'yaml';
  return { language, target: createTarget(connections).kind };
}

/** Returns whether another extension checks this document against the schema that package.json contributes. */
export function isCheckedElsewhere({ languageId }: vscode.TextDocument): boolean {
  if (languageId === 'json' || languageId === 'jsonc') return true;
  return languageId === 'yaml' && vscode.extensions.getExtension('redhat.vscode-yaml') !== undefined;
}

export function fileName(uri: vscode.Uri): string {
  return path.posix.basename(uri.path);
}

/** Returns the manifests that are open in the editor. */
export function openManifests(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((document) => !document.isClosed && isManifest(document));
}
