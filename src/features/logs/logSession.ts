import type { Clock } from '../../client/clock.ts';
import { accountOf } from '../../account/connections/accountOf.ts';
import type { ConnectionStore } from '../../account/connections/connectionStore.ts';
import type { LogArchives } from './archive/logArchives.ts';
import type { LogChannels } from './channels/logChannels.ts';
import type { FollowedLogs } from './follow/followedLogs.ts';
import type { FollowedMemento } from './follow/followedMemento.ts';
import { backfill } from './logSettings.ts';
import { includesWorker } from './model/logSubject.ts';

export interface LogSessionOptions {
  readonly connections: ConnectionStore;
  readonly followed: FollowedLogs;
  readonly channels: LogChannels;
  readonly archives: LogArchives;
  readonly memento: FollowedMemento;
  readonly clock: Clock;
}

/** Continues the followed logs of an account after the window was reloaded, and saves them for the next session. */
export class LogSession {
  readonly #options: LogSessionOptions;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  #account: string | undefined;
  /** Whether the remembered logs of the account are followed again, so that the current ones can replace them. */
  #isRestored = false;

  constructor(options: LogSessionOptions) {
    this.#options = options;
    const { connections, followed } = options;
    this.#subscriptions = [
      connections.onDidChange(() => this.#onConnection()),
      followed.onDidChange(() => this.#save()),
    ];
    this.#onConnection();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #onConnection(): void {
    const { profile } = this.#options.connections;
    const account = profile && accountOf(profile);
    if (account === this.#account) return;
    this.#account = account;
    this.#isRestored = false;
    if (account !== undefined) void this.#restore(account);
  }

  async #restore(account: string): Promise<void> {
    const { archives, memento, followed, channels, clock } = this.#options;
    const remembered = memento.of(account);
    const workers = remembered.length === 0 ? [] : await archives.workers();
    if (account !== this.#account) return;
    this.#isRestored = true;
    for (const { subject, isWanted } of remembered) {
      channels.create(subject);
      const own = workers.filter((worker) => includesWorker(subject, worker));
      followed.restore(subject, isWanted, own, backfill(clock.now()));
    }
    channels.refreshVisible();
  }

  #save(): void {
    const { memento, followed } = this.#options;
    if (this.#account !== undefined && this.#isRestored) void memento.save(this.#account, followed);
  }
}
