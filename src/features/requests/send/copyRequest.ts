import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { routeUrl } from '../../../client/routeRequest.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { pick } from '../../../kit/quickInput.ts';
import { oneLine, shown, withoutControls } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { KEY_VARIABLE } from '../../../account/requestCode/requestExample.ts';
import { CODE_LANGUAGES, CODE_NAMES, requestCode } from '../../../account/requestCode/requestCode.ts';
import { readBody, sentHeaders } from '../actions/requestBody.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';
import type { RouteServices } from '../routeServices.ts';
import { requestFiles } from './requestFiles.ts';

/** Copies code that sends a request. The code reads the key from an environment variable. */
export async function copyRequest(
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
