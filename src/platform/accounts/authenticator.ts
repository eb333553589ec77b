import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { TEAM_HEADER } from '../../contract/headers.ts';
import type { Clock } from '../time/clock.ts';
import { callerByKey, callerOf, OWNER_ACCOUNT_ID, type AccountRecord, type Caller } from '../domain/account.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Store } from '../store/store.ts';
import type { Accounts } from './accounts.ts';
import { apiKeyId, isApiKeyOf } from './apiKey.ts';

/** A verified token. */
interface Credential {
  readonly expiresAt: number;
  /** Returns the caller. A session acts for the given team if the user may act for it. */
  readonly caller: (teamId: string | undefined) => Caller;
}

type Headers = Pick<IncomingHttpHeaders, 'authorization'> & Readonly<Record<string, string | string[] | undefined>>;

export interface AuthenticatorOptions {
  /** Key that the platform was started with. */
  readonly apiKey: string;
  readonly accounts: Accounts;
  readonly store: Pick<Store, 'accounts'>;
  readonly clock: Clock;
}

/** Maximum number of cached tokens. A full cache is cleared. */
const MAX_CACHED = 10_000;
/** Syntax of a bearer token (RFC 6750, section 2.1). */
const TOKEN = /^[\w.~+/-]+=*$/;
const TEAM = TEAM_HEADER.toLowerCase();

/** Identifies callers by the owner's key, another API key, or a console session. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #ownerKey: Buffer;
  readonly #owner: Caller;
  /** Cached credentials by the digest of the token. The digest makes the duration of a lookup independent of the token. */
  readonly #cache = new Map<string, Credential>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#ownerKey = Buffer.from(options.apiKey);
    this.#owner = { ...callerOf({ id: OWNER_ACCOUNT_ID }), isPlatformOwner: true };
    options.accounts.onDidChange(() => this.#cache.clear());
  }

  /** @throws Refusal 401, synchronously or through the promise */
  authenticate(headers: Headers): Caller | Promise<Caller> {
    const token = tokenOf(headers.authorization);
    if (this.#isOwnerKey(token)) return this.#owner;
    const team = headers[TEAM];
    const teamId = typeof team === 'string' ? team : undefined;
    const cacheKey = cacheKeyOf(token);
    const cached = this.#cache.get(cacheKey);
    if (cached) return this.#admit(cached, teamId);
    if (!TOKEN.test(token)) throw unauthorized('malformed bearer token', 'invalid_token');
    const checked = this.#check(token);
    if (!(checked instanceof Promise)) return this.#admit(this.#store(cacheKey, checked), teamId);
    return checked.then((credential) => this.#admit(this.#store(cacheKey, credential), teamId));
  }

  /** Returns the caller with an API key; undefined if there is none with the ID, or it has expired. */
  callerByKeyId(id: string): Caller | undefined {
    const { store, clock } = this.#options;
    const key = store.accounts.getApiKey(id);
    const account = key && store.accounts.get(key.accountId);
    return account && clock.now() < (key.expiresAt ?? Infinity) ? callerByKey(key, account) : undefined;
  }

  /** The caller with the key that the platform was started with. */
  get owner(): Caller {
    return this.#owner;
  }

  /** Calls `onEnd` when the headers expire or no longer authenticate the caller. @returns a function that unsubscribes */
  watch(headers: Headers, caller: Caller, onEnd: () => void): () => void {
    const { accounts, clock } = this.#options;
    let over = false;
    let cancelExpiry: (() => void) | undefined;
    const check = async (): Promise<void> => {
      const still = await Promise.resolve()
        .then(() => this.authenticate(headers))
        .catch(() => undefined);
      if (over) return;
      cancelExpiry?.();
      if (still?.accountId !== caller.accountId) {
        onEnd();
        return;
      }
      const left = this.#expiryOf(headers) - clock.now();
      if (left < Infinity) cancelExpiry = clock.after(left, () => void check());
    };
    const unlisten = accounts.onDidChange(() => void check());
    void check();
    return () => {
      over = true;
      cancelExpiry?.();
      unlisten();
    };
  }

  /** Returns the expiry of authenticated headers, in ms since the epoch. */
  #expiryOf({ authorization }: Headers): number {
    return this.#cache.get(cacheKeyOf(tokenOf(authorization)))?.expiresAt ?? Infinity;
  }

  /** Takes the same time for every token of the key's length. The length is not a secret. */
  #isOwnerKey(token: string): boolean {
    const bytes = Buffer.from(token);
    return bytes.length === this.#ownerKey.length && timingSafeEqual(bytes, this.#ownerKey);
  }

  #admit({ expiresAt, caller }: Credential, teamId: string | undefined): Caller {
    if (this.#options.clock.now() >= expiresAt) throw unauthorized('expired bearer token', 'invalid_token');
    return caller(teamId);
  }

  #store(cacheKey: string, credential: Credential | undefined): Credential {
    if (!credential) throw unauthorized('invalid bearer token', 'invalid_token');
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(cacheKey, credential);
    return credential;
  }

  #check(token: string): Credential | undefined | Promise<Credential | undefined> {
    const { store, accounts } = this.#options;
    const id = apiKeyId(token);
    if (id !== undefined) {
      const key = store.accounts.getApiKey(id);
      const account = key && store.accounts.get(key.accountId);
      if (!account || !isApiKeyOf(token, key)) return undefined;
      const caller = callerByKey(key, account);
      return { expiresAt: key.expiresAt ?? Infinity, caller: () => caller };
    }
    return accounts.signer.verify(token)?.then((session) => {
      const user = session && store.accounts.get(session.userId);
      return user && { expiresAt: session.expiresAt, caller: (teamId) => this.#inSession(user, teamId) };
    });
  }

  /** Ignores the team unless the user owns it or belongs to it. The API specifies this instead of an error. */
  #inSession(user: AccountRecord, teamId: string | undefined): Caller {
    const { accounts } = this.#options;
    return callerOf(user, teamId !== undefined && accounts.mayActFor(teamId, user.id) ? teamId : user.id);
  }
}

/** Returns the key of a token in the cache, which does not reveal the token. */
const cacheKeyOf = (token: string): string => hash('sha256', token, 'base64');

/** @throws Refusal 401 */
function tokenOf(authorization: string | undefined): string {
  const header = authorization?.trim() ?? '';
  const bearer = /^Bearer(?: +(.*))?$/i.exec(header);
  const token = bearer ? bearer[1] : header;
  if (token === undefined || token === '') throw unauthorized('missing bearer token');
  if (!bearer) {
    throw unauthorized("malformed Authorization header: it must be 'Bearer <API key>'", 'invalid_request');
  }
  return token;
}

/** HTTP requires a challenge in every 401 response (RFC 6750, section 3). */
function unauthorized(detail: string, error?: string): Refusal {
  const challenge = error === undefined ? 'Bearer' : `Bearer error="${error}"`;
  return new Refusal(401, detail, [], { 'WWW-Authenticate': challenge });
}
