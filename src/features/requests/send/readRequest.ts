import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireTrust, sourceOf } from '../../../account/consent/workspaceTrust.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { blockAt, type ParsedBlock, type ResolvedRequest, type HttpFile } from '../model/httpFile.ts';
import type { HttpRead } from '../language/httpModels.ts';
import type { RouteServices } from '../routeServices.ts';
import type { RequestFiles } from '../actions/requestBody.ts';
import type { ResolveContext } from '../model/endpointLookup.ts';

/** An HTTP file whose requests can be sent on the current connection. */
interface ReadRequestFile {
  readonly file: HttpFile;
  readonly context: ResolveContext;
  /** Files that its requests refer to. */
  readonly files: RequestFiles;
}

/** Reads an HTTP file, including unsaved changes. @throws UserError if the file belongs to an untrusted workspace */
export type RequestFileReader = (uri: vscode.Uri) => Promise<ReadRequestFile>;

type Sources = Pick<RouteServices, 'connections' | 'endpoints' | 'files'>;

/** Selects one of the requests of a file. Returns undefined if there is none. */
export type Choice = (blocks: readonly ParsedBlock[]) => ParsedBlock | undefined;

/** Selects the request with this position in the file. */
export const byIndex =
  (index: number): Choice =>
  (blocks) =>
    blocks[index];

/** Selects the request at an offset in the text, or the first one. */
export const atOffset =
  (offset: number): Choice =>
  (blocks) =>
    blockAt({ blocks }, offset) ?? blocks[0];

/**
 * Reads a request of an HTTP file, including unsaved changes, and resolves its variables for the current connection. Opens an invalid file
 * at its first problem.
 *
 * @throws UserError if the request is invalid, or if the file belongs to an untrusted workspace
 */
export async function readRequest(services: Sources, uri: vscode.Uri, choose: Choice): Promise<ResolvedRequest> {
  const { document, file, context } = await readRequestFile(services, uri);
  const block = choose(file.blocks);
  if (!block) throw new UserError(shown`${nameOf(uri)} has no request at this position`);
  const { resolveRequest, resolveTemplate } = await import('../model/resolveRequest.ts');
  const { request, problems } = resolveRequest(file, block, context);
  if (!request) throw await problemAt(document, problems[0]);
  const { body } = request;
  if (body?.kind !== 'file' || body.isTemplate !== true) return request;
  const template = resolveTemplate(file, await contentOf(uri, body.path), context);
  if ('problems' in template)
    throw new UserError(shown`${body.path}: ${template.problems[0]?.message ?? l10n.t('it has an error')}`);
  return { ...request, body: { kind: 'text', text: template.text } };
}

/**
 * Reads an HTTP file, including unsaved changes, to send its requests on the current connection.
 *
 * @throws UserError if the file belongs to an untrusted workspace
 */
export async function readRequestFile(services: Sources, uri: vscode.Uri): Promise<HttpRead> {
  requireTrust({ source: sourceOf(uri), process: undefined, deed: shown`sending a request from ${nameOf(uri)}` });
  const document = await vscode.workspace.openTextDocument(uri);
  await readEndpoints(services);
  return services.files.read(document);
}

/** Reads the endpoints of the connection. New ones can have been created since the last refresh. */
async function readEndpoints({ connections, endpoints }: Sources): Promise<void> {
  requireConnection(connections);
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
}

/** Shows the place of a problem, and returns its error. */
async function problemAt(
  document: vscode.TextDocument,
  { start, message }: { readonly start: number; readonly message: string },
): Promise<UserError> {
  const position = document.positionAt(start);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
  const reason = message.replace(/\.$/, '');
  return new UserError(shown`${nameOf(document.uri)}, line ${position.line + 1}: ${reason}`);
}

async function contentOf(uri: vscode.Uri, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await requestFiles(uri).read(path));
  } catch {
    throw new UserError(shown`the file ${path} cannot be read. Its path is relative to the request file`);
  }
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? '';
}

/** Returns the files that a request can refer to. Paths are relative to its file, or to the first workspace folder for an unsaved one. */
export function requestFiles(file: vscode.Uri | undefined): RequestFiles {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const base = file && file.scheme !== 'untitled' ? vscode.Uri.joinPath(file, '..') : folder;
  const uriOf = (path: string): vscode.Uri => {
    if (base?.scheme === 'file' || !base) {
      const isAbsolute = /^(?:\/|[a-z]:[\\/])/i.test(path);
      if (isAbsolute || !base) return vscode.Uri.file(path);
    }
    return vscode.Uri.joinPath(base, path);
  };
  return {
    size: async (path) => (await vscode.workspace.fs.stat(uriOf(path))).size,
    read: async (path) => new Uint8Array(await vscode.workspace.fs.readFile(uriOf(path))),
  };
}

/** Returns the text of a request file, including unsaved changes. @throws Error if it cannot be read */
export async function textAt(uri: string): Promise<string> {
  return (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true))).getText();
}
