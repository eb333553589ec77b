import type { Quotas } from '../../contract/rateLimit.ts';
import { PERMISSIONS } from '../../contract/permissions.ts';
import type { Clock } from '../time/clock.ts';
import { OWNER_ACCOUNT_ID, type AccountRecord, type ApiKeyRecord } from '../domain/account.ts';
import { fieldError, formatViolation, violation } from '../../contract/violation.ts';
import { notFound, Refusal, refuseViolations } from '../domain/refusal.ts';
import { newTeamId, newUserId } from '../ids.ts';
import type { Store } from '../store/store.ts';
import { newApiKey } from './apiKey.ts';
import type { SessionSigner } from './sessions.ts';

export interface NewAccount {
  readonly name: string;
  /** Default: the platform's quotas. */
  readonly quotas?: Quotas | 'unlimited' | undefined;
  readonly invocationQuotas?: Quotas | 'unlimited' | undefined;
}

export interface NewApiKey extends Pick<ApiKeyRecord, 'name' | 'permissions' | 'endpointIds' | 'expiresAt'> {
  /** A user or a team. Default: the owner. */
  readonly accountId?: string | undefined;
}

/** An API key without the salt and digest that verify its secret. */
export type ApiKeySummary = Omit<ApiKeyRecord, 'salt' | 'digest'>;

/** Default lifetime of a console session, in ms. */
const SESSION_MS = 24 * 3_600_000;

/**
 * Users, teams, keys, and sessions of the platform. The local platform has no console, so the control API creates them
 * (docs/platform-options.md, "Accounts").
 */
export class Accounts {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly signer: SessionSigner;
  readonly #listeners = new Set<() => void>();

  constructor(store: Store, clock: Clock, signer: SessionSigner) {
    this.#store = store;
    this.#clock = clock;
    this.signer = signer;
    store.accounts.insert({ id: OWNER_ACCOUNT_ID, kind: 'user', name: 'owner', createdAt: clock.now() });
  }

  /** Calls the listener when a caller's permissions or membership may have changed. @returns a function that unsubscribes */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  createUser({ name, quotas, invocationQuotas }: NewAccount): AccountRecord {
    const limits = { quotas, invocationQuotas };
    return this.#insert({ id: newUserId(), kind: 'user', name, ...limits, createdAt: this.#clock.now() });
  }

  /** @throws Refusal 404 if the owner is not a user */
  createTeam({
    name,
    quotas,
    invocationQuotas,
    ownerId = OWNER_ACCOUNT_ID,
  }: NewAccount & {
    readonly ownerId?: string | undefined;
  }): AccountRecord {
    this.#requireReferenced('ownerId', ownerId, 'user');
    const limits = { quotas, invocationQuotas };
    return this.#insert({ id: newTeamId(), kind: 'team', name, ownerId, ...limits, createdAt: this.#clock.now() });
  }

  list(): AccountRecord[] {
    return this.#store.accounts.list();
  }

  /** @throws Refusal 404 */
  addMember(teamId: string, userId: string): void {
    this.#store.accounts.insertMember(this.#require(teamId, 'team').id, this.#require(userId, 'user').id);
  }

  /** @throws Refusal 404 */
  removeMember(teamId: string, userId: string): void {
    this.#store.accounts.deleteMember(this.#require(teamId, 'team').id, userId);
    this.#changed();
  }

  /** Returns the IDs of the team's members, without its owner. @throws Refusal 404 */
  members(teamId: string): string[] {
    return this.#store.accounts.members(this.#require(teamId, 'team').id);
  }

  /** Whether the user owns the team or is a member of it. */
  mayActFor(teamId: string, userId: string): boolean {
    const team = this.#store.accounts.get(teamId);
    return team?.kind === 'team' && (team.ownerId === userId || this.#store.accounts.isMember(teamId, userId));
  }

  /** @returns the key, which is shown only once, and its stored record. @throws Refusal 400 or 404 */
  createKey({ accountId = OWNER_ACCOUNT_ID, ...about }: NewApiKey): { key: string; record: ApiKeySummary } {
    const createdAt = this.#clock.now();
    const account = this.#requireReferenced('accountId', accountId);
    const unknown = (about.permissions ?? []).filter((permission) => !PERMISSIONS.includes(permission));
    if (unknown.length > 0) {
      const errors = unknown.map((value) =>
        formatViolation(fieldError(['permissions'], 'unknownPermission', { value, known: PERMISSIONS })),
      );
      throw new Refusal(400, `unknown permission; the permissions are ${PERMISSIONS.join(', ')}`, errors);
    }
    const { key, record } = newApiKey({ ...about, accountId: account.id, createdAt });
    this.#store.accounts.insertApiKey(record);
    return { key, record: summaryOf(record) };
  }

  keys(accountId?: string): ApiKeySummary[] {
    return this.#store.accounts.apiKeys(accountId).map(summaryOf);
  }

  /** Revokes a key at once. @throws Refusal 404 */
  revokeKey(id: string): void {
    if (!this.#store.accounts.deleteApiKey(id)) throw notFound(`API key '${id}'`);
    this.#changed();
  }

  /**
   * Creates a console session. Its token is for the Authorization header.
   *
   * @param lifetimeMs lifetime from now, rounded down to whole seconds
   * @throws Refusal 404
   */
  createSession(
    userId: string = OWNER_ACCOUNT_ID,
    lifetimeMs = SESSION_MS,
  ): Promise<{ token: string; expiresAt: number }> {
    const now = this.#clock.now();
    return this.signer.sign(
      { userId: this.#requireReferenced('userId', userId, 'user').id, expiresAt: now + lifetimeMs },
      now,
    );
  }

  #insert(account: AccountRecord): AccountRecord {
    this.#store.accounts.insert(account);
    return account;
  }

  #require(id: string, kind: AccountRecord['kind']): AccountRecord {
    const account = this.#find(id, kind);
    if (!account) throw notFound(`${kind} '${id}'`);
    return account;
  }

  /** Returns the account with the ID in a field of the request. @throws Refusal 404 with the path of the field */
  #requireReferenced(field: string, id: string, kind?: AccountRecord['kind']): AccountRecord {
    const account = this.#find(id, kind);
    if (account) return account;
    throw refuseViolations([violation([field], 'unknownReference', { kind: kind ?? 'account', id }, 404)]);
  }

  #find(id: string, kind?: AccountRecord['kind']): AccountRecord | undefined {
    const account = this.#store.accounts.get(id);
    return kind === undefined || kind === account?.kind ? account : undefined;
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function summaryOf({ salt: _salt, digest: _digest, ...summary }: ApiKeyRecord): ApiKeySummary {
  return summary;
}
