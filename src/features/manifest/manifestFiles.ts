import path from 'node:path';
import * as vscode from 'vscode';
import { fileSchemes } from '../../kit/fileSchemes.ts';
import { ENDPOINT_SCHEME } from '../../account/endpoints/endpointAddress.ts';
import type { ManifestLanguage } from './model/text/parsed.ts';
import type { Entry, FileTree } from './actions/readManifests.ts';

/** Matches the manifests of a workspace. */
export const MANIFEST_GLOB = '**/*.endpoint.{yaml,yml,json}';
const MANIFEST_NAME = /\.endpoint\.(ya?ml|json)$/;

const selectorOf = (schemes: readonly string[]): vscode.DocumentSelector =>
  schemes.map((scheme) => ({ scheme, pattern: MANIFEST_GLOB }));

/** Selects manifests in files. */
export const fileSelector = selectorOf(fileSchemes);
/** Selects all manifests: those in files, and the documents that edit an endpoint. */
export const manifestSelector = selectorOf([...fileSchemes, ENDPOINT_SCHEME]);

const OWN_JSON = 'cloud-compute-endpoint-json';
const OWN_LANGUAGES = ['cloud-compute-endpoint-yaml', OWN_JSON];

const inLanguage = (language: string): vscode.DocumentFilter[] =>
  [...fileSchemes, ENDPOINT_SCHEME].map((scheme) => ({ scheme, language, pattern: MANIFEST_GLOB }));

/** Selects manifests in the extension's own languages. In YAML and JSON, other extensions provide the same services. */
export const ownSelector: vscode.DocumentSelector = OWN_LANGUAGES.flatMap(inLanguage);
export const ownJsonSelector: vscode.DocumentSelector = inLanguage(OWN_JSON);

/** Returns whether a document is a manifest: one in a file, or one that edits an endpoint. */
export function isManifest({ uri }: Pick<vscode.TextDocument, 'uri'>): boolean {
  return isManifestFile(uri) || (uri.scheme === ENDPOINT_SCHEME && MANIFEST_NAME.test(uri.path));
}

/** Returns whether an address is that of a manifest in a file. */
export function isManifestFile({ scheme, path: name }: vscode.Uri): boolean {
  return fileSchemes.includes(scheme) && MANIFEST_NAME.test(name);
}

export function languageOf({ path: name }: vscode.Uri): ManifestLanguage {
  return name.endsWith('.json') ? 'json' : 'yaml';
}

/**
 * Returns whether another extension reports the syntax errors of this document. That happens if the user assigns the language YAML or JSON
 * to manifests.
 */
export function isSyntaxCheckedElsewhere({ languageId }: vscode.TextDocument): boolean {
  if (languageId === 'json' || languageId === 'jsonc') return true;
  return languageId === 'yaml' && vscode.extensions.getExtension('redhat.vscode-yaml') !== undefined;
}

export function fileName(uri: vscode.Uri): string {
  return path.posix.basename(uri.path);
}

/** Returns the folder of a manifest as a path. Undefined if the manifest is not on this machine. */
export function folderOf(uri: vscode.Uri): string | undefined {
  const isOnDisk = uri.scheme === 'file' || (uri.scheme === 'untitled' && path.isAbsolute(uri.fsPath));
  return isOnDisk ? path.dirname(uri.fsPath) : undefined;
}

/** Returns the workspace folder of a document. Undefined for a document outside of the workspace. */
export function workspaceFolderOf({ uri }: Pick<vscode.TextDocument, 'uri'>): vscode.Uri | undefined {
  return vscode.workspace.getWorkspaceFolder(uri)?.uri;
}

/** Returns the manifests that are open in the editor. */
export function openManifests(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((document) => !document.isClosed && isManifest(document));
}

/** The file systems of the editor, with the texts of its editors. */
export const workspaceTree: FileTree<vscode.Uri> = {
  list: async (folder) =>
    (await vscode.workspace.fs.readDirectory(folder)).map(([name, type]) => ({
      name,
      place: vscode.Uri.joinPath(folder, name),
      kind: kindOf(type),
    })),
  size: async (file) => (await vscode.workspace.fs.stat(file)).size,
  read: async (file) => vscode.workspace.fs.readFile(file),
  unsaved: (file) =>
    vscode.workspace.textDocuments
      .find(({ uri, isDirty, isClosed }) => isDirty && !isClosed && uri.toString() === file.toString())
      ?.getText(),
};

function kindOf(type: vscode.FileType): Entry<vscode.Uri>['kind'] {
  if (type & vscode.FileType.Directory) return type & vscode.FileType.SymbolicLink ? 'linkToFolder' : 'folder';
  return type & vscode.FileType.File ? 'file' : 'other';
}
