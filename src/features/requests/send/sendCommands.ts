import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { RouteServices } from '../routeServices.ts';
import { findAddress } from '../responses/responseArgument.ts';
import { RESPONSE_SCHEME } from '../requestShells.ts';
import { titleOf } from '../responses/responseAddress.ts';
import { copyRequest } from './copyRequest.ts';
import { atOffset, byIndex, readRequest, type Choice } from './readRequest.ts';
import { sendExchange } from './sendExchange.ts';

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
