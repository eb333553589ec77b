import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { OpenAiModel } from '../../../contract/openAiChat.ts';
import { showMessage, showStatusBarMessage } from '../../../kit/messages.ts';
import { pickMany } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { chatEndpoint, readModels } from './readModels.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import {
  chatModelId,
  contextLengthOf,
  reportedCapabilities,
  type ChatModel,
} from '../../../account/endpoints/chatModelStore.ts';

const TITLE = l10n.t('Use Endpoint as Chat Model');
/** Duration of a confirmation in the status bar, in ms. */
const CONFIRMATION_MS = 3_000;

/** Lets the user choose the models of an endpoint, after its worker has listed them. */
export async function addChatModels(services: AccountServices, argument: unknown): Promise<void> {
  services.liveValues.request();
  const { chatModels } = services;
  const connection = requireConnection(services.connections);
  const placeholder = l10n.t('Endpoint with an OpenAI-compatible worker');
  const snapshot = await chosenEndpoint(services, [argument], placeholder, { title: TITLE });
  if (!snapshot) return;
  const offered = await readModels(services, connection, snapshot);
  if (!offered) return;
  const { id: endpointId, name: endpointName } = snapshot.endpoint;
  const registered = chatModels.ofEndpoint(endpointId);
  const models = await chooseModels(offered, registered);
  if (!models) return;
  const capabilities = models.length === 0 ? [] : await chooseCapabilities(models, registered);
  if (!capabilities) return;
  const added = models.map((model): ChatModel => {
    const contextLength = contextLengthOf(model);
    return {
      endpointId,
      endpointName,
      endpointType: chatEndpoint(snapshot).endpointType,
      modelId: model.id,
      ...(contextLength === undefined ? {} : { contextLength }),
      toolCalling: capabilities.includes('toolCalling'),
      imageInput: capabilities.includes('imageInput'),
    };
  });
  await chatModels.replace(connection.profile.id, endpointId, added);
  if (added.length > 0) await announce(added, endpointName);
  else showStatusBarMessage(shown`“${endpointName}” has no chat models now`, CONFIRMATION_MS);
}

/** Asks which models to use. A single model that is not registered yet needs no question. */
async function chooseModels(
  offered: readonly OpenAiModel[],
  registered: readonly ChatModel[],
): Promise<readonly OpenAiModel[] | undefined> {
  if (offered.length === 1 && registered.length === 0) return offered;
  const isRegistered = ({ id }: OpenAiModel) => registered.some(({ modelId }) => modelId === id);
  const items = offered.map((model) => {
    const contextLength = contextLengthOf(model);
    return {
      label: model.id,
      description: contextLength === undefined ? '' : l10n.t`${contextLength.toLocaleString('en-US')} tokens`,
      model,
    };
  });
  const placeholder = l10n.t('Models for the chat. A model without a check mark is removed.');
  const chosen = await pickMany(items, { title: TITLE, placeholder }, ({ model }) => isRegistered(model));
  return chosen?.map(({ model }) => model);
}

type Capability = 'toolCalling' | 'imageInput';

const capabilityItems = [
  {
    capability: 'toolCalling',
    label: l10n.t('Tool calls'),
    detail: l10n.t('Agents can use the model only with tool calls. The server must support them.'),
  },
  { capability: 'imageInput', label: l10n.t('Images'), detail: l10n.t('The chat can attach images to messages.') },
] as const satisfies readonly { readonly capability: Capability; readonly label: string; readonly detail: string }[];

/** Asks what the models support, because most servers do not report it. */
async function chooseCapabilities(
  models: readonly OpenAiModel[],
  registered: readonly ChatModel[],
): Promise<readonly Capability[] | undefined> {
  const known = registered.length > 0 ? registered : models.map(reportedCapabilities);
  const names = models.length === 1 ? shown`“${models[0]?.id ?? ''}”` : l10n.t`${models.length} models`;
  const chosen = await pickMany(
    capabilityItems,
    { title: TITLE, placeholder: shown`Capabilities of ${names}` },
    ({ capability }) => known.every((one) => one[capability]),
  );
  return chosen?.map(({ capability }) => capability);
}

const OPEN_CHAT = 'workbench.action.chat.open';
const AI_SETTING = 'chat.disableAIFeatures';

/** Tells how to use the models. The user can have turned off the chat of the editor. */
async function announce(models: readonly ChatModel[], endpointName: string): Promise<void> {
  const names = models.length === 1 ? shown`“${models[0]?.modelId ?? ''}”` : l10n.t`${models.length} models`;
  const done = shown`The chat can use ${names} of “${endpointName}”.`;
  if (vscode.workspace.getConfiguration().get(AI_SETTING) === true) {
    const open = l10n.t('Open Setting');
    const message = shown`${done} The setting ${AI_SETTING} turns off the chat.`;
    if ((await showMessage('information', message, open)) === open)
      await vscode.commands.executeCommand('workbench.action.openSettings', AI_SETTING);
    return;
  }
  const canOpen = (await vscode.commands.getCommands(true)).includes(OPEN_CHAT);
  const open = l10n.t('Open Chat');
  if ((await showMessage('information', done, ...(canOpen ? [open] : []))) === open)
    await vscode.commands.executeCommand(OPEN_CHAT);
}

/** Removes the models that the user chooses. A clicked endpoint limits the choice to its models. */
export async function removeChatModels(
  { chatModels, connections }: Pick<AccountServices, 'connections' | 'chatModels'>,
  argument: unknown,
): Promise<void> {
  const { profile } = connections;
  const models = isEndpointNode(argument) ? chatModels.ofEndpoint(argument.endpointId) : chatModels.models;
  if (!profile || models.length === 0)
    throw new UserError(l10n.t('no endpoint is used as a chat model'), {
      label: l10n.t('Use Endpoint as Chat Model…'),
      command: 'cloudCompute.chatModels.add',
    });
  const items = models.map((model) => ({ label: model.modelId, description: model.endpointName, model }));
  const options = { title: l10n.t('Remove Chat Model'), placeholder: l10n.t('Models to remove from the chat') };
  const only = models.length === 1 ? chatModelId(models[0] ?? { endpointId: '', modelId: '' }) : undefined;
  const chosen = await pickMany(items, options, ({ model }) => chatModelId(model) === only);
  if (!chosen || chosen.length === 0) return;
  await chatModels.remove(
    profile.id,
    chosen.map(({ model }) => model),
  );
  showStatusBarMessage(
    chosen.length === 1 ? shown`Removed 1 chat model` : shown`Removed ${chosen.length} chat models`,
    CONFIRMATION_MS,
  );
}
