import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { confirmed, showStatusBarMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { requireTrust, sourceOf } from '../../../account/consent/workspaceTrust.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';
import type { ResponseAddress } from '../responses/responseAddress.ts';
import { findAddress } from '../responses/responseArgument.ts';
import { findResponse } from '../responses/responseContent.ts';
import { showImage, showResponse } from '../responses/showResponse.ts';
import type { RouteServices } from '../routeServices.ts';
import { openNewHttpFile } from '../language/openRequests.ts';
import { readRequest } from '../send/readRequest.ts';
import { endpointReference, requestText, findInFile } from './requestText.ts';
import { sendExchange } from '../send/sendExchange.ts';
import type { StoredRequest } from './requestHistoryStore.ts';
import { dataSize } from '../../../text/quantities.ts';
import { bodyTypeOf } from '../responses/bodyKind.ts';

/** Duration of a confirmation in the status bar, in ms. */
const SHOWN_MS = 10_000;

/** Shows the response of a sent request. */
export async function openResponse(services: RouteServices, argument: unknown): Promise<void> {
  const address = requireAddress(services, argument);
  const { connectionId, requestId } = address;
  const stored = requireStored(services, address);
  const isSocket = stored.method === 'WEBSOCKET';
  const exchange = services.exchanges.find(connectionId, requestId);
  const status = exchange?.head?.status ?? stored.status;
  const editor = await showResponse(connectionId, stored, isSocket && status === 101 ? 'log' : 'response', isSocket);
  if (exchange?.isActive) return;
  const shown = await findResponse(services, address);
  if (shown) await showImage(connectionId, stored, shown, editor);
}

/** Shows a request at its place in its file, or else in a new unsaved file. */
export async function openRequest(services: RouteServices, argument: unknown): Promise<void> {
  const address = requireAddress(services, argument);
  const stored = requireStored(services, address);
  const document = stored.file === undefined ? undefined : await openDocument(vscode.Uri.parse(stored.file));
  const { parseHttpFile } = await import('../model/parseHttpFile.ts');
  const block = document && findInFile(parseHttpFile(document.getText()).blocks, stored);
  if (document && block) {
    const position = document.positionAt(block.requestLine.start);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
    return;
  }
  const known = await sentRequest(services, address, stored);
  const all = services.endpoints.endpoints.map(({ endpoint }) => endpoint);
  const reference = endpointReference({ id: stored.endpointId, name: stored.endpointName }, all);
  const { name, method } = stored;
  const path = known?.path ?? stored.path;
  await openNewHttpFile(stored.endpointName, requestText(reference, { ...known, name, method, path }));
}

/** Sends a request again, on its connection. */
export async function sendAgain(services: RouteServices, argument: unknown): Promise<void> {
  const address = requireAddress(services, argument);
  const { connectionId } = address;
  requireConnectionOf(services.connections, connectionId);
  const stored = requireStored(services, address);
  // The body can be a file of the workspace.
  if (stored.file !== undefined)
    requireTrust({
      source: sourceOf(vscode.Uri.parse(stored.file)),
      process: undefined,
      deed: l10n.t('sending a request from a file'),
    });
  const request = (await sentRequest(services, address, stored)) ?? (await readAgain(services, stored));
  await sendExchange(services, request, { connectionId, file: stored.file });
}

/** Returns a request as it was sent, from memory or from the stored history. */
async function sentRequest(
  { exchanges, filesOf }: RouteServices,
  { connectionId, requestId }: ResponseAddress,
  { name, endpointId, endpointName, endpointType, method, path }: StoredRequest,
): Promise<ResolvedRequest | undefined> {
  const exchange = exchanges.find(connectionId, requestId);
  if (exchange) return exchange.request;
  const request = (await filesOf(connectionId).read(requestId))?.request;
  return request && { name, endpointId, endpointName, endpointType, method, path, ...request };
}

async function readAgain(services: RouteServices, stored: StoredRequest): Promise<ResolvedRequest> {
  const uri = stored.file === undefined ? undefined : vscode.Uri.parse(stored.file);
  if (!uri || !(await openDocument(uri)))
    throw new UserError(
      l10n.t(
        'the request was not stored, because it is large or contains a value that looks like a secret. Its file no longer exists',
      ),
    );
  return readRequest(services, uri, (blocks) => findInFile(blocks, stored));
}

async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  // Opening a closed untitled document would create an empty one.
  if (uri.scheme === 'untitled' && !isOpen) return undefined;
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

/** Removes the selected requests and their responses. */
export async function removeRequests(services: RouteServices, argument: unknown, selection: unknown): Promise<void> {
  await remove(services, addresses(services, argument, selection));
}

async function remove(
  { exchanges, requests, filesOf }: RouteServices,
  chosen: readonly ResponseAddress[],
): Promise<void> {
  const connectionId = chosen[0]?.connectionId;
  if (connectionId === undefined) return;
  const ids = chosen.map(({ requestId }) => requestId);
  exchanges.remove(ids);
  await requests.remove(connectionId, ids);
  await filesOf(connectionId).remove(ids);
}

/** Removes the requests of the current connection after a confirmation. */
export async function clearRequests(services: RouteServices): Promise<void> {
  const { profile } = services.connections;
  const ids = profile ? services.requests.recent(profile.id).map(({ id }) => id) : [];
  if (!profile || ids.length === 0) throw new UserError(l10n.t('there are no requests'));
  const running = services.exchanges.active(profile.id).length;
  const detail =
    running > 0
      ? running === 1
        ? shown`This also cancels 1 running request.`
        : shown`This also cancels ${running} running requests.`
      : l10n.t('This deletes the stored responses.');
  if (
    !(await confirmed(
      ids.length === 1
        ? shown`Remove 1 request of “${profile.name}”?`
        : shown`Remove ${ids.length} requests of “${profile.name}”?`,
      detail,
      l10n.t('Clear'),
    ))
  )
    return;
  await remove(
    services,
    ids.map((requestId) => ({ connectionId: profile.id, requestId })),
  );
}

function requireAddress(services: RouteServices, argument: unknown): ResponseAddress {
  const address = findAddress(services, argument);
  if (!address) throw new UserError(l10n.t('no request is selected'));
  return address;
}

function addresses(services: RouteServices, argument: unknown, selection: unknown): readonly ResponseAddress[] {
  const rows = Array.isArray(selection) && selection.length > 0 ? (selection as unknown[]) : [argument];
  return rows.map((row) => findAddress(services, row)).filter((address) => address !== undefined);
}

function requireStored({ requests }: RouteServices, { connectionId, requestId }: ResponseAddress): StoredRequest {
  const stored = requests.find(connectionId, requestId);
  if (!stored) throw new UserError(l10n.t('the request is no longer in the list'));
  return stored;
}

/** Saves the exact bytes of a response's body. @param argument address of its document; by default, that of the active editor */
export async function saveBody(services: RouteServices, argument: unknown): Promise<void> {
  const address = findAddress(services, argument);
  const response = address && (await findResponse(services, address));
  if (!address || !response) throw new UserError(l10n.t('no response is open'));
  const { head, body, size } = response;
  if (!head || size === 0) throw new UserError(l10n.t('the response has no body'));
  if (!body || body.length === 0)
    throw new UserError(l10n.t('the body is no longer available. Send the request again to receive it'));
  const { suffix } = bodyTypeOf(head.headers, body);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `response.${suffix}`;
  const uri = await vscode.window.showSaveDialog({
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    title: l10n.t('Save Response Body As'),
  });
  if (!uri) return;
  await vscode.workspace.fs.writeFile(uri, body);
  const part = response.state.kind === 'complete' ? '' : l10n.t(' The response is not complete.');
  showStatusBarMessage(shown`Saved ${dataSize(body.length)} to ${uri.path.split('/').at(-1) ?? ''}.${part}`, SHOWN_MS);
}
