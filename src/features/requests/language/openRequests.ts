import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { compareNames } from '../../../account/endpoints/arrangement.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import { isQueue } from '../../../account/endpoints/endpointSnapshot.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { openHttpDocuments, HTTP_LANGUAGE } from './httpFiles.ts';
import type { NeighborManifests } from './neighborManifests.ts';
import { fileExists, textOfFile } from '../../../kit/files.ts';
import { fileStem } from '../../../text/fileNames.ts';

const HTTP_GLOB = '**/*.http';
/** Maximum number of files that are searched for an endpoint, and the maximum size of one in bytes. */
const MAX_FILES = 100;
const MAX_FILE_BYTES = 1_048_576;

type Sources = Pick<AccountServices, 'connections' | 'endpoints'>;

/**
 * Opens the file of the workspace whose requests name an endpoint, or a new one with an example.
 *
 * @param argument a row of the endpoints view, or nothing to let the user choose
 */
export async function openRequests(services: Sources, manifests: NeighborManifests, argument: unknown): Promise<void> {
  const found = await chosenEndpoint(services, [argument], l10n.t('Endpoint that receives the requests'), {
    title: l10n.t('Open Requests'),
    accepts: (one) => !isQueue(one),
    none: () =>
      new UserError(l10n.t('there is no load-balanced endpoint yet'), {
        label: l10n.t('New Manifest'),
        command: 'cloudCompute.manifest.newFile',
      }),
  });
  if (!found) return;
  const { endpoint } = found;
  const existing = await fileNaming(endpoint, manifests);
  if (existing) await vscode.window.showTextDocument(existing, { preview: false });
  else await openExample(services, endpoint);
}

/** Opens a new file with an example for an endpoint that the user chooses. Without a connection, the example names no real endpoint. */
export async function newRequestFile(services: Sources): Promise<void> {
  const { connections, endpoints } = services;
  if (connections.client) await endpoints.refresh();
  const found = connections.client ? endpoints.endpoints.map(({ endpoint }) => endpoint) : [];
  const example = { name: 'my-endpoint', type: 'LOAD_BALANCER' as const };
  if (found.length === 0) {
    await openExample(services, example);
    return;
  }
  const items = [
    ...sorted(found).map((endpoint) => ({
      label: endpoint.name,
      description: isQueue(endpoint) ? l10n.t('queue') : l10n.t('load-balanced'),
      detail: endpoint.id,
      endpoint,
    })),
    { label: l10n.t('No Endpoint Yet'), description: l10n.t('an example to edit'), endpoint: example },
  ];
  const chosen = await pick(items, {
    title: l10n.t('New Request File'),
    placeholder: l10n.t('Endpoint that the requests are for'),
  });
  if (chosen) await openExample(services, chosen.endpoint);
}

/** Opens an unsaved file with an example for an endpoint. */
async function openExample(
  { endpoints }: Pick<AccountServices, 'endpoints'>,
  endpoint: Pick<Endpoint, 'name' | 'type' | 'env'> & { readonly id?: string },
): Promise<vscode.TextEditor> {
  const { requestDocument } = await import('../model/requestDocument.ts');
  const namesakes = endpoints.endpoints.filter((one) => one.endpoint.name === endpoint.name);
  const text = requestDocument(endpoint, { hasTwin: namesakes.length > 1 });
  const editor = await openNewHttpFile(endpoint.name, text);
  const first = editor.document.positionAt(text.indexOf('\n###') + 1);
  editor.selection = new vscode.Selection(first, first);
  return editor;
}

function sorted(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.toSorted((a, b) => compareNames(a.name, b.name));
}

/** Returns the first file with requests to an endpoint. Files with unsaved changes come first. */
async function fileNaming(endpoint: Endpoint, manifests: NeighborManifests): Promise<vscode.TextDocument | undefined> {
  // A document can stay open after its file is deleted.
  for (const document of openHttpDocuments().filter(({ isDirty, isUntitled }) => isDirty || isUntitled))
    if (await names(document.uri, document.getText(), endpoint, manifests)) return document;
  const files = await vscode.workspace.findFiles(HTTP_GLOB, '**/node_modules/**', MAX_FILES);
  for (const uri of files.sort((a, b) => a.path.localeCompare(b.path))) {
    const text = await textOfFile(uri, MAX_FILE_BYTES);
    if (text !== undefined && (await names(uri, text, endpoint, manifests)))
      return vscode.workspace.openTextDocument(uri);
  }
  return undefined;
}

async function names(
  uri: vscode.Uri,
  text: string,
  { id, name }: Endpoint,
  manifests: NeighborManifests,
): Promise<boolean> {
  const [{ parseHttpFile }, { endpointsNamedIn }] = await Promise.all([
    import('../model/parseHttpFile.ts'),
    import('../model/resolveRequest.ts'),
  ]);
  const { named, usesDefault } = endpointsNamedIn(parseHttpFile(text));
  if (named.has(id) || named.has(name)) return true;
  return usesDefault && (await manifests.endpointOf(uri)) === name;
}

/** Opens a new unsaved HTTP file with this text. @param title for its name, such as the name of an endpoint */
export async function openNewHttpFile(title: string, text: string): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(await freeAddress(title));
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
  if (document.languageId !== HTTP_LANGUAGE) await vscode.languages.setTextDocumentLanguage(document, HTTP_LANGUAGE);
  return editor;
}

/** Returns the address of an unsaved file in the workspace. The name has a number if it is taken. */
async function freeAddress(title: string): Promise<vscode.Uri> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const stem = fileStem(title, 'requests');
  const isOpen = (uri: vscode.Uri) =>
    vscode.workspace.textDocuments.some((one) => !one.isClosed && one.uri.path === uri.path);
  for (let number = 1; ; number++) {
    const file = `${stem}${number === 1 ? '' : `-${number}`}.http`;
    const saved = folder && vscode.Uri.joinPath(folder, file);
    const unsaved = saved?.with({ scheme: 'untitled' }) ?? vscode.Uri.from({ scheme: 'untitled', path: file });
    if (!isOpen(unsaved) && !(saved && (await fileExists(saved)))) return unsaved;
  }
}
