import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick } from '../../../kit/quickInput.ts';
import { shown, oneLine, withoutControls } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { RouteServices } from '../routeServices.ts';
import { RESPONSE_SCHEME } from '../requestShells.ts';
import { titleOf } from '../responses/responseAddress.ts';
import { findAddress } from '../responses/responseArgument.ts';
import { atOffset, byIndex, readRequest, type Choice, requestFiles } from './readRequest.ts';
import { sendExchange } from './sendExchange.ts';
import { routeUrl } from '../../../client/routeRequest.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { KEY_VARIABLE } from '../../../account/requestCode/requestExample.ts';
import { CODE_LANGUAGES, CODE_NAMES, requestCode } from '../../../account/requestCode/requestCode.ts';
import { readBody, sentHeaders } from '../actions/requestBody.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';

const LANGUAGE = 'http';

/** Sends the request of a CodeLens, or the one at the cursor. */
export async function sendRequest(services: RouteServices, uri: unknown, index: unknown): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const place = placeOf(uri, index);
  const request = await readRequest(services, place.uri, place.choose);
  await sendExchange(services, request, { connectionId: profile.id, file: place.uri.toString() });
}

/** Cancels running requests. */
export async function cancelRequests(services: RouteServices, argument: unknown, selection: unknown): Promise<void> {
  for (const { requestId, connectionId } of await chosenActive(services, argument, selection))
    services.exchanges.find(connectionId, requestId)?.cancel();
}

/** Copies the request of a CodeLens, or the one at the cursor, as code. */
export async function copyRequestAs(services: RouteServices, uri: unknown, index: unknown): Promise<void> {
  const place = placeOf(uri, index);
  await copyRequest(services, await readRequest(services, place.uri, place.choose), place.uri);
}

/** Returns the request of a CodeLens, or the one at the cursor. */
function placeOf(uri: unknown, index: unknown): { readonly uri: vscode.Uri; readonly choose: Choice } {
  const editor = vscode.window.activeTextEditor;
  if (uri instanceof vscode.Uri && typeof index === 'number') return { uri, choose: byIndex(index) };
  const document = editor?.document;
  const isRequest = document?.languageId === LANGUAGE && document.uri.scheme !== RESPONSE_SCHEME;
  // The title bar of an editor passes its address without a request.
  if (uri instanceof vscode.Uri && (!isRequest || uri.toString() !== document.uri.toString()))
    return { uri, choose: byIndex(0) };
  if (!isRequest)
    throw new UserError(l10n.t('no request file is open'), {
      label: l10n.t('New Request File…'),
      command: 'cloudCompute.routes.newFile',
    });
  return {
    uri: document.uri,
    choose: atOffset(document.offsetAt(editor?.selection.active ?? new vscode.Position(0, 0))),
  };
}

/** Returns the running requests to cancel: those of rows, the one of a document, the only one, or one that the user picks. */
async function chosenActive(services: RouteServices, argument: unknown, selection: unknown) {
  const rows = Array.isArray(selection) && selection.length > 0 ? (selection as unknown[]) : [argument];
  const found = rows.map((row) => findAddress(services, row)).filter((address) => address !== undefined);
  if (found.length > 0) return found;
  const active = services.exchanges.active().map(({ id, origin, request }) => ({
    label: titleOf(request),
    description: shown`${request.endpointName}`,
    address: { requestId: id, connectionId: origin.connectionId },
  }));
  if (active.length === 0) throw new UserError(l10n.t('no request is running'));
  const [only] = active;
  const chosen = active.length === 1 ? only : await pick(active, { title: l10n.t('Cancel Request') });
  return chosen ? [chosen.address] : [];
}

/** Copies code that sends a request. The code reads the key from an environment variable. */
async function copyRequest(
  { connections }: Pick<RouteServices, 'connections'>,
  request: ResolvedRequest,
  file: vscode.Uri,
): Promise<void> {
  const { method } = request;
  if (method === 'WEBSOCKET') throw new UserError(l10n.t('a WebSocket cannot be copied as code'));
  const { client } = requireConnection(connections);
  const body = await readBody(request, requestFiles(file));
  if (body !== undefined && typeof body !== 'string')
    throw new UserError(l10n.t('a request whose body is a file cannot be copied as code'));
  const items = CODE_LANGUAGES.map((language) => ({ label: CODE_NAMES[language], language }));
  const chosen = await pick(items, { title: l10n.t('Copy Request As'), placeholder: l10n.t('Language of the code') });
  if (!chosen) return;
  const headers = sentHeaders(request.headers, body)
    .filter(([name]) => name.toLowerCase() !== 'authorization')
    .map(([name, value]) => ({ name: oneLine(name), value: oneLine(value) }));
  const code = requestCode(chosen.language, {
    method,
    url: oneLine(routeUrl(client.context, request).href),
    headers: [{ name: 'Authorization', value: { prefix: 'Bearer ', variable: KEY_VARIABLE } }, ...headers],
    ...(body !== undefined && { body: withoutControls(body) }),
  });
  await vscode.env.clipboard.writeText(code);
  showStatusBarMessage(shown`$(copy) Copied as ${chosen.label}. The key comes from ${KEY_VARIABLE}.`, 5_000);
}
