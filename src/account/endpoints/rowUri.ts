import * as vscode from 'vscode';
import { nodeId, type EndpointNode } from './endpointNode.ts';

/* Addresses of rows in the endpoints view, so that other features can mark them. */

const SCHEME = 'cloud-compute-row';

export function rowUri(node: EndpointNode): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${nodeId(node)}` });
}

/** Returns the ID of the row at an address, as `nodeId` returns it. Undefined for any other address. */
export function rowIdOf({ scheme, path }: vscode.Uri): string | undefined {
  return scheme === SCHEME ? path.slice(1) : undefined;
}
