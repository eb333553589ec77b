import type { Clock } from '../time/clock.ts';

/** How long those who share a platform have to hear that it stops. */
const HEARD_MS = 500;

/** Who shares this platform: while there is anybody, it does not end with the one that started it. */
export class Attachments {
  readonly #attached = new Set<() => void>();
  #whenNone: (() => void) | undefined;
  #stopping = false;

  /** @param onStopping told when the platform is about to stop, at once when it is already. @returns what ends the attachment */
  add(onStopping: () => void): () => void {
    this.#attached.add(onStopping);
    if (this.#stopping) onStopping();
    return () => {
      if (this.#attached.delete(onStopping) && this.#attached.size === 0) this.#whenNone?.();
    };
  }

  /** Calls back once, as soon as nobody shares the platform any more. */
  whenNone(callback: () => void): void {
    if (this.#attached.size === 0) {
      callback();
      return;
    }
    this.#whenNone = callback;
  }

  /** Tells all that the platform is about to stop. Resolves when they have heard it and left, or have had their time for that. */
  async stopping(clock: Clock): Promise<void> {
    this.#stopping = true;
    for (const tell of [...this.#attached]) tell();
    await new Promise<void>((resolve) => {
      const cancel = clock.after(HEARD_MS, resolve);
      this.whenNone(() => {
        cancel();
        resolve();
      });
    });
  }
}
