import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import type { ConnectionStore, Profile } from '../connections/connectionStore.ts';
import type { FollowState } from './logFormat.ts';
import { WorkerLogFollower, type WorkerAddress } from './workerLogFollower.ts';

/** A worker whose log somebody wants to see. */
export interface LoggedWorker extends WorkerAddress {
  readonly endpointName: string;
}

/** A line of a worker's log, or what happened to the stream. */
export type LogItem = { readonly event: LogEvent } | { readonly state: FollowState };

interface Entry {
  readonly worker: LoggedWorker;
  readonly follower: WorkerLogFollower;
  /** To be followed, whenever there is a platform to ask. */
  wanted: boolean;
}

/** Stable name of a worker among those of all endpoints. */
export function workerKey({ endpointId, workerId }: WorkerAddress): string {
  return `${endpointId}/${workerId}`;
}

/**
 * Which workers' logs are followed: one stream each. A stream survives the restart of its platform and goes on where it was; it
 * ends when a person stops it, when the service refuses it, or when its connection is forgotten.
 */
export class WorkerLogStore implements vscode.Disposable {
  readonly #connections: ConnectionStore;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #appended = new vscode.EventEmitter<{ readonly worker: LoggedWorker; readonly item: LogItem }>();
  readonly #forgotten = new vscode.EventEmitter<void>();
  /** The set of followed workers changed. */
  readonly onDidChange = this.#changed.event;
  readonly onDidAppend = this.#appended.event;
  /** The connection is another one: nothing that was followed exists there. */
  readonly onDidForget = this.#forgotten.event;
  readonly #subscription: vscode.Disposable;
  #platform: string | undefined;
  #client: Client | undefined;

  constructor(connections: ConnectionStore) {
    this.#connections = connections;
    this.#platform = platformOf(connections.profile);
    this.#client = connections.client;
    this.#subscription = connections.onDidChange(() => this.#onConnection());
  }

  /** The workers being followed, also while reconnecting. */
  get followed(): readonly LoggedWorker[] {
    return [...this.#entries.values()].filter(({ wanted }) => wanted).map(({ worker }) => worker);
  }

  /** Every worker that was followed on this connection. */
  get known(): readonly LoggedWorker[] {
    return [...this.#entries.values()].map(({ worker }) => worker);
  }

  isFollowed(worker: WorkerAddress): boolean {
    return this.#entries.get(workerKey(worker))?.wanted ?? false;
  }

  /** Follows a worker, from after the last line that was seen of it. Nothing happens when it is followed already. */
  follow(worker: LoggedWorker): void {
    const entry = this.#entry(worker);
    if (entry.wanted) return;
    entry.wanted = true;
    if (this.#client) void entry.follower.follow(this.#client.context);
    this.#changed.fire();
  }

  /** Stops following; what was written stays, and so does the place. */
  stop(worker: WorkerAddress): void {
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
    const platform = platformOf(profile);
    if (platform !== this.#platform) this.#forgetAll();
    this.#platform = platform;
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

/** What stays the same while a platform is the same: the local one has another address after each start. */
function platformOf(profile: Profile | undefined): string | undefined {
  if (!profile) return undefined;
  return profile.kind === 'local' ? 'local' : JSON.stringify([profile.baseUrl, profile.teamId]);
}
