import * as vscode from 'vscode';
import type { RouteServices } from '../routeServices.ts';
import { isRequestNode } from '../requestShells.ts';
import { responseAddresses, type ResponseAddress } from './responseAddress.ts';

/**
 * Returns the request that a command acts on: the one of a row, of a document, or of the active editor.
 *
 * @param argument a row of the requests view, the address of a document, or nothing
 */
export function findAddress(
  { connections }: Pick<RouteServices, 'connections'>,
  argument: unknown,
): ResponseAddress | undefined {
  if (isRequestNode(argument)) {
    const connectionId = connections.profile?.id;
    return connectionId === undefined ? undefined : { connectionId, requestId: argument.requestId };
  }
  const uri = argument instanceof vscode.Uri ? argument : activeUri();
  return uri && responseAddresses.parse(uri);
}

/** Returns the address of the active tab, which can be a text or an image. */
function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
}
