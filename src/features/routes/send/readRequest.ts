import * as vscode from 'vscode';
import { shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import { requireTrust, sourceOf } from '../../trust/workspaceTrust.ts';
import { requireConnection } from '../../connections/requireConnection.ts';
import type { HttpBlock, ResolvedRequest } from '../model/httpFile.ts';
import { parseHttpFile } from '../model/parseHttpFile.ts';
import { resolveRequest, resolveTemplate, type ResolveContext, type RouteEndpoint } from '../model/resolveRequest.ts';
import type { Services } from '../../services.ts';
import { requestFiles } from './requestFiles.ts';

type Sources = Pick<Services, 'clock' | 'connections' | 'endpoints'>;

/** Selects one of the requests of a file. Returns undefined if there is none. */
export type Choice = <Block extends HttpBlock>(blocks: readonly Block[]) => Block | undefined;

/** Selects the request with this position in the file. */
export const byIndex =
  (index: number): Choice =>
  (blocks) =>
    blocks[index];

/** Selects the request at an offset in the text: the last one that begins at or before it. */
export const atOffset =
  (offset: number): Choice =>
  (blocks) =>
    blocks.findLast(({ start }) => start <= offset) ?? blocks[0];

/**
 * Reads a request of an HTTP file, including unsaved changes, and resolves its variables for the current connection. Opens an invalid file
 * at its first problem.
 *
 * @throws UserError if the request is invalid, or if the file belongs to an untrusted workspace
 */
export async function readRequest(services: Sources, uri: vscode.Uri, choose: Choice): Promise<ResolvedRequest> {
  requireTrust({ source: sourceOf(uri), process: undefined, deed: shown`sending a request from ${nameOf(uri)}` });
  const document = await vscode.workspace.openTextDocument(uri);
  const file = parseHttpFile(document.getText());
  const block = choose(file.blocks);
  if (!block) throw new UserError(shown`${nameOf(uri)} has no request here`);
  const context = await resolveContext(services);
  const { request, problems } = resolveRequest(file, block, context);
  if (!request) throw await problemAt(document, problems[0]);
  const { body } = request;
  if (body?.kind !== 'file' || !('isTemplate' in body)) return request;
  const content = await contentOf(uri, body.path);
  const template = resolveTemplate(file, content, context) as ReturnType<typeof resolveTemplate> | Problems;
  if (!('text' in template)) throw new UserError(shown`${body.path}: ${template.problems[0]?.message ?? ''}`);
  return { ...request, body: { kind: 'text', text: template.text } };
}

interface Problems {
  readonly problems: readonly { readonly message: string }[];
}

/** Returns what the variables of requests depend on: the endpoints of the current connection, and the time. */
async function resolveContext({ clock, connections, endpoints }: Sources): Promise<ResolveContext> {
  const { client } = requireConnection(connections);
  // The endpoints have not been read if the view has not been visible yet, and new ones can have been created since.
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const { addresses } = client.context;
  const known = endpoints.endpoints.map(({ endpoint: { id, name, type } }): RouteEndpoint =>
    type === 'LOAD_BALANCER'
      ? { id, name, type: 'LOAD_BALANCER', base: addresses.routes(id) }
      : { id, name, type: 'QUEUE', base: addresses.requests(id) },
  );
  return { endpoints: known, now: clock.now(), random: Math.random };
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

export function nameOf(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? '';
}
