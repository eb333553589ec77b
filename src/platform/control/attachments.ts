import type { Clock } from '../time/clock.ts';

/** Maximum time for attached programs to disconnect before the platform stops, in ms. */
const STOP_NOTICE_MS = 500;

/** The programs that share this platform. It keeps running until the last one leaves, even if the program that started it ends. */
export class Attachments {
  readonly #attached = new Set<() => void>();
  #whenNone: (() => void) | undefined;
  #stopping = false;

  /**
   * Attaches a program.
   *
   * @param onStopping called when the platform begins to stop, or at once if it already has
   * @returns a function that ends the attachment
   */
  add(onStopping: () => void): () => void {
    this.#attached.add(onStopping);
    if (this.#stopping) onStopping();
    return () => {
      if (this.#attached.delete(onStopping) && this.#attached.size === 0) this.#whenNone?.();
    };
  }

  /** Calls back once no program shares the platform. */
  whenNone(callback: () => void): void {
    if (this.#attached.size === 0) {
      callback();
      return;
    }
    this.#whenNone = callback;
  }

  /** Announces the stop to all attached programs. Resolves once all of them have left, or after a timeout. */
  async stopping(clock: Clock): Promise<void> {
    this.#stopping = true;
    for (const tell of [...this.#attached]) tell();
    await new Promise<void>((resolve) => {
      const cancel = clock.after(STOP_NOTICE_MS, resolve);
      this.whenNone(() => {
        cancel();
        resolve();
      });
    });
  }
}
