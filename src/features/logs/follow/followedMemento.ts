import * as z from 'zod';
import type { StateStorage } from '../../../kit/keyedState.ts';
import { FOLLOWED_KEY } from '../logLanguage.ts';
import type { LogSubject } from '../model/logSubject.ts';
import type { FollowedLogs } from './followedLogs.ts';

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

export interface RememberedLog {
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
