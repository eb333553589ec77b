/** Calls back once, when the caller may no longer call. @returns what ends the watch */
export type WatchAccess = (onEnd: () => void) => () => void;

/** The stream for as long as its caller may read it: it ends when that ends. Nothing is read ahead. */
export function whileAdmitted(stream: ReadableStream<Uint8Array>, watch: WatchAccess): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let over = false;
  let unwatch: (() => void) | undefined;
  const leave = (): Promise<void> => {
    over = true;
    unwatch?.();
    return reader.cancel();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        unwatch = watch(() => {
          if (over) return;
          void leave();
          controller.close();
        });
      },
      pull: async (controller) => {
        const { done, value } = await reader.read();
        // It may have ended meanwhile.
        if (over) return;
        if (!done) {
          controller.enqueue(value);
          return;
        }
        void leave();
        controller.close();
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
