/** Calls back once, when the caller loses access. @returns a function that unsubscribes */
export type WatchAccess = (onEnd: () => void) => () => void;

/** Passes a stream through until it ends or its caller loses access. Does not read ahead. */
export function whileAdmitted(stream: ReadableStream<Uint8Array>, watch: WatchAccess): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let ended = false;
  let unwatch: (() => void) | undefined;
  const stop = (): Promise<void> => {
    ended = true;
    unwatch?.();
    return reader.cancel();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        unwatch = watch(() => {
          if (ended) return;
          void stop();
          controller.close();
        });
      },
      pull: async (controller) => {
        const { done, value } = await reader.read();
        // Access may have ended during the read.
        if (ended) return;
        if (!done) {
          controller.enqueue(value);
          return;
        }
        void stop();
        controller.close();
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}
