import type { StopReason } from '../../contract/control/control.ts';
import type { Clock } from '../time/clock.ts';

/** Maximum time for attached programs to disconnect before the platform stops, in ms. */
const STOP_NOTICE_MS = 500;

type OnStopping = (reason: StopReason | undefined) => void;

/** The programs that share this platform. It keeps running until the last one leaves, even if the program that started it ends. */
export class Attachments {
  readonly #attached = new Set<OnStopping>();
  #whenNone: (() => void) | undefined;
  #stop: { readonly reason: StopReason | undefined } | undefined;

  /**
   * Attaches a program.
   *
   * @param onStopping called when the platform begins to stop, or at once if it already has
   * @returns a function that ends the attachment
   */
  add(onStopping: OnStopping): () => void {
    this.#attached.add(onStopping);
    if (this.#stop) onStopping(this.#stop.reason);
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

  /**
   * Announces the stop to all attached programs. Resolves once all of them have left, or after a timeout.
   *
   * @param reason undefined if the stop is requested
   */
  async stopping(clock: Clock, reason?: StopReason): Promise<void> {
    this.#stop = { reason };
    for (const tell of [...this.#attached]) tell(reason);
    await new Promise<void>((resolve) => {
      const cancel = clock.after(STOP_NOTICE_MS, resolve);
      this.whenNone(() => {
        cancel();
        resolve();
      });
    });
  }
}
