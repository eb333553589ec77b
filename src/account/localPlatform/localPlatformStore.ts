import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { Emitter } from '../../kit/emitter.ts';
import type { StateStorage } from '../../kit/keyedState.ts';
import type { PlatformProcess, StartedPlatform } from './platformProcess.ts';

export type LocalPlatformState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly announcement: PlatformAnnouncement }
  | { readonly kind: 'stopping' }
  /** The platform did not start, or stopped unexpectedly. The message contains the reason. */
  | { readonly kind: 'failed'; readonly message: string };

const WAS_RUNNING = 'cloudCompute.localPlatform.wasRunning';

/**
 * State machine of the local platform's process: stopped, starting, running, stopping, failed. Windows share one platform. A stop applies
 * to all windows, and the platform stops when the last window closes. A window whose platform ran until it was closed or reloaded starts or
 * joins it again.
 */
export class LocalPlatformStore {
  readonly #start: PlatformProcess;
  readonly #storage: Pick<StateStorage, 'get' | 'update'>;
  readonly #changed = new Emitter<LocalPlatformState>();
  readonly onDidChange = this.#changed.event;
  #state: LocalPlatformState = { kind: 'stopped' };
  #platform: StartedPlatform | undefined;
  #starting: Promise<PlatformAnnouncement> | undefined;

  /** @param storage state of the window, which outlives it */
  constructor(start: PlatformProcess, storage: Pick<StateStorage, 'get' | 'update'>) {
    this.#start = start;
    this.#storage = storage;
  }

  /**
   * Whether the platform was in use when this window was last closed, reloaded, or lost the platform. False after a stop by the user, and
   * undefined if this workspace never used it.
   */
  get wasRunning(): boolean | undefined {
    const stored = this.#storage.get(WAS_RUNNING);
    return typeof stored === 'boolean' ? stored : undefined;
  }

  get state(): LocalPlatformState {
    return this.#state;
  }

  /** Starts the platform, or waits for a start in progress. @throws Error with the reason and the remedy */
  start(): Promise<PlatformAnnouncement> {
    if (this.#state.kind === 'running') return Promise.resolve(this.#state.announcement);
    this.#starting ??= this.#startNow().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** Stops the platform and its workers for all windows. Accepted jobs stay on disk. */
  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    if (!this.#platform) return;
    this.#set({ kind: 'stopping' });
    await this.#platform.stop();
  }

  /** Stops the platform if it runs, and starts it. @throws the errors of `start` */
  async restart(): Promise<PlatformAnnouncement> {
    await this.stop();
    return this.start();
  }

  /**
   * Deletes all data of the platform. A running platform resets itself and keeps its addresses and key, so that other windows and programs
   * can continue to use it. If it cannot reset itself, it is stopped, emptied, and started.
   *
   * @param empty deletes the data of a platform that does not run
   * @throws the errors of `start` and `empty`
   */
  async reset(empty: () => Promise<void>): Promise<PlatformAnnouncement> {
    if (this.#platform && this.#state.kind === 'running') {
      this.#starting = this.#resetRunning(this.#platform).finally(() => (this.#starting = undefined));
      const announcement = await this.#starting.catch(() => undefined);
      if (announcement) return announcement;
    }
    await this.stop();
    await empty();
    return this.start();
  }

  dispose(): void {
    // If this is not called, the platform notices that this process has exited.
    this.#platform?.leave();
    // Its end is not a stop by the user.
    this.#platform = undefined;
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

  /** Resets a running platform. The state is `starting` meanwhile, so that views discard their data. */
  async #resetRunning(platform: StartedPlatform): Promise<PlatformAnnouncement> {
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
    if (state.kind === 'running') void this.#storage.update(WAS_RUNNING, true);
    if (state.kind === 'stopped') void this.#storage.update(WAS_RUNNING, false);
    this.#changed.fire(state);
  }
}
