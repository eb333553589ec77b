import process from 'node:process';

/** What must have ended before this process may: called on Ctrl-C, on termination and, without waiting, on exit. */
export interface Ending {
  /** Ends it in good order. */
  stop(): Promise<unknown>;
  /** Ends it at once, without waiting for anything. */
  kill(): void;
}

const endings = new Set<Ending>();
let listening = false;
let leaving = false;

/** Ends `ending` whenever this process ends, however that happens. Returns how to forget it again. */
export function endWithUs(ending: Ending): () => void {
  endings.add(ending);
  if (!listening) {
    listening = true;
    // The last first: what was begun later may use what was there before.
    process.once('exit', () => [...endings].reverse().forEach((one) => one.kill()));
    const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
    for (const [signal, code] of Object.entries(signals)) {
      process.on(signal, () => void leave(code));
    }
  }
  return () => endings.delete(ending);
}

/** Ends everything in good order, then this process. A second call does not wait. */
export async function leave(code: number): Promise<void> {
  if (leaving) {
    process.exit(code); // Asked twice: no more patience. The exit listener kills what is left.
  }
  leaving = true;
  await Promise.allSettled([...endings].map((one) => one.stop()));
  process.exit(code);
}
