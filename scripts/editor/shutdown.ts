import process from 'node:process';

/** Cleanup before this process exits. SIGINT, SIGTERM, and SIGHUP call `stop`. The exit of the process calls `kill`. */
export interface Ending {
  /** Shuts down gracefully. */
  stop(): Promise<unknown>;
  /** Ends immediately and synchronously. */
  kill(): void;
}

const endings = new Set<Ending>();
let listening = false;
let leaving = false;

/** Registers a cleanup for the exit of this process. Returns a function that removes it. */
export function endWithUs(ending: Ending): () => void {
  endings.add(ending);
  if (!listening) {
    listening = true;
    // Runs in reverse order, because later registrations can depend on earlier ones.
    process.once('exit', () => [...endings].reverse().forEach((one) => one.kill()));
    const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
    for (const [signal, code] of Object.entries(signals)) {
      process.on(signal, () => void leave(code));
    }
  }
  return () => endings.delete(ending);
}

/** Runs all cleanups, then exits. A second call exits immediately. */
export async function leave(code: number): Promise<void> {
  if (leaving) {
    process.exit(code); // The exit listener kills the remaining processes.
  }
  leaving = true;
  await Promise.allSettled([...endings].map((one) => one.stop()));
  process.exit(code);
}
