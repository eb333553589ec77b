/**
 * Returns a function that runs an update, one run at a time. Calls during a run cause one more run afterwards, because the run may already
 * have read what the call is about.
 *
 * @param update must not reject
 */
export function coalesced(update: () => Promise<void>): () => void {
  let isRunning = false;
  let isOutdated = false;
  const run = async () => {
    isRunning = true;
    // A function, because the value changes during the run.
    const isDue = () => isOutdated;
    do {
      isOutdated = false;
      await update();
    } while (isDue());
    isRunning = false;
  };
  return () => {
    isOutdated = true;
    if (!isRunning) void run();
  };
}
