import * as vscode from 'vscode';
import { CHAT_PATH, MODELS_PATH, openAiBase } from '../../../contract/openAi.ts';
import { registerCommand } from '../../../vscode/commands.ts';
import { withLateProgress } from '../../../vscode/progress.ts';
import { pick } from '../../../vscode/quickInput.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import { requireConnection } from '../../connections/requireConnection.ts';
import { compareNames } from '../../endpoints/arrangement.ts';
import { isEndpointNode } from '../../endpoints/endpointNode.ts';
import type { EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import { listModels, type ChatEndpoint } from '../actions/listModels.ts';
import type { RouteServices } from '../routeServices.ts';
import { maySend } from '../send/maySend.ts';
import { openRequestFile } from '../send/openRequestFile.ts';
import { endpointReference, requestText } from '../send/requestText.ts';
import { canHaveWorkers, waitObserver } from '../send/waitObserver.ts';
import { chatBody, MESSAGE } from './chatBody.ts';

/** Registers the command that opens a request for a chat with a worker. */
export function registerChatCommand(services: RouteServices): vscode.Disposable {
  return registerCommand(services.log, 'cloudCompute.routes.chat', 'Could not open a chat', (argument) =>
    openChat(services, argument),
  );
}

async function openChat(services: RouteServices, argument: unknown): Promise<void> {
  services.liveValues.request();
  const { client, profile } = requireConnection(services.connections);
  const snapshot = await chooseEndpoint(services, argument);
  if (!snapshot) return;
  const { id, name, type } = snapshot.endpoint;
  const endpoint: ChatEndpoint = { endpointId: id, endpointType: type === 'LOAD_BALANCER' ? 'LOAD_BALANCER' : 'QUEUE' };
  if (!(await maySend(services, profile, { endpointId: id, endpointName: name }))) return;
  const list = await withLateProgress(services.clock, shown`Models of “${name}”`, (signal, report) =>
    listModels(endpoint, {
      context: client.context,
      signal,
      observer: waitObserver(services, id, report),
      mayRetry: () => canHaveWorkers(services, id),
    }),
  );
  const path = openAiBase(endpoint.endpointType);
  if (!('models' in list)) {
    const reason = list.status === 200 ? 'responds with other content' : shown`responds with status ${list.status}`;
    throw new UserError(
      shown`“${name}” does not offer chats. An OpenAI-compatible worker lists its models at ${path + MODELS_PATH}, and this one ${reason}`,
    );
  }
  const [only] = list.models;
  if (only === undefined) throw new UserError(shown`“${name}” has no models`);
  const items = list.models.map((model) => ({ label: model, model }));
  const chosen =
    list.models.length === 1
      ? only
      : (await pick(items, { title: shown`Chat with “${name}”`, placeholder: 'Model' }))?.model;
  if (chosen === undefined) return;
  await openChatFile(services, snapshot, chosen, path);
}

async function openChatFile(
  { endpoints }: RouteServices,
  { endpoint }: EndpointSnapshot,
  model: string,
  path: string,
): Promise<void> {
  const all = endpoints.endpoints.map((other) => other.endpoint);
  const text = requestText(endpointReference(endpoint, all), {
    name: `Chat with ${model}`,
    method: 'POST',
    path: path + CHAT_PATH,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    body: { kind: 'text', text: chatBody(model) },
  });
  const editor = await openRequestFile(text, `chat-${endpoint.name}`);
  // Selects the message, so that the user can replace it.
  const start = editor.document.getText().indexOf(MESSAGE);
  if (start === -1) return;
  const [from, to] = [start, start + MESSAGE.length].map((offset) => editor.document.positionAt(offset));
  if (from && to) editor.selection = new vscode.Selection(from, to);
}

/** Returns the endpoint of the clicked row, the only one, or one that the user picks. */
async function chooseEndpoint(
  { endpoints }: Pick<RouteServices, 'endpoints'>,
  argument: unknown,
): Promise<EndpointSnapshot | undefined> {
  await endpoints.refresh();
  if (isEndpointNode(argument)) {
    const found = endpoints.find(argument.endpointId);
    if (!found) throw new UserError('the endpoint no longer exists');
    return found;
  }
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const found = endpoints.endpoints.filter(({ deleting }) => !deleting);
  if (found.length === 0)
    throw new UserError('there is no endpoint yet', {
      label: 'Create Endpoint',
      command: 'cloudCompute.manifest.createEndpoint',
    });
  if (found.length === 1) return found[0];
  const items = [...found]
    .sort((a, b) => compareNames(a.endpoint.name, b.endpoint.name))
    .map((snapshot) => ({ label: snapshot.endpoint.name, description: snapshot.endpoint.id, snapshot }));
  return (await pick(items, { title: 'Chat', placeholder: 'Endpoint with an OpenAI-compatible worker' }))?.snapshot;
}
