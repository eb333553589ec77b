import { Emitter, type Subscription } from '../../kit/emitter.ts';
import type { FollowedLogs } from './follow/followedLogs.ts';
import { workerKey, type ConnectedWorker, type LoggedWorker } from './model/logSubject.ts';
import { TroubleWatch, type Trouble } from './model/trouble.ts';

/** Maximum number of troubles of one worker that are remembered. */
const MAX_TROUBLES = 20;

interface Watched {
  readonly watch: TroubleWatch;
  readonly found: Trouble[];
}

/** Finds the problems of workers in the lines of their followed logs. */
export class TroubleStore {
  readonly #workers = new Map<string, Watched>();
  readonly #found = new Emitter<{ readonly worker: LoggedWorker; readonly trouble: Trouble }>();
  readonly onDidFind = this.#found.event;
  readonly #subscriptions: readonly Subscription[];

  constructor(followed: FollowedLogs) {
    this.#subscriptions = [
      followed.onDidReceive(({ worker, entries }) => {
        const { watch, found } = this.#watched(worker);
        for (const { event, at } of entries) {
          const trouble = watch.take(event, at);
          if (!trouble) continue;
          found.push(trouble);
          if (found.length > MAX_TROUBLES) found.shift();
          this.#found.fire({ worker, trouble });
        }
      }),
      followed.onDidForget(() => this.#workers.clear()),
    ];
  }

  /** Returns the latest problems of a worker, oldest first. */
  of(worker: ConnectedWorker): readonly Trouble[] {
    return this.#workers.get(workerKey(worker))?.found ?? [];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#found.dispose();
  }

  #watched(worker: ConnectedWorker): Watched {
    const key = workerKey(worker);
    const known = this.#workers.get(key) ?? { watch: new TroubleWatch(), found: [] };
    this.#workers.set(key, known);
    return known;
  }
}
