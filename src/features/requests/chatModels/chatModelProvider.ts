import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isCanceled } from '../../../kit/errors.ts';
import { modelInformation, modelError, type ModelErrorKind } from '../../../kit/languageModels.ts';
import { shown, type ShownText, type Showable } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import {
  notConnected,
  requireConnectionOf,
  NotConnectedError,
} from '../../../account/connections/requireConnection.ts';
import { maySend } from '../send/maySend.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { chat } from './actions/chat.ts';
import { countTokens } from './actions/countTokens.ts';
import { offeredTool, turnOf } from './languageModelTurns.ts';
import { chatModelId, familyOf, tokenLimits, type ChatModel } from '../../../account/endpoints/chatModelStore.ts';
import { requestBody, type ChatTurn } from './model/requestBody.ts';
import { TokenCounter, countedText, type AskWorker } from './tokenCounter.ts';
import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import { explain } from '../../../kit/explain.ts';
import { ChatError, type ChatErrorCode } from './model/chatError.ts';
import { callAfter } from '../../../client/clock.ts';
import { withProgress, type Report } from '../../../kit/progress.ts';
import type { WaitObserver } from '../actions/untilWorkerReady.ts';
import { waitObserver } from '../send/waitObserver.ts';

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

/* The message of each error of a chat, and its kind for the extension that asked. */

const explanations: Readonly<Record<ChatErrorCode, (detail: string) => ShownText>> = {
  paused: () => shown`the endpoint is paused: it allows no workers. Run “Scale…” on it to allow one`,
  worker: (detail) => shown`the worker reported an error (${detail})`,
  toolArguments: (detail) =>
    shown`the model called the tool “${detail}” with arguments that are not a JSON object. Try again, or use a model that supports tools`,
  length: () =>
    shown`the answer reached the maximum number of tokens and is not complete. Ask for a shorter answer, or shorten the chat`,
  filtered: () => shown`the worker withheld the answer because of its content`,
  empty: () => shown`the model gave an empty answer`,
  notChat: () =>
    shown`the response is not an answer of an OpenAI-compatible worker. The worker log can show the reason`,
  images: (detail) =>
    shown`the model does not accept images (${detail}). Run “Use Endpoint as Chat Model…” again if it does`,
};

const kinds: Readonly<Partial<Record<ErrorKind, ModelErrorKind>>> = {
  notFound: 'notFound',
  unauthorized: 'noPermissions',
  forbidden: 'noPermissions',
  rateLimited: 'blocked',
};

/** Returns the error that the chat shows. */
function errorForChat(error: unknown, modelName: string): Error {
  const attempt = shown`“${modelName}” could not answer`;
  if (error instanceof ChatError) {
    const kind = error.code === 'filtered' ? 'blocked' : 'other';
    return modelError(kind, shown`${attempt}: ${explanations[error.code](error.detail)}.`);
  }
  const kind =
    error instanceof ApiError ? kinds[error.kind] : error instanceof NotConnectedError ? 'notFound' : undefined;
  return modelError(kind ?? 'other', explain(error, attempt));
}

/** Time in ms after which the wait for an answer is shown. */
const PATIENCE_MS = 1_000;

interface StartProgress {
  readonly observer: WaitObserver;
  readonly report: Report;
  /** Removes the progress. */
  end(): void;
}

/**
 * Shows in the status bar why a chat waits, such as `12 s · waiting for a worker: 1 initializing`. The chat itself can only show that a
 * request is running, and has the button that cancels it.
 */
function startProgress(
  services: Pick<AccountServices, 'clock' | 'endpoints'>,
  { endpointId, name }: { readonly endpointId: string; readonly name: string },
): StartProgress {
  const ended = Promise.withResolvers<void>();
  let last: Showable | undefined;
  let show: Report | undefined;
  const report: Report = (message) => {
    last = message;
    show?.(message);
  };
  const stopWaiting = callAfter(services.clock, PATIENCE_MS, () => {
    void withProgress({ title: shown`${name}`, location: vscode.ProgressLocation.Window }, async (_, shownReport) => {
      show = shownReport;
      if (last !== undefined) shownReport(last);
      await ended.promise;
    });
  });
  return {
    observer: waitObserver(services, endpointId, report),
    report,
    end: () => {
      stopWaiting();
      ended.resolve();
    },
  };
}
