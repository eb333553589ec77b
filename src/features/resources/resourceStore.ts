import type { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import { listAll } from '../../client/listAll.ts';
import type { CallOptions } from '../../client/request.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import type { Registry } from '../../contract/registry.ts';
import type { Template } from '../../contract/template.ts';
import { Emitter } from '../../vscode/emitter.ts';
import { Poller } from '../../vscode/poller.ts';
import { deleteCredential, listCredentials } from './credentials.ts';
import { GROUPS, type Group } from './resourceNode.ts';

export interface Resources {
  readonly registries: Registry;
  readonly templates: Template;
  readonly networkVolumes: NetworkVolume;
}

/** One group as last seen. What was seen before outlives a failure to see it again. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** Whether it has ever been read. */
  readonly known: boolean;
  /** Why it could not be read now. */
  readonly error: ApiError | undefined;
}

export type Listings = { readonly [Name in Group]: Listing<Resources[Name]> };

/** `idle`: there is nobody to ask. Each group fails for itself; `failed`: none could be read, for the first one's reason. */
export type ResourcesState =
  { readonly kind: 'idle' | 'loading' | 'ready' } | { readonly kind: 'failed'; readonly error: ApiError };

/** What the store needs of the connection: whom to ask, and to be told when that is another. */
interface Connected {
  readonly client: Client | undefined;
  readonly onDidChange: (listener: () => unknown) => { dispose(): void };
}

const NOTHING: Listing<never> = { items: [], known: false, error: undefined };
const NO_LISTINGS: Listings = { registries: NOTHING, templates: NOTHING, networkVolumes: NOTHING };

/** They change when a person changes them, mostly here. */
const INTERVAL_MS = 30_000;
const LONGEST_MS = 300_000;

/** Credentials, templates and volumes of the current connection's account, polled while somebody looks. */
export class ResourceStore {
  readonly #connections: Connected;
  readonly #poller: Poller;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: { dispose(): void };
  readonly #deleting = new Set<string>();
  #listings = NO_LISTINGS;
  #client: Client | undefined;
  #watched = false;
  #failures = 0;
  /** Rounds begun, and the latest of those that were shown: a slow answer must not replace a newer one. */
  #begun = 0;
  #shown = 0;

  constructor(connections: Connected, clock: Clock) {
    this.#connections = connections;
    this.#client = connections.client;
    this.#poller = new Poller({ clock, poll: (signal) => this.#poll(signal), interval: () => this.#interval() });
    this.#subscription = connections.onDidChange(() => this.#onConnection());
  }

  get listings(): Listings {
    return this.#listings;
  }

  get state(): ResourcesState {
    if (!this.#client) return { kind: 'idle' };
    const listings = GROUPS.map((group) => this.#listings[group]);
    if (listings.some(({ known }) => known)) return { kind: 'ready' };
    const error = listings.find((listing) => listing.error)?.error;
    return error ? { kind: 'failed', error } : { kind: 'loading' };
  }

  /** Whether a delete of it is under way. */
  isDeleting(registryId: string): boolean {
    return this.#deleting.has(registryId);
  }

  /** Says whether somebody looks: the view is visible and the window has the focus. */
  setWatched(watched: boolean): void {
    this.#watched = watched;
    this.#poller.setOn(watched && this.#client !== undefined);
  }

  /** Reads everything now and returns when it is there, watched or not. */
  async refresh(): Promise<void> {
    await this.#poll(new AbortController().signal);
    this.#poller.wake();
  }

  /** Deletes a credential, marked as being deleted meanwhile. @throws ApiError */
  async deleteRegistry(client: Client, id: string): Promise<void> {
    this.#deleting.add(id);
    this.#changed.fire();
    try {
      await deleteCredential(client, id);
    } finally {
      this.#deleting.delete(id);
      await this.refresh();
    }
  }

  dispose(): void {
    this.#poller.setOn(false);
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #onConnection(): void {
    const { client } = this.#connections;
    if (client === this.#client) return;
    this.#client = client;
    this.#poller.setOn(false);
    this.#failures = 0;
    this.#listings = NO_LISTINGS;
    this.#changed.fire();
    this.#poller.setOn(this.#watched && client !== undefined);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const round = ++this.#begun;
    const [registries, templates, networkVolumes] = await Promise.all([
      this.#read('registries', () => listCredentials(client, { signal })),
      this.#read('templates', () => listAll(client, 'listTemplates', {}, 'templates', { signal })),
      this.#read('networkVolumes', () => listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', { signal })),
    ]);
    if (client !== this.#client || signal.aborted || round < this.#shown) return;
    this.#shown = round;
    this.#listings = { registries, templates, networkVolumes };
    this.#failures = GROUPS.some((group) => mayPass(this.#listings[group].error)) ? this.#failures + 1 : 0;
    this.#changed.fire();
  }

  async #read<Name extends Group>(
    group: Name,
    list: (options?: CallOptions) => Promise<readonly Resources[Name][]>,
  ): Promise<Listing<Resources[Name]>> {
    try {
      return { items: await list(), known: true, error: undefined };
    } catch (error) {
      return { ...(this.#listings[group] as Listing<Resources[Name]>), error: error as ApiError };
    }
  }

  #interval(): number {
    return Math.min(INTERVAL_MS * 2 ** this.#failures, LONGEST_MS);
  }
}

/** A refusal for good is no reason to ask less often for the rest. */
function mayPass(error: ApiError | undefined): boolean {
  return error !== undefined && !['forbidden', 'notFound', 'validation'].includes(error.kind);
}
