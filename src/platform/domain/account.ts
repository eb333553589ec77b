import type { Quotas } from '../../contract/rateLimit.ts';

/* Accounts, their keys, and callers (docs/local-platform.md, Accounts). Times are milliseconds since the epoch. */

/** Account of the platform's owner. The platform is started with its key. Data without an account also belongs to it. */
export const OWNER_ACCOUNT_ID = 'owner';

/** An account with its own resources, bill, and keys. */
export interface AccountRecord {
  readonly id: string;
  readonly kind: 'user' | 'team';
  readonly name: string;
  /** User that owns the team. */
  readonly ownerId?: string | undefined;
  /** Quotas for requests to the management plane. Default: the platform's quotas. */
  readonly quotas?: Quotas | 'unlimited' | undefined;
  /** Quotas for invocations. Default: the platform's quotas, or unlimited if `quotas` is unlimited. */
  readonly invocationQuotas?: Quotas | 'unlimited' | undefined;
  readonly createdAt: number;
}

/** An API key. Only a digest of its secret is stored. */
export interface ApiKeyRecord {
  /** The public part of the key. */
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly salt: string;
  readonly digest: string;
  /** Permissions of the key. Omitted if it has all permissions. */
  readonly permissions?: readonly string[] | undefined;
  /** The only endpoints that the key may call. Omitted if it may call all endpoints of the account. */
  readonly endpointIds?: readonly string[] | undefined;
  readonly createdAt: number;
  /** Time of expiry. Omitted if the key does not expire. */
  readonly expiresAt?: number | undefined;
}

/** The caller of a request, with its permissions and quotas. */
export interface Caller {
  /** Account that owns the caller's resources and pays for them. */
  readonly accountId: string;
  /** Account whose quotas the requests count against. In a session this is the user, even when the user acts for a team. */
  readonly countedAs: string;
  /** undefined selects the platform's default quotas. */
  readonly quotas: AccountRecord['quotas'];
  readonly invocationQuotas: AccountRecord['invocationQuotas'];
  /** undefined grants all permissions. */
  readonly permissions: ReadonlySet<string> | undefined;
  /** undefined allows all endpoints of the account. */
  readonly endpointIds: ReadonlySet<string> | undefined;
  /** True if the caller presented the key that the platform was started with. */
  readonly isPlatformOwner: boolean;
}

/** Returns a caller that has full access to the resources of its account. */
export function callerOf(
  account: Pick<AccountRecord, 'id' | 'quotas' | 'invocationQuotas'>,
  actsFor = account.id,
): Caller {
  const { quotas, invocationQuotas = quotas === 'unlimited' ? quotas : undefined } = account;
  return {
    accountId: actsFor,
    countedAs: account.id,
    quotas,
    invocationQuotas,
    permissions: undefined,
    endpointIds: undefined,
    isPlatformOwner: false,
  };
}

/** Returns the caller that a key identifies. It acts for the key's account, which may be a team, with the key's permissions only. */
export function callerByKey(key: ApiKeyRecord, account: AccountRecord): Caller {
  return {
    ...callerOf(account),
    permissions: key.permissions && new Set(key.permissions),
    endpointIds: key.endpointIds && new Set(key.endpointIds),
  };
}

/** Returns the reason to deny a call, or undefined if the caller has the permission and may use the endpoint. */
export function missingAccess(
  { permissions, endpointIds }: Caller,
  permission: string,
  endpointId: string | undefined,
): string | undefined {
  if (permissions?.has(permission) === false) return `access denied: the key lacks the permission '${permission}'`;
  if (endpointId !== undefined && endpointIds?.has(endpointId) === false)
    return `access denied: the key does not include the endpoint '${endpointId}'`;
  return undefined;
}
