import * as l10n from '@vscode/l10n';
import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import type { Fetch } from '../../client/context.ts';
import type { Job } from '../../contract/job.ts';
import { Emitter, type Subscription } from '../../kit/emitter.ts';
import type { ImageEditKeptSource, ImageEditPhase } from '../../webviews/imageEdit/messages.ts';
import type { Profile } from '../../account/connections/connectionStore.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { withoutSecretValues } from '../../text/secretText.ts';
import { editImage } from './actions/editImage.ts';
import { fetchEditedImage, imageOf } from './actions/fetchImage.ts';
import { acceptsFiles, SourceError, type SourceImage } from './actions/readSource.ts';
import type { EditStorage, StoredEdit } from './model/editHistory.ts';
import type { EditedImage, EditParameters, EditSource, FinishedEdit } from './model/imageEdit.ts';

type KnownProfile = Pick<Profile, 'id' | 'kind' | 'name' | 'baseUrl' | 'queueUrl'>;

/** The current connection. */
export interface EditConnections {
  readonly client: Client | undefined;
  readonly profile: KnownProfile | undefined;
  readonly onDidChange: (listener: () => unknown) => Subscription;
}

/** The image that the next edit changes. */
export interface StoreSource {
  readonly source: EditSource;
  /** Name of the file, or the address. */
  readonly name: string;
  /** Undefined for an address whose image has not been loaded. */
  readonly image?: EditedImage | undefined;
  readonly isLoading: boolean;
  readonly error?: unknown;
  readonly kept?: ImageEditKeptSource | undefined;
  /** For a result: where and until when its address can be read. */
  readonly made?: { readonly connectionId: string; readonly expiresAt: number } | undefined;
}

export interface StoreResult {
  readonly edit: FinishedEdit;
  readonly source: StoreSource;
  /** Undefined until the image is loaded. */
  readonly image?: EditedImage | undefined;
  readonly error?: unknown;
  /** Connection that edited the image. Undefined for a stored edit. */
  readonly profile?: KnownProfile | undefined;
  /** URI of the file that the image was saved to. */
  readonly savedAs?: string | undefined;
}

export interface ImageEditState {
  readonly source?: StoreSource | undefined;
  /** Why a file or an address did not become the source. */
  readonly sourceError?: unknown;
  readonly run?: { readonly phase: ImageEditPhase; readonly since: number } | undefined;
  /** Why the last edit failed. */
  readonly error?: unknown;
  readonly result?: StoreResult | undefined;
}

export interface ImageEditStoreOptions {
  readonly connections: EditConnections;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly storage: {
    readonly history: Pick<EditStorage['history'], 'keep'>;
    readonly save: EditStorage['save'];
  };
  /** Returns whether an edit may be sent, which costs money on a hosted platform. */
  readonly mayRun: (profile: KnownProfile) => Promise<boolean>;
  /** Reports an error that does not affect the edit, such as an image that cannot be saved. */
  readonly report: (error: unknown) => void;
}

/** Holds the source, the running edit, and the result of one image editor. At most one edit runs at a time. */
export class ImageEditStore {
  readonly #options: ImageEditStoreOptions;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: Subscription;
  /** Aborted when the store is disposed. */
  readonly #life = new AbortController();
  #state: ImageEditState = {};
  #saving: Promise<void> | undefined;
  #running: AbortController | undefined;
  /** Aborted when the source is replaced. */
  #sourceLoad = new AbortController();

  constructor(options: ImageEditStoreOptions) {
    this.#options = options;
    this.#subscription = options.connections.onDidChange(() => this.#changed.fire());
  }

  get state(): ImageEditState {
    return this.#state;
  }

  /** Makes a checked file the source. */
  setFile({ source, width, height }: SourceImage, uri: string | undefined): void {
    const { name, bytes, mediaType } = source;
    const image = { bytes, mediaType, width, height };
    const kept = uri === undefined ? undefined : ({ kind: 'file', uri } as const);
    this.#setSource({ source, name, image, isLoading: false, kept });
  }

  /** Makes the image at an address the source. The platform reads it, and the editor only on request. */
  setUrl(text: string): void {
    const url = URL.parse(text.trim());
    if (!url || !['http:', 'https:'].includes(url.protocol)) {
      this.refuseSource(new SourceError('address', l10n.t('Enter an https:// or http:// address.')));
      return;
    }
    const { href } = url;
    this.#setSource({
      ...{ source: { kind: 'url', url: href }, name: href, isLoading: false },
      kept: keptUrl(href),
    });
  }

  /** Keeps the present source, and shows why another one cannot be used. */
  refuseSource(error: unknown): void {
    this.#set({ sourceError: error });
  }

  removeSource(): void {
    this.#setSource(undefined);
  }

  /** Loads the image at the address of the source, so that it can be compared with the result. */
  async loadSource(): Promise<void> {
    const { source } = this.#state;
    if (!source || source.isLoading || source.source.kind === 'file') return;
    const { signal } = this.#sourceLoad;
    this.#changeSource(source, { isLoading: true, error: undefined });
    try {
      const image = await this.#fetch(source.source.url, this.#options.connections.profile, signal);
      this.#changeSource(source, { isLoading: false, image });
    } catch (error) {
      this.#changeSource(source, { isLoading: false, error });
    }
  }

  /** Edits the source. Does nothing while another edit runs. Each outcome is in the state. */
  async run(parameters: EditParameters): Promise<void> {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    const { clock, connections, mayRun } = this.#options;
    const since = clock.now();
    try {
      const { client, profile } = requireConnection<Client, KnownProfile>(connections);
      const { source } = this.#state;
      if (!source) throw new SourceError('missing', l10n.t('Choose an image to edit.'));
      const sent = this.#sent(source, profile);
      if (!(await mayRun(profile)) || this.#life.signal.aborted) return;
      this.#set({ run: { phase: 'starting', since }, error: undefined });
      const signal = AbortSignal.any([running.signal, this.#life.signal]);
      const onJob = (job: Job) => this.#onJob(job, since, signal);
      const onWait = (): void => {
        if (!signal.aborted) this.#set({ run: { phase: 'waiting', since } });
      };
      const edit = await editImage({ client, clock, signal, onJob, onWait }, sent, parameters);
      // The edit is paid for, so its image is loaded even if the edit was canceled too late or the editor was closed.
      const loading = new AbortController();
      this.#running = loading;
      await this.#finish({ edit, source: this.#latest(source), profile }, since, loading.signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.kind === 'canceled')) this.#set({ error });
    } finally {
      this.#running = undefined;
      this.#set({ run: undefined });
    }
  }

  /** Cancels the running edit on the platform. */
  cancel(): void {
    const { run } = this.#state;
    if (!this.#running || !run) return;
    this.#set({ run: { ...run, phase: 'canceling' } });
    this.#running.abort();
  }

  /** Loads the image of the result again, after a failure. */
  async loadResult(): Promise<void> {
    const { result } = this.#state;
    if (!result || result.image || this.#running) return;
    this.#running = new AbortController();
    const since = this.#options.clock.now();
    try {
      await this.#finish(result, since, this.#running.signal);
    } finally {
      this.#running = undefined;
      this.#set({ run: undefined });
    }
  }

  /** Saves the image of the result. A call while it is being saved saves it only once. @throws UserError */
  save(): Promise<void> {
    const { result } = this.#state;
    if (!result?.image) return Promise.resolve();
    this.#saving ??= this.#save(result, result.image).finally(() => (this.#saving = undefined));
    return this.#saving;
  }

  /** Makes the result the source. */
  editAgain(): void {
    const { result } = this.#state;
    if (!result) return;
    const { edit, image, profile } = result;
    this.#setSource({
      source: { kind: 'result', url: edit.url, editId: edit.id },
      name: result.source.name,
      image,
      isLoading: false,
      made: profile && { connectionId: profile.id, expiresAt: edit.expiresAt },
    });
  }

  /** Shows a stored edit. A source whose bytes are not stored is unknown. */
  show({ edit, source, image }: StoredEdit): void {
    const shown = storedSource(source ?? { kind: 'result', url: edit.url, editId: edit.id });
    this.#setSource(source && shown);
    this.#set({ result: { edit, source: shown, image } });
  }

  dispose(): void {
    this.#life.abort();
    this.#sourceLoad.abort();
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /**
   * Returns the source that the platform can read. The address of a result works until it expires, and only on the platform that made it.
   *
   * @throws SourceError
   */
  #sent({ source, made, image, name }: StoreSource, profile: KnownProfile): EditSource {
    const filesWork = acceptsFiles(profile.kind);
    if (source.kind === 'file' && !filesWork) throw new SourceError('needsAddress', NEEDS_ADDRESS);
    if (source.kind !== 'result') return source;
    if (made?.connectionId === profile.id && made.expiresAt > this.#options.clock.now()) return source;
    if (!filesWork || !image) throw new SourceError('needsAddress', RESULT_GONE);
    return { kind: 'file', name, bytes: image.bytes, mediaType: image.mediaType };
  }

  #onJob({ status }: Job, since: number, signal: AbortSignal): void {
    if (signal.aborted || this.#life.signal.aborted) return;
    this.#set({ run: { phase: status === 'IN_QUEUE' ? 'queued' : 'running', since } });
  }

  /** Shows an edit, loads its image, and keeps it. Continues after the store is disposed. */
  async #finish(result: StoreResult, since: number, signal: AbortSignal): Promise<void> {
    const { error: _, ...shown } = result;
    this.#set({ result: shown, run: { phase: 'loading', since } });
    let image: EditedImage;
    try {
      image = await this.#fetch(result.edit.url, result.profile, signal);
    } catch (error) {
      const isCanceled = error instanceof ApiError && error.kind === 'canceled';
      this.#changeResult(shown, { error: isCanceled ? CANCELED_LOAD : error });
      return;
    }
    this.#changeResult(shown, { image });
    const { storage, report } = this.#options;
    await storage.history.keep(result.edit, image, result.source.source).catch(report);
  }

  async #save(result: StoreResult, image: EditedImage): Promise<void> {
    const savedAs = await this.#options.storage.save(image, result.source.source);
    if (savedAs !== undefined) this.#changeResult(result, { savedAs });
  }

  /** Returns a source with the image that was loaded since. */
  #latest(source: StoreSource): StoreSource {
    const { source: current } = this.#state;
    return current?.source === source.source ? current : source;
  }

  #fetch(url: string, connection: KnownProfile | undefined, signal: AbortSignal): Promise<EditedImage> {
    const { fetch, clock } = this.#options;
    return fetchEditedImage({ fetch, clock, connection, signal }, url);
  }

  #setSource(source: StoreSource | undefined): void {
    this.#sourceLoad.abort();
    this.#sourceLoad = new AbortController();
    this.#set({ source, sourceError: undefined, error: undefined });
  }

  /** Changes the source, unless another one has replaced it. */
  #changeSource(source: StoreSource, change: Partial<StoreSource>): void {
    const { source: current, result } = this.#state;
    if (current?.source !== source.source) return;
    const next = { ...current, ...change };
    // The image of the source also belongs to the comparison with its result.
    const isOfResult = result?.source.source === source.source;
    this.#set({ source: next, ...(isOfResult && { result: { ...result, source: next } }) });
  }

  /** Changes the result, unless another one has replaced it. */
  #changeResult({ edit }: StoreResult, change: Partial<StoreResult>): void {
    const { result } = this.#state;
    if (result?.edit === edit) this.#set({ result: { ...result, ...change } });
  }

  #set(change: Partial<ImageEditState>): void {
    if (this.#life.signal.aborted) return;
    this.#state = { ...this.#state, ...change };
    this.#changed.fire();
  }
}

const NEEDS_ADDRESS = l10n.t(
  'Hosted platforms need a public image URL. Upload the file and use its URL, or connect to a local platform.',
);
const RESULT_GONE = l10n.t(
  'This platform cannot read this result. Save and upload it, and use its URL, or connect to a local platform.',
);
const CANCELED_LOAD = new SourceError('notLoaded', l10n.t('The result was not loaded.'));

/** Returns what identifies an address after a reload. An address with a secret is not stored. */
function keptUrl(url: string): ImageEditKeptSource | undefined {
  return withoutSecretValues(url) === url ? { kind: 'url', url } : undefined;
}

/** Returns the source of a stored edit. A source with bytes is shown as it was. */
function storedSource(source: EditSource): StoreSource {
  const name = source.kind === 'file' ? source.name : source.url;
  const common = { source, name, isLoading: false };
  if (source.kind === 'file') return { ...common, image: imageOf(source.bytes) };
  return source.kind === 'url' ? { ...common, kept: keptUrl(source.url) } : common;
}
