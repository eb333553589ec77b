import pMap from 'p-map';
import { ApiError } from '../../client/apiError.ts';
import { Emitter, type Subscription } from '../../kit/emitter.ts';
import { shown, type Showable } from '../../text/shownText.ts';
import { requireConnectionOf } from '../../account/connections/requireConnection.ts';
import type { ConnectionStore } from '../../account/connections/connectionStore.ts';
import type { LogArchive } from './archive/logArchive.ts';
import type { LogArchives } from './archive/logArchives.ts';
import { fillEarlierLines } from './follow/fillEarlierLines.ts';
import type { FollowedLogs } from './follow/followedLogs.ts';
import type { FullLogSource } from './fullLog/fullLogStore.ts';
import {
  includesWorker,
  workerKey,
  type LogSubject,
  type ConnectedWorker,
  type LoggedWorker,
} from './model/logSubject.ts';

/** Maximum number of logs that are read at the same time. */
const CONCURRENCY = 3;

/** The stored logs. The documents of full logs and the search read them. */
export class ArchivedLogs implements FullLogSource {
  readonly #connections: ConnectionStore;
  readonly #archives: LogArchives;
  readonly #followed: FollowedLogs;
  readonly #changed = new Emitter<ConnectedWorker>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: Subscription[];
  /** Workers of earlier sessions. Those of this session are followed. */
  #earlier: Promise<readonly LoggedWorker[]> | undefined;

  constructor(connections: ConnectionStore, archives: LogArchives, followed: FollowedLogs) {
    this.#connections = connections;
    this.#archives = archives;
    this.#followed = followed;
    this.#subscriptions = [
      followed.onDidOpen((worker) => this.#onOpen(worker)),
      followed.onDidForget(() => (this.#earlier = undefined)),
    ];
  }

  /** Returns the archives of the present workers of a log, and of those that have ended. */
  async logs(subject: LogSubject): Promise<readonly LogArchive[]> {
    const { endpointId, endpointName, connectionId, workerIds } = subject;
    const named = workerIds?.map((workerId): LoggedWorker => ({ connectionId, endpointId, endpointName, workerId }));
    this.#earlier ??= this.#archives.workers();
    const stored = named ?? (await this.#earlier).filter((worker) => includesWorker(subject, worker));
    const workers = new Map([...stored, ...this.#followed.workersOf(subject)].map((one) => [workerKey(one), one]));
    const opened = await pMap(workers.values(), (worker) => this.#followed.open(worker), { concurrency: CONCURRENCY });
    return opened.map(({ archive }) => archive);
  }

  /** Reads the lines before the stored ones. The streams of the visible workers read the later ones. */
  async complete(subject: LogSubject, signal: AbortSignal, report: (progress: Showable) => void): Promise<void> {
    const { client } = requireConnectionOf(this.#connections, subject.connectionId);
    const counts = new Map<LogArchive, number>();
    const failures: unknown[] = [];
    const fill = async (archive: LogArchive): Promise<void> => {
      const onProgress = (lines: number): void => {
        counts.set(archive, lines);
        const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
        report(shown`${total.toLocaleString('en-US')} earlier lines`);
      };
      try {
        await fillEarlierLines(client.context, archive, { signal, onProgress });
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== 'notFound') {
          failures.push(error);
          return;
        }
        // The platform has deleted the log together with the worker, so there are no other lines.
        archive.markComplete();
        await archive.save();
      }
    };
    await pMap(await this.logs(subject), fill, { concurrency: CONCURRENCY });
    if (failures.length > 0) throw failures[0] as Error;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  #onOpen(worker: LoggedWorker): void {
    const archive = this.#followed.logOf(worker)?.archive;
    // The archive drops its listeners when it is closed.
    archive?.onDidChange(() => this.#changed.fire(worker));
    this.#changed.fire(worker);
  }
}
