import type { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { listAll } from '../../../client/listAll.ts';
import type { CallOptions } from '../../../client/request.ts';
import type { NetworkVolume } from '../../../contract/networkVolume.ts';
import type { Registry } from '../../../contract/registry.ts';
import type { Template } from '../../../contract/template.ts';
import { ConnectedPoller, type Connected, type ConnectedPlatform } from '../../../account/connectedPoller.ts';
import { Emitter } from '../../../kit/emitter.ts';
import { deleteCredential, listCredentials } from '../../../account/credentials.ts';
import { listPublicModels, type PublicModel } from './actions/publicModels.ts';
import { GROUPS, type Group } from './resourceNode.ts';

export interface Resources {
  readonly registries: Registry;
  readonly templates: Template;
  readonly networkVolumes: NetworkVolume;
  readonly publicModels: PublicModel;
}

/** The last known items of a group. They are kept when a later read fails. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** Whether a read has succeeded. */
  readonly known: boolean;
  /** Error of the last read, if it failed. */
  readonly error: ApiError | undefined;
}

export type Listings = { readonly [Name in Group]: Listing<Resources[Name]> };

/** `idle`: there is no platform to call. `failed`: no group has been read; the error is that of the first failed group. */
export type ResourcesState =
  { readonly kind: 'idle' | 'loading' | 'ready' } | { readonly kind: 'failed'; readonly error: ApiError };

const NOTHING: Listing<never> = { items: [], known: false, error: undefined };
const NO_LISTINGS: Listings = {
  registries: NOTHING,
  templates: NOTHING,
  networkVolumes: NOTHING,
  publicModels: NOTHING,
};

/** Polling interval, in ms. It is long because resources change only when a user changes them. */
const INTERVAL_MS = 30_000;
/** Maximum polling interval after failures, in ms. */
const LONGEST_MS = 300_000;

/** The credentials, templates, volumes, and public models of the current connection, polled while the view is visible. */
export class ResourceStore {
  readonly #poller: ConnectedPoller;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #deleting = new Set<string>();
  #listings = NO_LISTINGS;
  #failures = 0;
  /** Numbers of the last started round and the last shown round. A slow response must not replace a newer one. */
  #begun = 0;
  #shown = 0;

  constructor(connections: Connected, clock: Clock) {
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: (platform) => this.#poll(platform),
      interval: () => this.#interval(),
      onConnection: () => this.#forget(),
    });
  }

  get listings(): Listings {
    return this.#listings;
  }

  get state(): ResourcesState {
    if (!this.#poller.platform) return { kind: 'idle' };
    const listings = GROUPS.map((group) => this.#listings[group]);
    if (listings.some(({ known }) => known)) return { kind: 'ready' };
    const error = listings.find((listing) => listing.error)?.error;
    return error ? { kind: 'failed', error } : { kind: 'loading' };
  }

  /** Returns whether a credential is being deleted. */
  isDeleting(registryId: string): boolean {
    return this.#deleting.has(registryId);
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  /** Reads all groups, even if the view is hidden. Resolves once they have been read. */
  async refresh(): Promise<void> {
    const { platform } = this.#poller;
    if (platform) await this.#poll(platform);
    this.#poller.wake();
  }

  /** Deletes a credential. Marks it as being deleted until the list has been read again. @throws ApiError */
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
    this.#poller.dispose();
    this.#changed.dispose();
  }

  /** Discards the resources of the previous connection. */
  #forget(): void {
    this.#failures = 0;
    this.#listings = NO_LISTINGS;
    this.#changed.fire();
  }

  async #poll({ client, signal }: ConnectedPlatform): Promise<void> {
    const round = ++this.#begun;
    const [registries, templates, networkVolumes, publicModels] = await Promise.all([
      this.#read('registries', () => listCredentials(client, { signal })),
      this.#read('templates', () => listAll(client, 'listTemplates', {}, 'templates', { signal })),
      this.#read('networkVolumes', () => listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', { signal })),
      this.#read('publicModels', () => listPublicModels(client, { signal })),
    ]);
    if (signal.aborted || round < this.#shown) return;
    this.#shown = round;
    this.#listings = { registries, templates, networkVolumes, publicModels };
    this.#failures = GROUPS.some((group) => isTemporary(this.#listings[group].error)) ? this.#failures + 1 : 0;
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

/** Returns whether an error is temporary. A permanent error of one group must not slow down the polling of the others. */
function isTemporary(error: ApiError | undefined): boolean {
  return error !== undefined && !['forbidden', 'notFound', 'validation'].includes(error.kind);
}
