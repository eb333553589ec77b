import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { RouteServices } from '../routeServices.ts';
import { bodyTypeOf } from './bodyKind.ts';
import { findAddress } from './responseArgument.ts';
import { findResponse } from './responseContent.ts';

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
  void showMessage('information', shown`Saved ${dataSize(body.length)} to ${uri.path.split('/').at(-1) ?? ''}.${part}`);
}
