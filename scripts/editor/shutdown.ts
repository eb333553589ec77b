import process from 'node:process';

/** Cleanup before this process exits. SIGINT, SIGTERM, and SIGHUP call `stop`. The exit of the process calls `kill`. */
export interface Cleanup {
  /** Shuts down gracefully. */
  stop(): Promise<unknown>;
  /** Ends immediately and synchronously. */
  kill(): void;
}

const cleanups = new Set<Cleanup>();
let listening = false;
let exiting = false;

/** Registers a cleanup for the exit of this process. Returns a function that removes it. */
export function registerCleanup(cleanup: Cleanup): () => void {
  cleanups.add(cleanup);
  if (!listening) {
    listening = true;
    // Runs in reverse order, because later registrations can depend on earlier ones.
    process.once('exit', () => [...cleanups].reverse().forEach((one) => one.kill()));
    const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
    for (const [signal, code] of Object.entries(signals)) {
      process.on(signal, () => void exitGracefully(code));
    }
  }
  return () => cleanups.delete(cleanup);
}

/** Runs all cleanups, then exits. A second call exits immediately. */
export async function exitGracefully(code: number): Promise<void> {
  if (exiting) {
    process.exit(code); // The exit listener kills the remaining processes.
  }
  exiting = true;
  await Promise.allSettled([...cleanups].map((one) => one.stop()));
  process.exit(code);
}
