import * as z from 'zod';
import type { Clock } from '../../client/clock.ts';
import { accountOf } from '../../account/connections/storedConnections.ts';
import type { ConnectionStore } from '../../account/connections/connectionStore.ts';
import type { LogArchives } from './archive/logArchives.ts';
import type { LogChannels } from './channels/logChannels.ts';
import type { FollowedLogs } from './follow/followedLogs.ts';
import { backfill } from './logSettings.ts';
import { includesWorker, type LogSubject } from './model/logSubject.ts';
import type { StateStorage } from '../../kit/keyedState.ts';
import { FOLLOWED_KEY } from './logLanguage.ts';

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

/** Maximum number of remembered logs. */
const MAX_LOGS = 100;

const Remembered = z.object({
  account: z.string(),
  logs: z.array(
    z.object({
      connectionId: z.string(),
      endpointId: z.string(),
      endpointName: z.string(),
      workerIds: z.array(z.string()).optional(),
      isWanted: z.boolean(),
    }),
  ),
});

interface RememberedLog {
  readonly subject: LogSubject;
  readonly isWanted: boolean;
}

/** Remembers the followed logs of a window, so that they continue after the window was reloaded. */
export class FollowedMemento {
  readonly #storage: StateStorage;
  #stored = '';

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  /** Returns the logs that were followed in an account when the window was closed. */
  of(account: string): readonly RememberedLog[] {
    const stored = Remembered.safeParse(this.#storage.get(FOLLOWED_KEY)).data;
    if (stored?.account !== account) return [];
    return stored.logs.map(({ isWanted, ...subject }) => ({ subject, isWanted }));
  }

  /** Stores the followed logs of an account if they have changed. */
  async save(account: string, { all }: Pick<FollowedLogs, 'all'>): Promise<void> {
    const logs = all.slice(-MAX_LOGS).map(({ subject, isWanted }) => ({
      ...subject,
      workerIds: subject.workerIds && [...subject.workerIds],
      isWanted,
    }));
    const remembered: z.infer<typeof Remembered> = { account, logs };
    const text = JSON.stringify(remembered);
    if (text === this.#stored) return;
    this.#stored = text;
    await this.#storage.update(FOLLOWED_KEY, remembered);
  }
}
