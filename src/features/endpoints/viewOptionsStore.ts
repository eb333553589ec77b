import * as z from 'zod';
import { Emitter } from '../../vscode/emitter.ts';
import { stateKey, type StateStorage } from '../connections/connectionState.ts';
import { GROUPINGS, SORTS, type Arrangement, type Grouping, type Sort } from './arrangement.ts';

/** What the store needs of the connections: which one is current, and when that changes. */
interface Connected {
  readonly profile: { readonly id: string } | undefined;
  readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
}

const ORDER = 'cloudCompute.endpoints.order';
const FILTER = 'cloudCompute.endpoints.filter';

/** What follows a person to their other machines, with Settings Sync. Connections, and so favourites, belong to one machine. */
export const SYNCED_KEYS = [ORDER];

const Order = z.object({ sort: z.enum(SORTS).catch('name'), group: z.enum(GROUPINGS).catch('none') });
const Favourites = z.array(z.string());
/** Ids of endpoints that are long gone do no harm, but must not pile up. */
const MOST_FAVOURITES = 500;

const favouritesKey = (connectionId: string) => stateKey(connectionId, 'endpoints.favourites');

/**
 * How a person wants to see the endpoints. The order is the same everywhere. Favourites belong to a connection. A filter belongs to the
 * workspace, because a filter from another machine would surprise.
 */
export class ViewOptionsStore {
  readonly #everywhere: StateStorage;
  readonly #here: StateStorage;
  readonly #connections: Connected;
  readonly #subscription: { dispose(): unknown };
  readonly #changed = new Emitter<undefined>();
  readonly onDidChange = this.#changed.event;
  #connectionId: string | undefined;
  #arrangement: Arrangement;

  constructor(everywhere: StateStorage, here: StateStorage, connections: Connected) {
    this.#everywhere = everywhere;
    this.#here = here;
    this.#connections = connections;
    this.#connectionId = connections.profile?.id;
    const { sort, group } = Order.catch({ sort: 'name', group: 'none' }).parse(everywhere.get(ORDER));
    this.#arrangement = {
      sort,
      group,
      filter: z.string().catch('').parse(here.get(FILTER)),
      favourites: this.#favourites(),
    };
    this.#subscription = connections.onDidChange(() => this.#onConnection());
  }

  get arrangement(): Arrangement {
    return this.#arrangement;
  }

  /** Shows only what matches, without remembering it yet: while it is typed. */
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

  async setFavourite(connectionId: string, ids: readonly string[], favourite: boolean): Promise<void> {
    const others = this.#stored(connectionId).filter((id) => !ids.includes(id));
    const favourites = (favourite ? [...others, ...ids] : others).slice(-MOST_FAVOURITES);
    await this.#everywhere.update(favouritesKey(connectionId), favourites);
    this.#showFavourites();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #onConnection(): void {
    const id = this.#connections.profile?.id;
    if (id === this.#connectionId) return;
    this.#connectionId = id;
    this.#showFavourites();
  }

  #showFavourites(): void {
    this.#set({ ...this.#arrangement, favourites: this.#favourites() });
  }

  /** The favourites of the current connection. */
  #favourites(): ReadonlySet<string> {
    const id = this.#connectionId;
    return new Set(id === undefined ? [] : this.#stored(id));
  }

  #stored(connectionId: string): readonly string[] {
    return Favourites.catch([]).parse(this.#everywhere.get(favouritesKey(connectionId)));
  }

  #set(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#changed.fire(undefined);
  }
}
