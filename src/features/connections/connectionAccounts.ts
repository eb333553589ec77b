import * as vscode from 'vscode';
import { accountSession } from '../../vscode/accounts.ts';
import type { ConnectionStore, Profile } from './connectionStore.ts';

/** Id of the authentication provider, as in package.json. */
export const PROVIDER_ID = 'cloudCompute';

/**
 * The signed-in connections as accounts of the editor: listed in its Accounts menu, and signed out there.
 *
 * The product itself reads its keys from the store. Another extension gets one only after the editor has asked the person.
 */
export class ConnectionAccounts implements vscode.AuthenticationProvider, vscode.Disposable {
  readonly #connections: ConnectionStore;
  readonly #connect: () => Promise<Profile | undefined>;
  readonly #changed = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  readonly onDidChangeSessions = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #sessions: vscode.AuthenticationSession[];

  /** @param connect asks a person for a connection and stores it */
  constructor(connections: ConnectionStore, connect: () => Promise<Profile | undefined>) {
    this.#connections = connections;
    this.#connect = connect;
    this.#sessions = sessionsOf(connections);
    this.#subscription = connections.onDidChange(() => this.#follow());
  }

  /** A key has no scopes: whatever is asked for, it is the whole of it. */
  async getSessions(
    _scopes: readonly string[] | undefined,
    { account }: vscode.AuthenticationProviderSessionOptions = {},
  ): Promise<vscode.AuthenticationSession[]> {
    await this.#connections.whenLoaded();
    return sessionsOf(this.#connections).filter((session) => !account || session.account.id === account.id);
  }

  async createSession(): Promise<vscode.AuthenticationSession> {
    const profile = await this.#connect();
    if (!profile) throw new vscode.CancellationError();
    return sessionOf(profile);
  }

  removeSession(id: string): Promise<void> {
    return this.#connections.signOut(id);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #follow(): void {
    const before = this.#sessions;
    const after = (this.#sessions = sessionsOf(this.#connections));
    const find = (sessions: typeof after, { id }: vscode.AuthenticationSession) =>
      sessions.find((one) => one.id === id);
    const added = after.filter((session) => !find(before, session));
    const removed = before.filter((session) => !find(after, session));
    const changed = after.filter((session) => {
      const old = find(before, session);
      return old && (old.accessToken !== session.accessToken || old.account.label !== session.account.label);
    });
    if (added.length + removed.length + changed.length > 0)
      this.#changed.fire({ added, removed: [...removed], changed });
  }
}

function sessionsOf({ hosted }: ConnectionStore): vscode.AuthenticationSession[] {
  return hosted.filter(({ apiKey }) => apiKey !== '').map(sessionOf);
}

function sessionOf({ id, name, apiKey }: Profile): vscode.AuthenticationSession {
  return accountSession(id, name, apiKey);
}
