import * as vscode from 'vscode';
import { accountSession } from '../../kit/safeErrors.ts';
import type { ConnectionStore, Profile } from './connectionStore.ts';

/** ID of the authentication provider, as in package.json. */
export const PROVIDER_ID = 'cloudCompute';

/**
 * Authentication provider that shows the signed-in connections in the editor's Accounts menu. The user can sign out there.
 *
 * This extension reads its keys from the store. Another extension gets a key only after the user consents.
 */
export class ConnectionAccounts implements vscode.AuthenticationProvider, vscode.Disposable {
  readonly #connections: ConnectionStore;
  readonly #connect: () => Promise<Profile | undefined>;
  readonly #changed = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  readonly onDidChangeSessions = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #sessions: vscode.AuthenticationSession[];

  /** @param connect asks the user for a connection and stores it */
  constructor(connections: ConnectionStore, connect: () => Promise<Profile | undefined>) {
    this.#connections = connections;
    this.#connect = connect;
    this.#sessions = sessionsOf(connections);
    this.#subscription = connections.onDidChange(() => this.#follow());
  }

  /** Returns the sessions and ignores the scopes, because an API key has no scopes. */
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
