import { Emitter, type Subscription } from '../../kit/emitter.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { ChatModel } from './chatModel.ts';

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
