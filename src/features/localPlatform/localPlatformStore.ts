import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { Emitter } from '../../vscode/emitter.ts';
import type { PlatformProcess, StartedPlatform } from './platformProcess.ts';

export type LocalPlatformState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly announcement: PlatformAnnouncement }
  | { readonly kind: 'stopping' }
  /** It could not start, or ended without being asked; the message says why. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The local platform's process as a state machine: stopped, starting, running, stopping, failed. Another window's platform is shared:
 * whoever stops it stops it for all, and the last window that leaves ends it.
 */
export class LocalPlatformStore {
  readonly #start: PlatformProcess;
  readonly #changed = new Emitter<LocalPlatformState>();
  readonly onDidChange = this.#changed.event;
  #state: LocalPlatformState = { kind: 'stopped' };
  #platform: StartedPlatform | undefined;
  #starting: Promise<PlatformAnnouncement> | undefined;

  constructor(start: PlatformProcess) {
    this.#start = start;
  }

  get state(): LocalPlatformState {
    return this.#state;
  }

  /** Starts the platform, or joins a start under way. @throws Error that names the reason and the remedy */
  start(): Promise<PlatformAnnouncement> {
    if (this.#state.kind === 'running') return Promise.resolve(this.#state.announcement);
    this.#starting ??= this.#startNow().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** Stops the platform and its workers, for all windows; what was accepted stays on disk. */
  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    if (!this.#platform) return;
    this.#set({ kind: 'stopping' });
    await this.#platform.stop();
  }

  /** Stops it, where it runs, and starts it. @throws as `start` */
  async restart(): Promise<PlatformAnnouncement> {
    await this.stop();
    return this.start();
  }

  /**
   * Empties it. One that runs does so itself: windows and programs that share it go on with the same addresses and key.
   *
   * @param empty removes what the platform keeps; called while it does not run, or cannot do it
   * @throws as `start` and `empty`
   */
  async reset(empty: () => Promise<void>): Promise<PlatformAnnouncement> {
    if (this.#platform && this.#state.kind === 'running') {
      this.#starting = this.#emptied(this.#platform).finally(() => (this.#starting = undefined));
      const announcement = await this.#starting.catch(() => undefined);
      if (announcement) return announcement;
    }
    await this.stop();
    await empty();
    return this.start();
  }

  dispose(): void {
    // Also when this is not called: its process notices the end of this one.
    this.#platform?.leave();
    this.#changed.dispose();
  }

  async #startNow(): Promise<PlatformAnnouncement> {
    this.#set({ kind: 'starting' });
    try {
      const platform = await this.#start();
      this.#platform = platform;
      void platform.ended.then((reason) => this.#onEnd(platform, reason));
      this.#set({ kind: 'running', announcement: platform.announcement });
      return platform.announcement;
    } catch (error) {
      this.#set({ kind: 'failed', message: (error as Error).message });
      throw error;
    }
  }

  /** For who looks at the state it starts: what they know of it is not so any more. */
  async #emptied(platform: StartedPlatform): Promise<PlatformAnnouncement> {
    const { announcement } = platform;
    this.#set({ kind: 'starting' });
    await platform.reset();
    this.#set({ kind: 'running', announcement });
    return announcement;
  }

  #onEnd(platform: StartedPlatform, reason: string | undefined): void {
    if (this.#platform !== platform) return;
    this.#platform = undefined;
    const asked = reason === undefined || this.#state.kind === 'stopping';
    this.#set(asked ? { kind: 'stopped' } : { kind: 'failed', message: reason });
  }

  #set(state: LocalPlatformState): void {
    this.#state = state;
    this.#changed.fire(state);
  }
}
