import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { CHAT_PATH, openAiBase } from '../../../contract/openAi.ts';
import { registerCommand } from '../../../vscode/commands.ts';
import { pick } from '../../../vscode/quickInput.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { requireConnection } from '../../connections/requireConnection.ts';
import type { EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import type { RouteServices } from '../routeServices.ts';
import { openNewHttpFile } from '../language/newHttpFile.ts';
import { endpointReference, requestText } from '../send/requestText.ts';
import { chatBody, MESSAGE } from './chatBody.ts';
import { chooseChatEndpoint } from './chooseChatEndpoint.ts';
import { chatEndpoint, readModels } from './readModels.ts';

/** Registers the command that opens a request for a chat with a worker. */
export function registerChatCommand(services: RouteServices): vscode.Disposable {
  return registerCommand(services.log, 'cloudCompute.routes.chat', l10n.t('Could not open a chat'), (argument) =>
    openChat(services, argument),
  );
}

async function openChat(services: RouteServices, argument: unknown): Promise<void> {
  services.liveValues.request();
  const { client, profile } = requireConnection(services.connections);
  const snapshot = await chooseChatEndpoint(services, argument, {
    title: l10n.t('Chat'),
    placeholder: l10n.t('Endpoint with an OpenAI-compatible worker'),
  });
  if (!snapshot) return;
  const models = await readModels(services, { client, profile }, snapshot);
  if (!models) return;
  const { name } = snapshot.endpoint;
  const items = models.map(({ id }) => ({ label: id, id }));
  const chosen =
    models.length === 1
      ? models[0].id
      : (await pick(items, { title: shown`Chat with “${name}”`, placeholder: l10n.t('Model') }))?.id;
  if (chosen === undefined) return;
  await openChatFile(services, snapshot, chosen);
}

async function openChatFile({ endpoints }: RouteServices, snapshot: EndpointSnapshot, model: string): Promise<void> {
  const { endpoint } = snapshot;
  const all = endpoints.endpoints.map((other) => other.endpoint);
  const text = requestText(endpointReference(endpoint, all), {
    name: l10n.t`Chat with ${model}`,
    method: 'POST',
    path: openAiBase(chatEndpoint(snapshot).endpointType) + CHAT_PATH,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    body: { kind: 'text', text: chatBody(model) },
  });
  const editor = await openNewHttpFile(`chat-${endpoint.name}`, text);
  // Selects the message, so that the user can replace it.
  const start = editor.document.getText().indexOf(MESSAGE);
  if (start === -1) return;
  const [from, to] = [start, start + MESSAGE.length].map((offset) => editor.document.positionAt(offset));
  if (from && to) editor.selection = new vscode.Selection(from, to);
}
