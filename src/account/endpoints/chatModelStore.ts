import { Emitter, type Subscription } from '../../kit/emitter.ts';
import { stateKey, type StateStorage } from '../connections/connectionState.ts';
import { storedEntries, type StoredEntries } from '../../kit/storedEntries.ts';
import { ChatModel } from './chatModel.ts';

/** Name of the stored value. */
const NAME = 'chatModels';

/** Maximum number of models per connection. The oldest ones are removed first. */
const MAX_MODELS = 100;

/** The members of `ConnectionStore` that this store uses. */
interface Connections {
  readonly profile: { readonly id: string } | undefined;
  readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
}

const NONE: readonly ChatModel[] = [];

/** Holds the chat models of each connection, which all windows share. */
export class ChatModelStore {
  readonly #storage: StateStorage;
  readonly #connections: Connections;
  readonly #changed = new Emitter<void>();
  /** Fires after a change of the models and of the current connection. */
  readonly onDidChange: (listener: () => unknown) => Subscription = this.#changed.event;
  readonly #subscription: { dispose(): unknown };

  constructor(storage: StateStorage, connections: Connections) {
    this.#storage = storage;
    this.#connections = connections;
    this.#subscription = connections.onDidChange(() => this.#changed.fire());
  }

  /** Models of the current connection, in order of registration. */
  get models(): readonly ChatModel[] {
    const { profile } = this.#connections;
    return profile ? this.#read(profile.id) : NONE;
  }

  /** Returns the models of an endpoint of the current connection. */
  ofEndpoint(endpointId: string): readonly ChatModel[] {
    return this.models.filter((model) => model.endpointId === endpointId);
  }

  /** Replaces the models of an endpoint. An empty list removes them. */
  async replace(connectionId: string, endpointId: string, models: readonly ChatModel[]): Promise<void> {
    const others = this.#read(connectionId).filter((model) => model.endpointId !== endpointId);
    await this.#write(connectionId, [...others, ...models]);
  }

  /** Removes models. */
  async remove(connectionId: string, removed: readonly ChatModel[]): Promise<void> {
    const kept = this.#read(connectionId).filter(
      ({ endpointId, modelId }) => !removed.some((one) => one.endpointId === endpointId && one.modelId === modelId),
    );
    await this.#write(connectionId, kept);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #read(connectionId: string): readonly ChatModel[] {
    return this.#stored(connectionId).entries;
  }

  #stored(connectionId: string): StoredEntries<ChatModel> {
    return storedEntries(ChatModel, this.#storage.get(stateKey(connectionId, NAME)));
  }

  async #write(connectionId: string, models: readonly ChatModel[]): Promise<void> {
    const stored = [...this.#stored(connectionId).others, ...models].slice(-MAX_MODELS);
    await this.#storage.update(stateKey(connectionId, NAME), stored.length === 0 ? undefined : stored);
    this.#changed.fire();
  }
}
