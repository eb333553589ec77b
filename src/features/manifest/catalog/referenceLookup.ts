import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { CallOptions } from '../../../client/request.ts';
import { Emitter, type Subscription } from '../../../kit/emitter.ts';
import type { LiveValues } from '../../../account/liveValues/liveValues.ts';
import { itemById } from '../../../kit/cachePerList.ts';
import { listOf, type ManifestReferenceKind, type MissingReferences, type Reference } from '../model/references.ts';
import type { LiveValueSources } from '../../../account/liveValues/liveValueStore.ts';
import { retryDelayMs, STALE_MS } from '../../../account/liveValues/retryDelay.ts';

/** Delay in ms between a change of a manifest and its lookups, so that an ID is looked up once it has been typed. */
const DEBOUNCE_MS = 500;
/** Maximum number of results that are kept, and therefore of lookups until results are outdated. */
const MAX_RESULTS = 100;
/** Maximum number of references of one manifest that are looked up. */
const MAX_REFERENCES = 500;
/** A failed lookup waits as long as a read with this number of earlier failures. */
const AS_MANY_FAILURES = 3;

type Outcome = 'exists' | 'missing' | 'podTemplate' | 'unknown';

interface Result {
  readonly outcome: Outcome;
  /** Time from which another lookup is useful, in ms since the epoch. */
  readonly dueAt: number;
}

interface Lookup {
  readonly result: Result;
  readonly failure?: ApiError;
}

export interface LookupSources extends LiveValueSources {
  readonly values: { readonly current: LiveValues; readonly onDidChange: (listener: () => void) => Subscription };
}

const NONE: MissingReferences = { missing: [], podTemplates: [] };

/**
 * Looks up the IDs in open manifests that the lists of the account do not contain. A list can be outdated, and a template can be public, so
 * only the platform's 404 for the ID itself means that it does not exist. IDs of an unknown list are not looked up.
 */
export class ReferenceLookup implements Subscription {
  readonly #sources: LookupSources;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: readonly Subscription[];
  readonly #watched = new Map<string, readonly Reference[]>();
  readonly #results = new Map<string, Result>();
  #client: Client | undefined;
  #connection = new AbortController();
  #timer = new AbortController();
  #isRunning = false;
  #current = NONE;

  constructor(sources: LookupSources) {
    this.#sources = sources;
    this.#client = sources.connections.client;
    this.#subscriptions = [
      sources.connections.onDidChange(() => this.#follow()),
      sources.values.onDidChange(() => this.#schedule()),
    ];
  }

  /** References in open manifests that the platform does not have. The object changes only with its content. */
  get current(): MissingReferences {
    return this.#client === this.#sources.connections.client ? this.#current : NONE;
  }

  /** Sets the references of a manifest. @param source address of the document */
  watch(source: string, references: readonly Reference[]): void {
    this.#watched.set(source, references.slice(0, MAX_REFERENCES));
    this.#schedule();
  }

  unwatch(source: string): void {
    this.#watched.delete(source);
  }

  dispose(): void {
    this.#connection.abort();
    this.#timer.abort();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  #follow(): void {
    const { client } = this.#sources.connections;
    if (client === this.#client) return;
    this.#connection.abort();
    this.#connection = new AbortController();
    this.#client = client;
    this.#isRunning = false;
    this.#results.clear();
    this.#publish();
    this.#schedule();
  }

  #schedule(): void {
    this.#publish();
    this.#timer.abort();
    const client = this.#client;
    const { signal } = this.#connection;
    if (!client || this.#isRunning || signal.aborted || this.#due().length === 0) return;
    this.#timer = new AbortController();
    this.#sources.clock.sleep(DEBOUNCE_MS, AbortSignal.any([signal, this.#timer.signal])).then(
      () => this.#run(client, signal),
      () => undefined,
    );
  }

  async #run(client: Client, signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    const failures: string[] = [];
    for (const reference of this.#due()) {
      const { result, failure } = await this.#lookUp(client, reference, signal);
      if (signal.aborted) return;
      if (failure) failures.push(l10n.t`Could not look up a ${reference.kind} of a manifest: ${failure.message}`);
      this.#results.set(keyOf(reference), result);
    }
    this.#isRunning = false;
    // The manifests can have changed during the lookups.
    this.#schedule();
    for (const line of failures) this.#sources.log.debug(line);
  }

  async #lookUp(client: Client, reference: Reference, signal: AbortSignal): Promise<Lookup> {
    const { clock } = this.#sources;
    const lasting = (outcome: Outcome) => ({ result: { outcome, dueAt: clock.now() + STALE_MS } });
    try {
      return lasting(await outcomeOf(client, reference, { signal, retries: 0, waits: 0 }));
    } catch (error) {
      const failure = error as ApiError;
      if (failure.kind === 'notFound') return lasting('missing');
      return { result: { outcome: 'unknown', dueAt: clock.now() + retryDelayMs(failure, AS_MANY_FAILURES) }, failure };
    }
  }

  /** Returns the watched references that need a lookup. */
  #due(): Reference[] {
    const now = this.#sources.clock.now();
    const unlisted = this.#unlisted();
    const used = new Set(unlisted.map(keyOf));
    for (const [key, { dueAt }] of this.#results) if (dueAt <= now && !used.has(key)) this.#results.delete(key);
    const room = Math.max(0, MAX_RESULTS - this.#results.size);
    const resultOf = (reference: Reference) => this.#results.get(keyOf(reference));
    return [
      ...unlisted.filter((reference) => (resultOf(reference)?.dueAt ?? Infinity) <= now),
      ...unlisted.filter((reference) => !resultOf(reference)).slice(0, room),
    ];
  }

  /** Returns the watched references that their lists do not contain, without duplicates. */
  #unlisted(): Reference[] {
    const unlisted = new Map<string, Reference>();
    for (const { kind, id } of [...this.#watched.values()].flat()) {
      const list = listOf(this.#sources.values.current, kind);
      if (list && !itemById(list, id)) unlisted.set(keyOf({ kind, id }), { kind, id });
    }
    return [...unlisted.values()];
  }

  #publish(): void {
    const having = (outcome: Outcome) =>
      this.#unlisted().filter((reference) => this.#results.get(keyOf(reference))?.outcome === outcome);
    const next = { missing: having('missing'), podTemplates: having('podTemplate').map(({ id }) => id) };
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return;
    this.#current = next;
    this.#changed.fire();
  }
}

function keyOf({ kind, id }: Reference): string {
  return `${kind} ${id}`;
}

/** @throws ApiError, of kind `notFound` if the resource does not exist */
async function outcomeOf(client: Client, { kind, id }: Reference, options: CallOptions): Promise<Outcome> {
  if (kind === 'template') return (await client.getTemplate({ id }, options)).serverless ? 'exists' : 'podTemplate';
  await finders[kind](client, id, options);
  return 'exists';
}

type Find = (client: Client, id: string, options: CallOptions) => Promise<unknown>;

const finders: Readonly<Record<Exclude<ManifestReferenceKind, 'template'>, Find>> = {
  'network volume': (client, id, options) => client.getNetworkVolume({ id }, options),
  'global volume': (client, id, options) => client.getGlobalVolume({ id }, options),
  registry: (client, id, options) =>
    client.getRegistry({ id }, options).catch(async (refusal: unknown) => {
      if (!(refusal instanceof ApiError) || refusal.kind !== 'notFound') throw refusal;
      // Some platforms have credentials only on the v1 API, which responds with 400 to an ID that it cannot read.
      return client.getContainerRegistryAuth({ containerRegistryAuthId: id }, options).catch((error: unknown) => {
        throw error instanceof ApiError && error.kind === 'validation' ? refusal : error;
      });
    }),
};
