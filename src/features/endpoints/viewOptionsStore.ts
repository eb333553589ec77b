import { Emitter } from '../../kit/emitter.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { anything, object, oneOf, text } from '../../kit/smallSchema.ts';
import { GROUPINGS, SORTS, type Arrangement, type Grouping, type Sort } from '../../account/endpoints/arrangement.ts';

/** The current connection and its changes. */
interface Connected {
  readonly profile: { readonly id: string } | undefined;
  readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
}

const ORDER = 'cloudCompute.endpoints.order';
const FILTER = 'cloudCompute.endpoints.filter';

/** Keys that Settings Sync copies to other machines. Favorites are omitted, because connections belong to one machine. */
export const SYNCED_KEYS = [ORDER];

const Order = object({}, { sort: anything, group: anything });
const SortName = oneOf(...SORTS);
const GroupingName = oneOf(...GROUPINGS);
/** The maximum limits the stored IDs of deleted endpoints. */
const FAVORITES = { name: 'endpoints.favorites', schema: oneOf(true), max: 500 };

/**
 * Stores the sort order, grouping, filter, and favorites of the endpoints view. The order and grouping apply everywhere. Favorites belong to
 * a connection. The filter belongs to the workspace, because users do not expect a filter from another workspace.
 */
export class ViewOptionsStore {
  readonly #everywhere: StateStorage;
  readonly #here: StateStorage;
  readonly #favorites: KeyedState<true>;
  readonly #connections: Connected;
  readonly #subscription: { dispose(): unknown };
  readonly #changed = new Emitter<undefined>();
  readonly onDidChange = this.#changed.event;
  #connectionId: string | undefined;
  #arrangement: Arrangement;

  constructor(everywhere: StateStorage, here: StateStorage, connections: Connected) {
    this.#everywhere = everywhere;
    this.#here = here;
    this.#favorites = new KeyedState(everywhere, FAVORITES);
    this.#connections = connections;
    this.#connectionId = connections.profile?.id;
    const { sort, group } = Order.safeParse(everywhere.get(ORDER)).data ?? {};
    this.#arrangement = {
      sort: SortName.safeParse(sort).data ?? 'name',
      group: GroupingName.safeParse(group).data ?? 'none',
      filter: text.safeParse(here.get(FILTER)).data ?? '',
      favorites: this.#currentFavorites(),
    };
    this.#subscription = connections.onDidChange(() => this.#onConnection());
  }

  get arrangement(): Arrangement {
    return this.#arrangement;
  }

  /** Applies a filter without storing it, while the user types. */
  previewFilter(filter: string): void {
    this.#set({ ...this.#arrangement, filter });
  }

  async setFilter(filter: string): Promise<void> {
    this.previewFilter(filter.trim());
    await this.#here.update(FILTER, filter.trim());
  }

  async setOrder(change: { readonly sort?: Sort; readonly group?: Grouping }): Promise<void> {
    this.#set({ ...this.#arrangement, ...change });
    const { sort, group } = this.#arrangement;
    await this.#everywhere.update(ORDER, { sort, group });
  }

  async setFavorite(connectionId: string, ids: readonly string[], favorite: boolean): Promise<void> {
    await this.#favorites.change(
      connectionId,
      ids.map((id) => [id, favorite || undefined]),
    );
    this.#showFavorites();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #onConnection(): void {
    const id = this.#connections.profile?.id;
    if (id === this.#connectionId) return;
    this.#connectionId = id;
    this.#showFavorites();
  }

  #showFavorites(): void {
    this.#set({ ...this.#arrangement, favorites: this.#currentFavorites() });
  }

  /** Returns the favorites of the current connection. */
  #currentFavorites(): ReadonlySet<string> {
    const id = this.#connectionId;
    return new Set(id === undefined ? [] : this.#favorites.entries(id).keys());
  }

  #set(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#changed.fire(undefined);
  }
}
