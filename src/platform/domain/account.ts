import * as z from 'zod';
import { AccountId, Moment, Text, Texts } from './recordFields.ts';

/* Accounts, their keys, and callers (docs/platform-options.md, Accounts). Times are milliseconds since the epoch. */

/** Account of the platform's owner. The platform is started with its key. Data without an account also belongs to it. */
export const OWNER_ACCOUNT_ID = 'owner';

/** Maximum quota: RateLimit headers carry integers of up to 15 digits. */
const Quota = z.int().min(1).max(999_999_999_999_999);
const Quotas = z.union([z.literal('unlimited'), z.object({ minute: Quota, hour: Quota, day: Quota })]);

/** An account with its own resources, bill, and keys. */
export const AccountRecord = z.object({
  id: AccountId,
  kind: z.enum(['user', 'team']),
  name: Text,
  /** User that owns the team. */
  ownerId: AccountId.optional(),
  /** Quotas for requests to the management plane. Default: the platform's quotas. */
  quotas: Quotas.optional(),
  /** Quotas for invocations. Default: the platform's quotas, or unlimited if `quotas` is unlimited. */
  invocationQuotas: Quotas.optional(),
  createdAt: Moment,
});
export type AccountRecord = Readonly<z.infer<typeof AccountRecord>>;

/** An API key. Only a digest of its secret is stored. */
export const ApiKeyRecord = z.object({
  /** The public part of the key. */
  id: z.string().regex(/^[a-z0-9]{16}$/),
  accountId: AccountId,
  name: Text,
  salt: Text,
  digest: Text,
  /** Permissions of the key. Omitted if it has all permissions. */
  permissions: Texts.optional(),
  /** The only endpoints that the key may call. Omitted if it may call all endpoints of the account. */
  endpointIds: Texts.optional(),
  createdAt: Moment,
  /** Time of expiry. Omitted if the key does not expire. */
  expiresAt: Moment.optional(),
});
export type ApiKeyRecord = Readonly<z.infer<typeof ApiKeyRecord>>;

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
