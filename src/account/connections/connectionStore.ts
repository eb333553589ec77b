import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../client/client.ts';
import type { Connection } from '../../client/connection.ts';
import type { Wait } from '../../client/context.ts';
import type { KnownS3Access, S3Access } from '../../client/s3/s3Connection.ts';
import { loopbackFetch } from '../../client/loopbackFetch.ts';
import { showStatusBarMessage } from '../../kit/messages.ts';
import { shown } from '../../text/shownText.ts';
import {
  changeTeam,
  edit,
  forgetFileKey,
  freeName,
  LOCAL_ID,
  LOCAL_NAME,
  nameProblem,
  put,
  remove,
  select,
  signOut,
  type HostedConnection,
} from './connectionDocument.ts';
import { ConnectionVault, type Secrets } from './connectionVault.ts';

/** A connection to the local platform or to a hosted platform. The key is empty when the connection is signed out. */
export interface Profile extends Connection, KnownS3Access {
  readonly kind: 'local' | 'hosted';
  readonly name: string;
  readonly id: string;
}

/** A connection before it is stored. */
export type NewProfile = Omit<Profile, 'id'>;

/** Addresses and key of the local platform while it does not run. */
const NO_CONNECTION: Connection = { baseUrl: '', restUrl: '', queueUrl: '', endpointHost: '', apiKey: '' };

/**
 * Holds the connections and the current one, which all windows share. `client` is defined while the current platform can be called: the
 * local platform while it runs, a hosted platform while the connection is signed in.
 */
export class ConnectionStore implements vscode.Disposable {
  readonly #vault: ConnectionVault;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  /** Clients by connection ID. A client, with its rate limits, is kept until the addresses, key, or team change. */
  readonly #clients = new Map<string, { readonly of: string; readonly client: Client }>();
  /** Addresses and key of the local platform while it runs. */
  #local: (Connection & KnownS3Access) | undefined;
  #loaded = false;
  #loading: Promise<void> | undefined;

  /** @param secrets secret storage of the editor */
  constructor(secrets: Secrets) {
    this.#vault = new ConnectionVault({ secrets, changed: () => this.#changed.fire() });
  }

  /** The current connection. */
  get profile(): Profile | undefined {
    const { current } = this.#vault.document;
    return current === undefined ? undefined : this.find(current);
  }

  /** Client of the current connection's platform. Undefined while the platform cannot be called. */
  get client(): Client | undefined {
    const { profile } = this;
    if (!profile || profile.apiKey === '') return undefined;
    const { id, kind, name, s3Url, s3AccessKeyId, s3SecretAccessKey, ...connection } = profile;
    const of = JSON.stringify(connection);
    const known = this.#clients.get(id);
    if (known?.of === of) return known.client;
    const client = clientOf(connection, kind);
    this.#clients.set(id, { of, client });
    return client;
  }

  /** Connections to hosted platforms, in order of creation. */
  get hosted(): readonly Profile[] {
    return this.#vault.document.connections.map(profileOf);
  }

  /** Whether the stored connections have been read. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Reason why connections exist only in this window. Undefined while they are stored. */
  get problem(): Error | undefined {
    return this.#vault.problem;
  }

  /** Returns the local platform's connection or a stored one. */
  find(id: string): Profile | undefined {
    if (id === LOCAL_ID) return { ...(this.#local ?? NO_CONNECTION), id: LOCAL_ID, kind: 'local', name: LOCAL_NAME };
    return this.hosted.find((one) => one.id === id);
  }

  /** Reads the stored connections, and again after each change by another window. */
  load(): Promise<void> {
    this.#loading ??= this.#vault.load().then(() => {
      this.#loaded = true;
      this.#changed.fire();
    });
    return this.#loading;
  }

  /** Resolves once the stored connections have been read. */
  async whenLoaded(): Promise<void> {
    await this.#loading;
  }

  /** Retries the reads and writes that the secret storage rejected. */
  retry(): Promise<void> {
    return this.#vault.retry();
  }

  /** Makes the running local platform the current connection, or stores a hosted connection and makes it the current one. */
  async use({ kind, name, ...connection }: NewProfile): Promise<Profile | undefined> {
    if (kind === 'local') {
      this.#local = connection;
      await this.#change(select(LOCAL_ID), true);
      return this.profile;
    }
    const id = randomUUID();
    const added = { ...addressesOf(connection), id, name: this.freeName(name), apiKey: connection.apiKey };
    await this.#change((document) => select(id)(put(added)(document)));
    return this.find(id);
  }

  /** Makes a stored connection the current one. */
  select(id: string): Promise<void> {
    return this.#change(select(id));
  }

  rename(id: string, name: string): Promise<void> {
    return this.#change(edit(id, { name }));
  }

  /** Replaces the key of a connection. Does nothing when the connection does not exist. */
  replaceKey(id: string, apiKey: string): Promise<void> {
    return this.#change(edit(id, { apiKey }));
  }

  /** Stores the address and the key of the files of network volumes. Does nothing when the connection does not exist. */
  setS3Access(id: string, access: S3Access): Promise<void> {
    return this.#change(edit(id, access));
  }

  /** Removes the key of the files of network volumes. Their first use asks for another one. */
  forgetFileKey(id: string): Promise<void> {
    return this.#change(forgetFileKey(id));
  }

  /** Changes the team that a connection acts for. Undefined means the account of its key. */
  changeTeam(id: string, teamId: string | undefined): Promise<void> {
    return this.#change(changeTeam(id, teamId));
  }

  /** Removes the key of a connection and keeps its name and addresses. */
  signOut(id: string): Promise<void> {
    return this.#change(signOut(id));
  }

  /** Removes a connection and its key. The default is the current connection. */
  async forget(id = this.#vault.document.current): Promise<void> {
    if (id === undefined) return;
    this.#clients.delete(id);
    await this.#change(remove(id));
  }

  /** Removes all connections and their keys, including unreadable ones. */
  async forgetAll(): Promise<void> {
    this.#clients.clear();
    this.#loaded = true;
    await this.#vault.clear();
  }

  /** Removes the addresses and client of the stopped local platform, which can stay the current connection. */
  suspendLocal(): void {
    if (!this.#local) return;
    this.#local = undefined;
    this.#clients.delete(LOCAL_ID);
    if (this.#vault.document.current === LOCAL_ID) this.#changed.fire();
  }

  /** Returns why a name is invalid, or undefined. @param ownId ID of the connection to rename */
  nameProblem(name: string, ownId?: string): string | undefined {
    return nameProblem(this.#vault.document, name, ownId);
  }

  /** Returns the preferred name, with a number appended when another connection has it. */
  freeName(preferred: string): string {
    return freeName(this.#vault.document, preferred);
  }

  dispose(): void {
    this.#vault.dispose();
    this.#changed.dispose();
  }

  /** @param always whether to fire a change event even if the document stays the same */
  #change(step: Parameters<ConnectionVault['change']>[0], always = false): Promise<void> {
    this.#loaded = true;
    const stored = this.#vault.change(step);
    if (always) this.#changed.fire();
    return stored;
  }
}

function profileOf({ apiKey = '', ...connection }: HostedConnection): Profile {
  return { kind: 'hosted', ...connection, apiKey };
}

function addressesOf({ baseUrl, restUrl, queueUrl, endpointHost, teamId }: Connection) {
  return { baseUrl, restUrl, queueUrl, endpointHost, ...(teamId === undefined ? {} : { teamId }) };
}

/** Creates a client with the global fetch, which uses the user's proxy and certificates in VS Code. The local platform needs neither. */
function clientOf(connection: Connection, kind: Profile['kind']): Client {
  const local = kind === 'local' ? { honorsIdempotencyKeys: true, loopbackFetch } : {};
  return createClient({ connection, fetch: globalThis.fetch, ...local, onWait: showWait });
}

/** Shows a message in the status bar while a call waits for a rate limit. */
function showWait({ ms, reason }: Wait): void {
  const seconds = Math.ceil(ms / 1000);
  showStatusBarMessage(shown`$(watch) Cloud Compute: waiting ${seconds} s (${reason})`, ms);
}
