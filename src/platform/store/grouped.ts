/**
 * Lets many callers share one slow action that serves all who asked before it began: those who ask while it runs wait for
 * the next, together.
 */
export function grouped(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    running = action().finally(() => (running = undefined));
    return running;
  };
  // A failed round is told to those who waited for it, and does not keep the next from beginning.
  return () => (running ? (next ??= running.catch(() => undefined).then(start)) : start());
}
