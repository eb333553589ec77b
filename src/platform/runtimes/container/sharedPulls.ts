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
