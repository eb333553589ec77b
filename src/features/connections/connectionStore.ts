import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../client/client.ts';
import type { Connection } from '../../client/connection.ts';
import type { Wait } from '../../client/context.ts';
import { showShortly } from '../../vscode/messages.ts';
import { shown } from '../../vscode/text/shownText.ts';
import {
  changeTeam,
  edit,
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

/** A connection a person chose: the local platform, or a hosted one. Without a key (it is empty) nobody is signed in. */
export interface Profile extends Connection {
  readonly kind: 'local' | 'hosted';
  readonly name: string;
  readonly id: string;
}

/** What is known of a connection before it is one. */
export type NewProfile = Omit<Profile, 'id'>;

/** What stands for the addresses of the local platform while it does not run: nobody is called there. */
const NOWHERE: Connection = { baseUrl: '', restUrl: '', queueUrl: '', endpointHost: '', apiKey: '' };

/**
 * The connections, and which of them is the current one: the same in all windows. The current one's `client` exists while the
 * platform behind it may be called: for the local platform only while that runs, for a hosted one while signed in.
 */
export class ConnectionStore implements vscode.Disposable {
  readonly #vault: ConnectionVault;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  /** Clients by the id of their connection: one stays while its addresses, key and team do, and so does its reading of the limits. */
  readonly #clients = new Map<string, { readonly of: string; readonly client: Client }>();
  /** The local platform, while it runs. */
  #local: Connection | undefined;
  #loaded = false;
  #loading: Promise<void> | undefined;

  /** @param secrets those of the editor */
  constructor(secrets: Secrets) {
    this.#vault = new ConnectionVault({ secrets, changed: () => this.#changed.fire(), newId: randomUUID });
  }

  /** The current connection. */
  get profile(): Profile | undefined {
    const { current } = this.#vault.document;
    return current === undefined ? undefined : this.find(current);
  }

  /** Speaks to the current connection's platform. */
  get client(): Client | undefined {
    const { profile } = this;
    if (!profile || profile.apiKey === '') return undefined;
    const { id, kind, name, ...connection } = profile;
    const of = JSON.stringify(connection);
    const known = this.#clients.get(id);
    if (known?.of === of) return known.client;
    const client = clientOf(connection);
    this.#clients.set(id, { of, client });
    return client;
  }

  /** Connections to hosted platforms, in the order they were made. */
  get hosted(): readonly Profile[] {
    return this.#vault.document.connections.map(profileOf);
  }

  /** Whether the stored connections have been read. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Why connections are kept for this window only; undefined while they are stored. */
  get problem(): Error | undefined {
    return this.#vault.problem;
  }

  /** The local platform's connection, or a stored one. */
  find(id: string): Profile | undefined {
    if (id === LOCAL_ID) return { ...(this.#local ?? NOWHERE), id: LOCAL_ID, kind: 'local', name: LOCAL_NAME };
    return this.hosted.find((one) => one.id === id);
  }

  /** Reads the stored connections, and follows what other windows change. */
  load(): Promise<void> {
    this.#loading ??= this.#vault.load().then(() => {
      this.#loaded = true;
      this.#changed.fire();
    });
    return this.#loading;
  }

  /** Resolves when the stored connections have been read. */
  async whenLoaded(): Promise<void> {
    await this.#loading;
  }

  /** Tries again to read and store what the secret storage refused. */
  retry(): Promise<void> {
    return this.#vault.retry();
  }

  /** Makes this the current connection: the local platform that runs now, or a hosted one, whose key is stored. */
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

  /** Makes a known connection the current one. */
  select(id: string): Promise<void> {
    return this.#change(select(id));
  }

  rename(id: string, name: string): Promise<void> {
    return this.#change(edit(id, { name }));
  }

  /** Takes the place of the key, where the connection is still there. */
  replaceKey(id: string, apiKey: string): Promise<void> {
    return this.#change(edit(id, { apiKey }));
  }

  /** Changes the team that a connection acts for. Undefined means the account of its key. */
  changeTeam(id: string, teamId: string | undefined): Promise<void> {
    return this.#change(changeTeam(id, teamId));
  }

  /** Forgets the key of a connection; its name and addresses stay. */
  signOut(id: string): Promise<void> {
    return this.#change(signOut(id));
  }

  /** Forgets a connection with its key: the current one, unless another is named. */
  async forget(id = this.#vault.document.current): Promise<void> {
    if (id === undefined) return;
    this.#clients.delete(id);
    await this.#change(remove(id));
  }

  /** Forgets all connections with their keys, also those that cannot be read. */
  async forgetAll(): Promise<void> {
    this.#clients.clear();
    this.#loaded = true;
    await this.#vault.clear();
  }

  /** The local platform stopped: it stays the current connection, but there is nobody to call. */
  suspendLocal(): void {
    if (!this.#local) return;
    this.#local = undefined;
    this.#clients.delete(LOCAL_ID);
    if (this.#vault.document.current === LOCAL_ID) this.#changed.fire();
  }

  /** What is wrong with a name. */
  nameProblem(name: string, ownId?: string): string | undefined {
    return nameProblem(this.#vault.document, name, ownId);
  }

  /** A name like this that no other connection has. */
  freeName(wished: string): string {
    return freeName(this.#vault.document, wished);
  }

  dispose(): void {
    this.#vault.dispose();
    this.#changed.dispose();
  }

  /** @param always whether more than the document changes */
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

/** In VS Code the global fetch honours the user's proxy and certificates. */
export function clientOf(connection: Connection): Client {
  return createClient({ connection, fetch: globalThis.fetch, onWait: tellWait });
}

/** A call that waits for a rate limit says so in the status bar for as long as it waits. */
function tellWait({ ms, reason }: Wait): void {
  const seconds = Math.ceil(ms / 1000);
  showShortly(shown`$(watch) Cloud Compute waits ${seconds} s: ${reason}`, ms);
}
