import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import { accountOf } from '../connections/accountOf.ts';
import type { ConnectionStore } from '../connections/connectionStore.ts';
import type { FollowState } from './logFormat.ts';
import { workerKey, type ConnectedWorker, type LoggedWorker } from './model/loggedWorker.ts';
import { WorkerLogFollower } from './workerLogFollower.ts';

/** A line of a worker's log, or a change of its stream. */
export type LogItem = { readonly event: LogEvent } | { readonly state: FollowState };

interface Entry {
  readonly worker: LoggedWorker;
  readonly follower: WorkerLogFollower;
  /** Whether the log is followed while the connection has a client. */
  wanted: boolean;
}

/**
 * Holds the workers whose logs are followed, with one stream each. A stream resumes after its platform restarts. It ends when the user
 * stops it, when the service refuses it, or when the current connection changes to another account.
 */
export class WorkerLogStore implements vscode.Disposable {
  readonly #connections: ConnectionStore;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #appended = new vscode.EventEmitter<{ readonly worker: LoggedWorker; readonly item: LogItem }>();
  readonly #forgotten = new vscode.EventEmitter<void>();
  /** Fires when the set of followed workers changes. */
  readonly onDidChange = this.#changed.event;
  readonly onDidAppend = this.#appended.event;
  /** Fires when the account changes, because the new account does not have the followed workers. */
  readonly onDidForget = this.#forgotten.event;
  readonly #subscription: vscode.Disposable;
  #account: string | undefined;
  #client: Client | undefined;

  constructor(connections: ConnectionStore) {
    this.#connections = connections;
    this.#account = connections.profile && accountOf(connections.profile);
    this.#client = connections.client;
    this.#subscription = connections.onDidChange(() => this.#onConnection());
  }

  /** The followed workers, including those whose stream is reconnecting. */
  get followed(): readonly LoggedWorker[] {
    return [...this.#entries.values()].filter(({ wanted }) => wanted).map(({ worker }) => worker);
  }

  /** All workers of this account that are or were followed. */
  get known(): readonly LoggedWorker[] {
    return [...this.#entries.values()].map(({ worker }) => worker);
  }

  isFollowed(worker: ConnectedWorker): boolean {
    return this.#entries.get(workerKey(worker))?.wanted ?? false;
  }

  /** Follows a worker, starting after the last line that was received from it. Does nothing if the worker is already followed. */
  follow(worker: LoggedWorker): void {
    const entry = this.#entry(worker);
    if (entry.wanted) return;
    entry.wanted = true;
    if (this.#client) void entry.follower.follow(this.#client.context);
    this.#changed.fire();
  }

  /** Stops following a worker. The log written so far and the place in it are kept. */
  stop(worker: ConnectedWorker): void {
    const entry = this.#entries.get(workerKey(worker));
    if (!entry?.wanted) return;
    entry.wanted = false;
    entry.follower.stop();
    this.#append(entry.worker, { state: { kind: 'stopped' } });
    this.#changed.fire();
  }

  dispose(): void {
    for (const { follower } of this.#entries.values()) follower.stop();
    this.#subscription.dispose();
    this.#changed.dispose();
    this.#appended.dispose();
    this.#forgotten.dispose();
  }

  #entry(worker: LoggedWorker): Entry {
    const known = this.#entries.get(workerKey(worker));
    if (known) return known;
    const follower = new WorkerLogFollower(worker, {
      line: (event) => this.#append(worker, { event }),
      state: (state) => {
        this.#append(worker, { state });
        if (state.kind === 'refused') this.#onRefused(worker);
      },
    });
    const entry: Entry = { worker, follower, wanted: false };
    this.#entries.set(workerKey(worker), entry);
    return entry;
  }

  #append(worker: LoggedWorker, item: LogItem): void {
    this.#appended.fire({ worker, item });
  }

  #onRefused(worker: LoggedWorker): void {
    this.#entry(worker).wanted = false;
    this.#changed.fire();
  }

  #onConnection(): void {
    const { client, profile } = this.#connections;
    const account = profile && accountOf(profile);
    if (account !== this.#account) this.#forgetAll();
    this.#account = account;
    if (client === this.#client) return;
    this.#client = client;
    for (const { worker, follower, wanted } of this.#entries.values()) {
      if (!wanted) continue;
      if (client) void follower.follow(client.context);
      else {
        follower.stop();
        this.#append(worker, { state: { kind: 'suspended' } });
      }
    }
  }

  #forgetAll(): void {
    for (const { follower } of this.#entries.values()) follower.stop();
    this.#entries.clear();
    this.#forgotten.fire();
    this.#changed.fire();
  }
}
