import * as z from 'zod';
import { Emitter } from '../../vscode/emitter.ts';
import { GROUPINGS, SORTS, type Arrangement, type Grouping, type Sort } from './arrangement.ts';

/** The part of VS Code's storage that is used. */
export interface Storage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const FAVOURITES = 'cloudCompute.endpoints.favourites';
const ORDER = 'cloudCompute.endpoints.order';
const FILTER = 'cloudCompute.endpoints.filter';

/** What follows a person to their other machines, with Settings Sync. */
export const SYNCED_KEYS = [FAVOURITES, ORDER];

const Order = z.object({ sort: z.enum(SORTS).catch('name'), group: z.enum(GROUPINGS).catch('none') });
const Favourites = z.array(z.string());
/** Ids of endpoints that are long gone do no harm, but must not pile up. */
const MOST_FAVOURITES = 500;

/**
 * How a person wants to see the endpoints. Order and favourites are theirs everywhere; a filter belongs to the workspace, and one
 * that another machine set would only surprise.
 */
export class ViewOptionsStore {
  readonly #everywhere: Storage;
  readonly #here: Storage;
  readonly #changed = new Emitter<undefined>();
  readonly onDidChange = this.#changed.event;
  #arrangement: Arrangement;

  constructor(everywhere: Storage, here: Storage) {
    this.#everywhere = everywhere;
    this.#here = here;
    const { sort, group } = Order.catch({ sort: 'name', group: 'none' }).parse(everywhere.get(ORDER));
    this.#arrangement = {
      sort,
      group,
      filter: z.string().catch('').parse(here.get(FILTER)),
      favourites: new Set(Favourites.catch([]).parse(everywhere.get(FAVOURITES))),
    };
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

  async setFavourite(ids: readonly string[], favourite: boolean): Promise<void> {
    const others = [...this.#arrangement.favourites].filter((id) => !ids.includes(id));
    const favourites = (favourite ? [...others, ...ids] : others).slice(-MOST_FAVOURITES);
    this.#set({ ...this.#arrangement, favourites: new Set(favourites) });
    await this.#everywhere.update(FAVOURITES, favourites);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #set(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#changed.fire(undefined);
  }
}
