import type { ImageInspect } from '@docker/node-sdk';
import type { RegistryCredentials } from '../../domain/registry.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { imageName, imageText, type ImageReference, credentialAddress } from '../../../contract/imageReference.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { listImages, pullLines } from './engineRequests.ts';
import { digestsOf, imageId, inspectImage } from '../../../machine/engine/engineImage.ts';
import { pullFailure, type PullFailure } from './pullFailure.ts';
import type { PulledLayer } from '../../domain/workerTraceEvent.ts';
import { LayerTimes, PullProgress } from './pullProgress.ts';

/** Percent, or undefined if it is unknown. */
type Percent = number | undefined;

interface Pull {
  readonly reference: ImageReference;
  /** Credential of the registry. Its secret is read only for the pull. */
  readonly registry?: { readonly id: string; readonly credentials: () => RegistryCredentials } | undefined;
}

export interface PulledImage {
  readonly kind: 'pulled';
  readonly image: ImageInspect;
  /** Digests of the image in its repository, the new ones first. Empty if the engine reports none. */
  readonly digests: readonly string[];
  /** ID of the image if the engine did not have it before. */
  readonly pulledId: string | undefined;
  /** Layers that the engine reported. Empty if it reported none. */
  readonly layers: readonly PulledLayer[];
}

/** Result of a pull. */
type Pulled = PulledImage | { readonly kind: 'failed'; readonly failure: PullFailure };

/** Pulls images onto an engine. Pulls of the same image with the same credential are shared. */
export class ImagePulls {
  readonly #engine: Engine;
  readonly #shared = new SharedPulls<Pulled, { readonly percent: Percent }>();

  readonly #now: () => number;

  /** @param now returns the time of layers, in ms since the epoch */
  constructor(engine: Engine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
  }

  /** @throws EngineError if the engine does not respond; StartError if the credential cannot be read; the signal's reason */
  pull(
    { reference, registry }: Pull,
    { onProgress, signal }: { onProgress: (percent: Percent) => void; signal: AbortSignal },
  ): Promise<Pulled> {
    const key = JSON.stringify([imageText(reference), registry?.id]);
    const caller = { onProgress: ({ percent }: { percent: Percent }) => onProgress(percent), signal };
    return this.#shared.join(key, caller, (together) =>
      pullNow(this.#engine, { reference, credentials: registry?.credentials(), now: this.#now }, together),
    );
  }
}

interface NewPull {
  readonly reference: ImageReference;
  readonly credentials: RegistryCredentials | undefined;
  readonly now: () => number;
}

async function pullNow(
  engine: Engine,
  { reference, credentials, now }: NewPull,
  { onProgress, signal }: PullCaller<{ readonly percent: Percent }>,
): Promise<Pulled> {
  onProgress({ percent: undefined });
  const known = await listImages(engine, signal);
  const attempt = { reference, withCredentials: credentials !== undefined };
  const failed = (reason: string): Pulled => ({ kind: 'failed', failure: pullFailure(reason, attempt) });
  const progress = new PullProgress();
  const times = new LayerTimes();
  let percent: Percent;
  const { tag = '', digest = tag } = reference;
  const headers = registryAuth(reference, credentials);
  try {
    for await (const line of pullLines(engine, { name: imageName(reference), tag: digest, headers }, signal)) {
      if (line.error !== undefined) return failed(line.error);
      progress.add(line);
      times.add(line, now());
      const next = progress.percent();
      if (next !== percent) onProgress({ percent: (percent = next) });
    }
  } catch (error) {
    if (error instanceof EngineError && !error.unreachable) return failed(error.message);
    throw error;
  }
  const reported = times.layers(now());
  const image = await inspectImage(engine, imageText(reference), signal);
  if (!image) return failed(`no such image after the pull: ${imageText(reference)}`);
  const id = imageId(image.Id ?? '');
  // Podman also reports the configuration of the image, whose digest is the ID of the image.
  const layers = reported.filter((layer) => !id.startsWith(`sha256:${layer.id}`));
  const before = known.find((one) => imageId(one.Id) === id);
  const old = before ? digestsOf(before, reference) : [];
  const own = digestsOf(image, reference);
  const digests = [...own.filter((one) => !old.includes(one)), ...own];
  return { kind: 'pulled', image, digests, pulledId: before ? undefined : id, layers };
}

/**
 * Returns the header with which an engine pulls an image. The encoding is base64url with padding: Docker ignores any other form, and then
 * pulls without credentials.
 */
export function registryAuth(
  reference: ImageReference,
  credentials: RegistryCredentials | undefined,
): Readonly<Record<string, string>> {
  if (!credentials) return {};
  const { username, password } = credentials;
  const auth = { username, password, serveraddress: credentialAddress(reference) };
  const text = Buffer.from(JSON.stringify(auth)).toString('base64');
  return { 'X-Registry-Auth': text.replaceAll('+', '-').replaceAll('/', '_') };
}

/** A caller that waits for a pull. */
export interface PullCaller<Progress> {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

interface SharedPull<Result, Progress> {
  readonly callers: Set<PullCaller<Progress>>;
  readonly abort: AbortController;
  readonly result: Promise<Result>;
  /** The last progress, for callers that join later. */
  last: Progress | undefined;
}

/** Pulls that are running, by image and credential. Callers that need the same image share one pull, which the last of them aborts. */
export class SharedPulls<Result, Progress> {
  readonly #running = new Map<string, SharedPull<Result, Progress>>();

  /** Joins the pull with this key, or starts it. @throws the error of the pull; the reason of the caller's signal */
  async join(
    key: string,
    caller: PullCaller<Progress>,
    pull: (caller: PullCaller<Progress>) => Promise<Result>,
  ): Promise<Result> {
    const { signal, onProgress } = caller;
    signal.throwIfAborted();
    const shared = this.#running.get(key) ?? this.#start(key, pull);
    shared.callers.add(caller);
    if (shared.last !== undefined) onProgress(shared.last);
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => {
      shared.callers.delete(caller);
      if (shared.callers.size === 0) {
        this.#forget(key, shared);
        shared.abort.abort(signal.reason);
      }
      aborted.reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([shared.result, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      shared.callers.delete(caller);
    }
  }

  #start(key: string, pull: (caller: PullCaller<Progress>) => Promise<Result>): SharedPull<Result, Progress> {
    const callers = new Set<PullCaller<Progress>>();
    const abort = new AbortController();
    const onProgress = (progress: Progress): void => {
      shared.last = progress;
      for (const caller of callers) caller.onProgress(progress);
    };
    const pulled = Promise.resolve().then(() => pull({ onProgress, signal: abort.signal }));
    const result = pulled.finally(() => this.#forget(key, shared));
    // An aborted pull has no caller left that handles its error.
    result.catch(() => undefined);
    const shared: SharedPull<Result, Progress> = { callers, abort, result, last: undefined };
    this.#running.set(key, shared);
    return shared;
  }

  #forget(key: string, shared: SharedPull<Result, Progress>): void {
    if (this.#running.get(key) === shared) this.#running.delete(key);
  }
}
