import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isCanceled } from '../../../kit/errors.ts';
import { modelInformation } from '../../../kit/languageModels.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { notConnected, requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { maySend } from '../send/maySend.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { chat } from './actions/chat.ts';
import { countTokens } from './actions/countTokens.ts';
import { errorForChat } from './chatErrors.ts';
import { offeredTool, turnOf } from './languageModelTurns.ts';
import { chatModelId, familyOf, tokenLimits, type ChatModel } from '../../../account/endpoints/chatModel.ts';
import type { ChatTurn } from './model/chatTurn.ts';
import { requestBody } from './model/requestBody.ts';
import { startProgress } from './startProgress.ts';
import { TokenCounter, countedText, type AskWorker } from './tokenCounter.ts';

/** A model as the editor knows it, with the model of the connection that it stands for. */
export interface ModelInformation extends vscode.LanguageModelChatInformation {
  readonly connectionId: string;
  readonly model: ChatModel;
}

/** Maximum time for which a worker is assumed to run after an answer, in ms. */
const MAX_WARM_MS = 60_000;
const DEFAULT_IDLE_SECONDS = 5;

/** Offers the registered models of the current connection to the editor. Listing them sends no request. */
export class ChatModelProvider implements vscode.LanguageModelChatProvider<ModelInformation>, vscode.Disposable {
  readonly #services: AccountServices;
  readonly #tokens: TokenCounter;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;
  #listed = '';

  constructor(services: AccountServices) {
    const { chatModels, endpoints, clock } = services;
    this.#services = services;
    this.#tokens = new TokenCounter(clock);
    const notify = () => {
      const listed = JSON.stringify(this.#models());
      if (listed === this.#listed) return;
      this.#listed = listed;
      this.#changed.fire();
    };
    this.#subscriptions = vscode.Disposable.from(
      chatModels.onDidChange(notify),
      endpoints.onDidChange(notify),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('cloudCompute.chatModels')) this.#changed.fire();
      }),
    );
  }

  /** Lists the models. The stored connections have been read. */
  provideLanguageModelChatInformation(): ModelInformation[] {
    const { profile } = this.#services.connections;
    if (!profile) return [];
    return this.#models().map((model) => {
      const { input, output } = tokenLimits(model.contextLength ?? defaultContextLength());
      return modelInformation({
        id: chatModelId(model),
        name: shown`${familyOf(model.modelId)}`,
        family: familyOf(model.modelId),
        version: model.modelId,
        detail: shown`${model.endpointName}`,
        tooltip: shown`${model.modelId} on the endpoint ${model.endpointName} of ${profile.name}`,
        maxInputTokens: input,
        maxOutputTokens: output,
        capabilities: { toolCalling: model.toolCalling, imageInput: model.imageInput },
        connectionId: profile.id,
        model,
      });
    });
  }

  async provideLanguageModelChatResponse(
    information: ModelInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    try {
      await this.#answer(information, messages.map(turnOf), options, progress, token);
    } catch (error) {
      if (isCanceled(error)) throw new vscode.CancellationError();
      const shownError = errorForChat(error, information.name);
      this.#services.log.error(shownError.message);
      throw shownError;
    }
  }

  provideTokenCount(
    { model, connectionId }: ModelInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
    token: vscode.CancellationToken,
  ): Promise<number> {
    const ask: AskWorker = async (counted) => {
      const { client } = requireConnectionOf(this.#services.connections, connectionId);
      using cancellation = signalOf(token);
      return await countTokens(model, counted, { context: client.context, signal: cancellation.signal });
    };
    const id = chatModelId(model);
    return typeof text === 'string'
      ? this.#tokens.ofText(id, text, ask)
      : this.#tokens.ofMessage(id, turnOf(text).parts, ask);
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  async #answer(
    { model, connectionId, name }: ModelInformation,
    turns: readonly ChatTurn[],
    { tools = [], toolMode, modelOptions }: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const { connections, endpoints } = this.#services;
    const { client, profile } = requireConnectionOf(connections, connectionId);
    const body = requestBody({
      ...model,
      turns,
      tools: tools.map(offeredTool),
      toolRequired: toolMode === vscode.LanguageModelChatToolMode.Required,
      modelOptions,
    });
    if (!(await maySend(this.#services, profile, model)))
      throw new UserError(l10n.t('the request to a hosted platform was not confirmed'));
    // The progress describes the workers of the endpoint, which are unknown while the view has not been visible.
    if (!endpoints.find(model.endpointId)) void endpoints.refresh();

    using cancellation = signalOf(token);
    const switched = new AbortController();
    // The key is sent only while its connection is the current one, and the answer belongs to that connection.
    const subscription = connections.onDidChange(() => {
      if (connections.client !== client) switched.abort();
    });
    const waiting = startProgress(this.#services, { endpointId: model.endpointId, name });
    let promptTokens: number | undefined;
    try {
      const signal = AbortSignal.any([cancellation.signal, switched.signal]);
      for await (const part of chat(model, body, { client, signal, observer: waiting.observer })) {
        switch (part.kind) {
          case 'text':
            waiting.end();
            progress.report(new vscode.LanguageModelTextPart(part.text));
            break;
          case 'toolCall':
            waiting.end();
            progress.report(new vscode.LanguageModelToolCallPart(part.id, part.name, part.input));
            break;
          case 'reasoning':
            waiting.report(l10n.t('the model is thinking'));
            break;
          case 'usage':
            promptTokens = part.prompt;
        }
      }
      const prompt = turns.map(({ parts }) => countedText(parts)).join('');
      this.#tokens.answered(chatModelId(model), prompt, promptTokens, this.#warmMs(model.endpointId));
    } catch (error) {
      if (switched.signal.aborted && !token.isCancellationRequested) {
        requireConnectionOf(connections, connectionId);
        throw new UserError(l10n.t('the connection changed during the answer'));
      }
      throw error;
    } finally {
      waiting.end();
      subscription.dispose();
    }
  }

  /** Returns the time for which a worker continues to run after an answer, in ms. */
  #warmMs(endpointId: string): number {
    const { idleTimeout = DEFAULT_IDLE_SECONDS } = this.#services.endpoints.find(endpointId)?.endpoint.workers ?? {};
    return Math.min(MAX_WARM_MS, idleTimeout * 1000);
  }

  /** Returns the models of the current connection that can be called, as far as is known without a request. */
  #models(): readonly ChatModel[] {
    const { connections, chatModels, endpoints } = this.#services;
    if (notConnected(connections)) return [];
    const isGone = (endpointId: string) => endpoints.state.kind === 'ready' && !endpoints.find(endpointId);
    return chatModels.models.filter(({ endpointId }) => !isGone(endpointId));
  }
}

function defaultContextLength(): number {
  const length = vscode.workspace.getConfiguration('cloudCompute.chatModels').get<number>('contextLength');
  return typeof length === 'number' && length >= 1 ? Math.floor(length) : 32_768;
}

/** Returns a signal that the token aborts. Dispose it at the end. */
function signalOf(token: vscode.CancellationToken): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, [Symbol.dispose]: () => void subscription.dispose() };
}
