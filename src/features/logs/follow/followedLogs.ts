import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { Emitter, type Subscription } from '../../../kit/emitter.ts';
import { accountOf } from '../../../account/connections/storedConnections.ts';
import type { LogArchives } from '../archive/logArchives.ts';
import type { LogEntry } from '../archive/readableLog.ts';
import type { FollowState } from '../model/followState.ts';
import type { Backfill } from '../model/logOptions.ts';
import {
  includesWorker,
  subjectKey,
  workerKey,
  type LogSubject,
  type ConnectedWorker,
  type LoggedWorker,
} from '../model/logSubject.ts';
import { WorkerLog } from './workerLog.ts';

/** Backfill of a log that is visible only in documents. */
const BEGINNING: Backfill = { since: 0 };

/** State of a followed log as rows and the status bar show it. */
export type FollowStatus = 'following' | 'reconnecting' | 'paused' | 'stopped' | 'ended';

export const followStatusWords: Readonly<Record<FollowStatus, string>> = {
  following: l10n.t('following'),
  reconnecting: l10n.t('reconnecting'),
  paused: l10n.t('paused'),
  stopped: l10n.t('stopped'),
  ended: l10n.t('ended'),
};

/** A log that was shown. It stays known until its connection changes to another account. */
export interface FollowedLog {
  readonly subject: LogSubject;
  /** Whether the user wants to follow the log. */
  readonly isWanted: boolean;
}

interface Followed extends FollowedLog {
  isWanted: boolean;
  backfill: Backfill;
  isVisible: boolean;
  /** Whether its streams are open. They stay open for a short time after the log was hidden. */
  isAwake: boolean;
  cancelRest: () => void;
}

interface WorkerEntry {
  readonly worker: LoggedWorker;
  log: WorkerLog | undefined;
  isGone: boolean;
  /** Whether its archive could not be opened. */
  hasFailed: boolean;
}

export interface FollowedLogsOptions {
  readonly connections: {
    readonly client: Client | undefined;
    readonly profile: { readonly id: string; readonly teamId?: string | undefined } | undefined;
    readonly onDidChange: (listener: () => unknown) => Subscription;
  };
  readonly archives: Pick<LogArchives, 'open' | 'close'>;
  readonly clock: Clock;
  /** Called with an archive that cannot be opened. */
  readonly onFailure: (worker: LoggedWorker, error: Error) => void;
}

/** Time in ms after which the streams of a hidden log are closed. A short look at another log closes no stream. */
const HIDDEN_MS = 30_000;

/**
 * Holds the logs that are followed: logs of a worker, and logs of an endpoint with all its workers. A worker has one stream, however many
 * logs contain it. The stream is open while the user wants to follow one of them and can see it.
 */
export class FollowedLogs {
  readonly #options: FollowedLogsOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #workers = new Map<string, WorkerEntry>();
  /** Logs that are visible in documents. */
  #viewed: readonly LogSubject[] = [];
  readonly #changed = new Emitter<void>();
  readonly #lines = new Emitter<{ readonly worker: LoggedWorker; readonly entries: readonly LogEntry[] }>();
  readonly #states = new Emitter<{ readonly worker: LoggedWorker; readonly state: FollowState }>();
  readonly #logStates = new Emitter<{ readonly subject: LogSubject; readonly state: FollowState }>();
  readonly #opened = new Emitter<LoggedWorker>();
  readonly #forgotten = new Emitter<void>();
  /** Fires when the followed logs, their workers, or their states change. */
  readonly onDidChange = this.#changed.event;
  readonly onDidReceive = this.#lines.event;
  readonly onDidChangeState = this.#states.event;
  /** Fires when a log as a whole stops or pauses. Its workers can be part of other logs, which continue. */
  readonly onDidChangeLog = this.#logStates.event;
  /** Fires when the archive of a worker was opened, before its stream is. */
  readonly onDidOpen = this.#opened.event;
  /** Fires when the account changes, because the new account does not have the followed logs. */
  readonly onDidForget = this.#forgotten.event;
  readonly #subscription: Subscription;
  #firing: NodeJS.Immediate | undefined;
  #account: string | undefined;
  #client: Client | undefined;

  constructor(options: FollowedLogsOptions) {
    this.#options = options;
    const { client, profile, onDidChange } = options.connections;
    this.#account = profile && accountOf(profile);
    this.#client = client;
    this.#subscription = onDidChange(() => this.#onConnection());
  }

  /** All logs of this account that are or were followed, in the order in which they were first shown. */
  get all(): readonly FollowedLog[] {
    return [...this.#followed.values()];
  }

  /** Logs whose streams are open, and whose workers must therefore be known. */
  get awake(): readonly LogSubject[] {
    const followed = [...this.#followed.values()].filter((one) => one.isWanted && one.isAwake);
    const id = this.#options.connections.profile?.id;
    // A document can show the log of another connection, whose lines this client cannot read.
    return [
      ...followed.map(({ subject }) => subject),
      ...this.#viewed.filter(({ connectionId }) => connectionId === id),
    ];
  }

  find(subject: LogSubject): FollowedLog | undefined {
    return this.#followed.get(subjectKey(subject));
  }

  /** Workers of a log whose lines were or are received, in the order in which they became known. */
  workersOf(subject: LogSubject): readonly LoggedWorker[] {
    return this.#entriesOf(subject).map(({ worker }) => worker);
  }

  #entriesOf(subject: LogSubject): readonly WorkerEntry[] {
    return [...this.#workers.values()].filter(({ worker }) => includesWorker(subject, worker));
  }

  /** The log of a worker, if its archive is open. */
  logOf(worker: ConnectedWorker): WorkerLog | undefined {
    return this.#workers.get(workerKey(worker))?.log;
  }

  /** Summarizes the streams of a log. Undefined if it was never followed. */
  statusOf(subject: LogSubject): FollowStatus | undefined {
    const followed = this.#followed.get(subjectKey(subject));
    if (!followed) return undefined;
    if (!followed.isWanted) return 'stopped';
    const logs = this.#entriesOf(subject).map(({ log }) => log);
    const areOver = logs.length > 0 && logs.every((log) => log?.isOver);
    // The log of an endpoint waits for its next worker, unless the platform refuses all streams.
    if (areOver && (subject.workerIds || logs.every((log) => log?.status === 'refused'))) return 'ended';
    if (!followed.isAwake) return 'paused';
    return this.#client && logs.every((log) => log?.status !== 'reconnecting') ? 'following' : 'reconnecting';
  }

  /** Follows a log, each worker from its last received line on. @param backfill lines with which the log of a new worker begins */
  follow(subject: LogSubject, backfill: Backfill): void {
    const key = subjectKey(subject);
    const known = this.#followed.get(key);
    const followed: Followed = known ?? {
      ...{ subject, backfill, isWanted: true, isVisible: false, isAwake: true },
      cancelRest: () => undefined,
    };
    this.#followed.set(key, followed);
    Object.assign(followed, { isWanted: true, backfill });
    this.#wake(followed);
    for (const { worker, log, hasFailed } of this.#entriesOf(subject)) {
      log?.retry();
      if (hasFailed) this.#workers.delete(workerKey(worker));
    }
    for (const workerId of subject.workerIds ?? []) this.#addWorker({ ...workerAddress(subject), workerId });
    this.#update();
  }

  /** Adds a log of an earlier session, which is followed once it becomes visible. */
  restore(subject: LogSubject, isWanted: boolean, workers: readonly LoggedWorker[], backfill: Backfill): void {
    const key = subjectKey(subject);
    if (this.#followed.has(key)) return;
    const followed = { subject, isWanted, isAwake: false, isVisible: false, cancelRest: () => undefined };
    this.#followed.set(key, { ...followed, backfill });
    for (const worker of workers) this.#addWorker(worker);
    this.#update();
  }

  /** Stops following a log. The lines so far and the place after them are kept. */
  stop(subject: LogSubject): void {
    const followed = this.#followed.get(subjectKey(subject));
    if (!followed?.isWanted) return;
    followed.isWanted = false;
    this.#logStates.fire({ subject, state: { kind: 'stopped' } });
    this.#update();
  }

  /** Sets whether the user can see a log. */
  setVisible(subject: LogSubject, isVisible: boolean): void {
    const followed = this.#followed.get(subjectKey(subject));
    if (!followed || followed.isVisible === isVisible) return;
    followed.isVisible = isVisible;
    if (isVisible) this.#wake(followed);
    else this.#restLater(followed);
    this.#update();
  }

  /** Sets the logs that are visible in documents. Their workers are followed from the beginning of their logs. */
  setViewed(subjects: readonly LogSubject[]): void {
    this.#viewed = subjects;
    for (const subject of subjects) {
      for (const workerId of subject.workerIds ?? []) this.#addWorker({ ...workerAddress(subject), workerId });
    }
    this.#update();
  }

  /** Takes the workers that an endpoint has now. Follows new ones, and ends the streams of those that are gone. */
  takeWorkers(subject: LogSubject, workerIds: readonly string[]): void {
    const current = new Set(workerIds);
    for (const [, entry] of this.#workers) {
      const { connectionId, endpointId, workerId } = entry.worker;
      if (connectionId !== subject.connectionId || endpointId !== subject.endpointId) continue;
      entry.isGone = !current.has(workerId);
      entry.log?.setGone(entry.isGone);
    }
    if (!subject.workerIds) for (const workerId of workerIds) this.#addWorker({ ...workerAddress(subject), workerId });
    this.#update();
  }

  /** Opens the archive of a worker without following it. @throws an error of the file system */
  async open(worker: LoggedWorker): Promise<WorkerLog> {
    this.#addWorker(worker);
    await this.#options.archives.open(worker);
    const log = this.logOf(worker);
    if (!log) throw new Error(l10n.t('the log was closed'));
    return log;
  }

  dispose(): void {
    this.#subscription.dispose();
    clearImmediate(this.#firing);
    for (const { cancelRest } of this.#followed.values()) cancelRest();
    for (const { log } of this.#workers.values()) log?.stop();
    for (const emitter of [this.#changed, this.#lines, this.#states, this.#logStates, this.#opened, this.#forgotten])
      emitter.dispose();
    void this.#options.archives.close();
  }

  #wake(followed: Followed): void {
    followed.cancelRest();
    followed.isAwake = true;
  }

  #restLater(followed: Followed): void {
    followed.cancelRest();
    followed.cancelRest = callAfter(this.#options.clock, HIDDEN_MS, () => {
      followed.isAwake = false;
      const closes = this.workersOf(followed.subject).some(
        (worker) => this.logOf(worker)?.isActive && !this.#isWanted(worker),
      );
      if (closes) this.#logStates.fire({ subject: followed.subject, state: { kind: 'paused' } });
      this.#update();
    });
  }

  /** Whether a log that contains the worker is followed and can be seen. */
  #isWanted(worker: ConnectedWorker): boolean {
    return this.awake.some((subject) => includesWorker(subject, worker));
  }

  #addWorker(worker: LoggedWorker): void {
    const key = workerKey(worker);
    if (this.#workers.has(key)) return;
    const entry: WorkerEntry = { worker, log: undefined, isGone: false, hasFailed: false };
    this.#workers.set(key, entry);
    this.#options.archives.open(worker).then(
      (archive) => {
        if (this.#workers.get(key) !== entry) return;
        entry.log = new WorkerLog(archive, {
          lines: (entries) => this.#lines.fire({ worker, entries }),
          state: (state) => this.#report(worker, state),
          status: () => this.#fireSoon(),
        });
        this.#opened.fire(worker);
        this.#update();
      },
      (error: unknown) => {
        entry.hasFailed = true;
        this.#options.onFailure(worker, error as Error);
      },
    );
  }

  /** Opens and closes streams as the followed logs require. */
  #update(): void {
    const { awake } = this;
    for (const { worker, log, isGone } of this.#workers.values()) {
      if (!log) continue;
      const isWanted = this.#client !== undefined && awake.some((subject) => includesWorker(subject, worker));
      if (isWanted && !log.isActive && !log.isOver && this.#client) {
        void log.follow(this.#client.context, this.#backfillOf(worker));
        log.setGone(isGone);
      } else if (!isWanted && log.isActive) log.stop();
    }
    this.#fireSoon();
  }

  /** Reports many changes at once, because each report looks at all logs. */
  #fireSoon(): void {
    this.#firing ??= setImmediate(() => {
      this.#firing = undefined;
      this.#changed.fire();
    });
  }

  #backfillOf(worker: ConnectedWorker): Backfill {
    const followed = [...this.#followed.values()].find((one) => one.isWanted && includesWorker(one.subject, worker));
    return followed?.backfill ?? BEGINNING;
  }

  #report(worker: LoggedWorker, state: FollowState): void {
    this.#states.fire({ worker, state });
  }

  #onConnection(): void {
    const { client, profile } = this.#options.connections;
    const account = profile && accountOf(profile);
    // The connections are read after the start, when documents of the last session may already be open.
    if (account !== this.#account && this.#account !== undefined) this.#forgetAll();
    this.#account = account;
    if (client === this.#client) return;
    this.#client = client;
    for (const { worker, log } of this.#workers.values()) {
      if (!log?.isActive) continue;
      log.stop();
      if (!client) this.#report(worker, { kind: 'suspended' });
    }
    this.#update();
  }

  #forgetAll(): void {
    for (const { cancelRest } of this.#followed.values()) cancelRest();
    for (const { log } of this.#workers.values()) log?.stop();
    this.#followed.clear();
    this.#workers.clear();
    this.#viewed = [];
    void this.#options.archives.close();
    this.#forgotten.fire();
    this.#changed.fire();
  }
}

function workerAddress({ connectionId, endpointId, endpointName }: LogSubject): Omit<LoggedWorker, 'workerId'> {
  return { connectionId, endpointId, endpointName };
}
