import type { Quotas } from '../../contract/rateLimit.ts';

/* Who uses the platform (interface document, Authentication). Times are milliseconds since the epoch. */

/** The account of whoever runs the platform: its key is the one the platform was started with. Data from before accounts belongs to it. */
export const OWNER_ACCOUNT_ID = 'owner';

/** Has resources, a bill and keys of its own. */
export interface AccountRecord {
  readonly id: string;
  readonly kind: 'user' | 'team';
  readonly name: string;
  /** The user that a team belongs to. */
  readonly ownerId?: string | undefined;
  /** Quotas for requests to the management plane. Default: the platform's quotas. */
  readonly quotas?: Quotas | 'unlimited' | undefined;
  /** Quotas for invocations. Default: the platform's quotas, or unlimited if `quotas` is unlimited. */
  readonly invocationQuotas?: Quotas | 'unlimited' | undefined;
  readonly createdAt: number;
}

/** An API key without its secret, of which only a digest is kept. */
export interface ApiKeyRecord {
  /** The public part of the key. */
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly salt: string;
  readonly digest: string;
  /** Left out: all there are. */
  readonly permissions?: readonly string[] | undefined;
  /** The only endpoints that may be called with it. Left out: all of the account. */
  readonly endpointIds?: readonly string[] | undefined;
  readonly createdAt: number;
  /** From then on it is not valid. Left out: it does not expire. */
  readonly expiresAt?: number | undefined;
}

/** Whoever makes a request, as far as it matters to what is answered. */
export interface Caller {
  /** Whose resources it sees, and who pays. */
  readonly accountId: string;
  /** Whose requests are counted: of a session its user's, whatever team it acts for. */
  readonly countedAs: string;
  /** undefined: all that the platform grants by default. */
  readonly quotas: AccountRecord['quotas'];
  readonly invocationQuotas: AccountRecord['invocationQuotas'];
  /** undefined: all. */
  readonly permissions: ReadonlySet<string> | undefined;
  /** undefined: all of the account. */
  readonly endpointIds: ReadonlySet<string> | undefined;
  /** Presented the key that the platform was started with. */
  readonly isPlatformOwner: boolean;
}

/** A caller whose account may do everything with what is its own. */
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

/** A key acts for its account, which may be a team, with no more than it was granted. */
export function callerByKey(key: ApiKeyRecord, account: AccountRecord): Caller {
  return {
    ...callerOf(account),
    permissions: key.permissions && new Set(key.permissions),
    endpointIds: key.endpointIds && new Set(key.endpointIds),
  };
}

/** What a caller wants to do that it may not; undefined when it may. */
export function missingAccess(
  { permissions, endpointIds }: Caller,
  permission: string,
  endpointId: string | undefined,
): string | undefined {
  if (permissions?.has(permission) === false) return `access denied: the key lacks the permission '${permission}'`;
  if (endpointId !== undefined && endpointIds?.has(endpointId) === false)
    return `access denied: the key is not for the endpoint '${endpointId}'`;
  return undefined;
}
