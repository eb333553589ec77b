import { Emitter, type Subscription } from '../../kit/emitter.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import type { OpenAiModel } from '../../contract/openAiChat.ts';
import { flag, matching, object, oneOf, text, type ValueOf } from '../../kit/smallSchema.ts';

/** The members of `ConnectionStore` that this store uses. */
interface Connections {
  readonly profile: { readonly id: string } | undefined;
  readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
}

const NONE: readonly ChatModel[] = [];

/** Holds the chat models of each connection, which all windows share. */
export class ChatModelStore {
  readonly #models: KeyedState<ChatModel>;
  readonly #connections: Connections;
  readonly #changed = new Emitter<void>();
  /** Fires after a change of the models and of the current connection. */
  readonly onDidChange: (listener: () => unknown) => Subscription = this.#changed.event;
  readonly #subscription: { dispose(): unknown };

  constructor(storage: StateStorage, connections: Connections) {
    this.#models = new KeyedState(storage, { name: 'chatModels', schema: ChatModel, max: 100 });
    this.#models.onDidChange(() => this.#changed.fire());
    this.#connections = connections;
    this.#subscription = connections.onDidChange(() => this.#changed.fire());
  }

  /** Models of the current connection, in order of registration. */
  get models(): readonly ChatModel[] {
    const { profile } = this.#connections;
    return profile ? this.#of(profile.id) : NONE;
  }

  /** Returns the models of an endpoint of the current connection. */
  ofEndpoint(endpointId: string): readonly ChatModel[] {
    return this.models.filter((model) => model.endpointId === endpointId);
  }

  /** Replaces the models of an endpoint. An empty list removes them. */
  async replace(connectionId: string, endpointId: string, models: readonly ChatModel[]): Promise<void> {
    const removed = this.#of(connectionId).filter((model) => model.endpointId === endpointId);
    await this.#models.change(
      connectionId,
      new Map([
        ...removed.map((model) => [keyOf(model), undefined] as const),
        ...models.map((model) => [keyOf(model), model] as const),
      ]),
    );
  }

  /** Removes models. */
  remove(connectionId: string, removed: readonly ChatModel[]): Promise<void> {
    return this.#models.remove(connectionId, removed.map(keyOf));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#models.dispose();
    this.#changed.dispose();
  }

  #of(connectionId: string): readonly ChatModel[] {
    return [...this.#models.entries(connectionId).values()];
  }
}

function keyOf({ endpointId, modelId }: ChatModel): string {
  return JSON.stringify([endpointId, modelId]);
}

/* Models of endpoints that the user registered as chat models. */

const positive = matching((value): value is number => Number.isSafeInteger(value) && (value as number) > 0);

export const ChatModel = object(
  {
    endpointId: text,
    endpointName: text,
    endpointType: oneOf('QUEUE', 'LOAD_BALANCER'),
    /** Name of the model in requests. */
    modelId: text,
    toolCalling: flag,
    imageInput: flag,
  },
  {
    /** Maximum number of tokens of a prompt and its answer. Undefined if the worker does not report it. */
    contextLength: positive,
  },
);
export type ChatModel = ValueOf<typeof ChatModel>;

/** Returns the ID of a model, which is unique within a connection. */
export function chatModelId({ endpointId, modelId }: Pick<ChatModel, 'endpointId' | 'modelId'>): string {
  return `${endpointId}/${modelId}`;
}

export function contextLengthOf(model: OpenAiModel): number | undefined {
  return model.max_model_len ?? model.context_length ?? model.max_context_length ?? undefined;
}

/** Capabilities of a model as its worker reports them. */
interface ReportedCapabilities {
  readonly toolCalling: boolean;
  readonly imageInput: boolean;
}

/** Returns the capabilities that a worker reports. Most servers report none: tool calls are assumed, images are not. */
export function reportedCapabilities({ supported_parameters, architecture }: OpenAiModel): ReportedCapabilities {
  return {
    toolCalling: supported_parameters?.includes('tools') ?? true,
    imageInput: architecture?.input_modalities?.includes('image') ?? false,
  };
}

/** Maximum share of the context, and maximum number of tokens, for an answer. */
const ANSWER_SHARE = 0.25;
const MAX_ANSWER_TOKENS = 4_096;

interface TokenLimits {
  readonly input: number;
  readonly output: number;
}

/** Divides the context of a model into a prompt and an answer. */
export function tokenLimits(contextLength: number): TokenLimits {
  const output = Math.max(1, Math.min(MAX_ANSWER_TOKENS, Math.floor(contextLength * ANSWER_SHARE)));
  return { input: Math.max(1, contextLength - output), output };
}

/** Returns the family of a model for selectors, such as `Llama-3.1-8B-Instruct` for `meta-llama/Llama-3.1-8B-Instruct`. */
export function familyOf(modelId: string): string {
  return modelId.split('/').findLast((part) => part !== '') ?? modelId;
}
