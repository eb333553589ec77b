import * as z from 'zod';
import { MAX_IDS, MAX_QUOTA } from '../bounds.ts';
import { PERMISSIONS } from '../permissions.ts';
import { DateTime } from '../dateTime.ts';

/* Users, teams, keys, and sessions in the control API of a local platform, which has no console for them. */

const Name = z.string().trim().min(1).max(200);

const requests = z.int().min(1).max(MAX_QUOTA);

const quotasOf = (description: string) =>
  z
    .union([z.literal('unlimited'), z.strictObject({ minute: requests, hour: requests, day: requests })])
    .meta({ description })
    .optional();

const limits = {
  quotas: quotasOf("Management API requests per window. Default: the platform's quotas."),
  invocationQuotas: quotasOf(
    "Invocations per window. Default: the platform's quotas, or unlimited if quotas is unlimited.",
  ),
};

export const CreateUserBody = z.strictObject({ name: Name, ...limits });
export type CreateUserBody = z.infer<typeof CreateUserBody>;

export const CreateTeamBody = z.strictObject({
  ...CreateUserBody.shape,
  ownerId: z
    .string()
    .optional()
    .meta({ description: 'ID of the user that owns the team. Default: the owner of the platform.' }),
});

export const Account = z.looseObject({
  id: z.string(),
  kind: z.enum(['user', 'team']),
  name: z.string(),
  ownerId: z.string().optional(),
  ...limits,
  createdAt: DateTime,
});
export type Account = z.infer<typeof Account>;

export const AccountList = z.looseObject({ accounts: z.array(Account) });

/** Members of a team, without its owner. */
export const TeamMembers = z.looseObject({ userIds: z.array(z.string()) });

const Permission = z.enum(PERMISSIONS as [string, ...string[]]);

export const CreateApiKeyBody = z.strictObject({
  name: Name,
  accountId: z.string().optional().meta({ description: 'ID of a user or a team. Default: the owner of the platform.' }),
  permissions: z
    .array(Permission)
    .max(MAX_IDS)
    .optional()
    .meta({ description: 'Permissions of the key. Default: all permissions.' }),
  endpointIds: z
    .array(z.string())
    .max(MAX_IDS)
    .optional()
    .meta({ description: 'IDs of the endpoints that the key can call. Default: all endpoints of the account.' }),
  expiresAt: DateTime.optional().meta({
    description: "Time of expiration, by the platform's clock. Default: no expiration.",
  }),
});
export type CreateApiKeyBody = z.infer<typeof CreateApiKeyBody>;

export const ApiKeyQuery = z.strictObject({ accountId: z.string().optional() });

export const ApiKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  accountId: z.string(),
  permissions: z.array(z.string()).optional(),
  endpointIds: z.array(z.string()).optional(),
  createdAt: DateTime,
  expiresAt: DateTime.optional(),
});
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyList = z.looseObject({ keys: z.array(ApiKey) });

export const CreatedApiKey = z.looseObject({
  ...ApiKey.shape,
  key: z.string().meta({ description: 'Bearer token. No other response contains it.' }),
});

const LONGEST_SESSION_MS = 366 * 86_400_000;

export const CreateSessionBody = z.strictObject({
  userId: z.string().optional().meta({ description: 'ID of the user. Default: the owner of the platform.' }),
  lifetimeMs: z
    .int()
    .min(1_000)
    .max(LONGEST_SESSION_MS)
    .optional()
    .meta({ description: 'Lifetime in ms, rounded down to whole seconds. Default: one day.' }),
});

export const Session = z.looseObject({
  token: z.string().meta({ description: 'Bearer token. To act for a team, also send X-Team-Id.' }),
  expiresAt: DateTime,
});
export type Session = z.infer<typeof Session>;
