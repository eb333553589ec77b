import * as z from 'zod';
import { MAX_IDS, MAX_QUOTA } from '../bounds.ts';
import { PERMISSIONS } from '../permissions.ts';
import { DateTime } from '../schema.ts';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';

/* Users, teams, keys, and sessions in the control API of a local platform, which has no console for them. */

const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .meta({ description: 'Display name. Leading and trailing blanks are removed.' });

/** @param window length of the window */
const requestsPer = (window: string) =>
  z
    .int()
    .min(1)
    .max(MAX_QUOTA)
    .meta({ description: `Maximum number of requests per ${window}.` });

const quotasOf = (description: string) =>
  z
    .union([
      z.literal('unlimited'),
      z.strictObject({ minute: requestsPer('minute'), hour: requestsPer('hour'), day: requestsPer('day') }),
    ])
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
  id: z.string().meta({ description: 'ID of the account.' }),
  kind: z.enum(['user', 'team']).meta({ description: 'Kind of account.' }),
  name: z.string().meta({ description: 'Display name.' }),
  ownerId: z.string().optional().meta({ description: 'ID of the user that owns the team. Omitted for users.' }),
  ...limits,
  createdAt: DateTime.meta({ description: 'Time of creation, as an RFC 3339 date-time.' }),
});
export type Account = z.infer<typeof Account>;

const AccountList = z.looseObject({
  accounts: z.array(Account).meta({ description: 'Users and teams, with the owner of the platform first.' }),
});

/** Members of a team, without its owner. */
const TeamMembers = z.looseObject({
  userIds: z.array(z.string()).meta({ description: 'IDs of the members, without the owner.' }),
});

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

const ApiKeyQuery = z.strictObject({
  accountId: z
    .string()
    .optional()
    .meta({ description: 'ID of the user or team that has the keys. Default: all accounts.' }),
});

export const ApiKey = z.looseObject({
  id: z.string().meta({ description: 'ID of the key.' }),
  name: z.string().meta({ description: 'Display name.' }),
  accountId: z.string().meta({ description: 'ID of the user or team that has the key.' }),
  permissions: z
    .array(z.string())
    .optional()
    .meta({ description: 'Permissions of the key. Omitted: all permissions.' }),
  endpointIds: z
    .array(z.string())
    .optional()
    .meta({ description: 'IDs of the endpoints that the key can call. Omitted: all endpoints of the account.' }),
  createdAt: DateTime.meta({ description: 'Time of creation, as an RFC 3339 date-time.' }),
  expiresAt: DateTime.optional().meta({
    description: 'Time of expiration, as an RFC 3339 date-time. Omitted: no expiration.',
  }),
});
export type ApiKey = z.infer<typeof ApiKey>;

const ApiKeyList = z.looseObject({
  keys: z.array(ApiKey).meta({ description: 'API keys, without their bearer tokens.' }),
});

const CreatedApiKey = z.looseObject({
  ...ApiKey.shape,
  key: z.string().meta({ description: 'Bearer token. No other response contains it.' }),
  s3AccessKeyId: z.string().meta({ description: 'Access key ID for the S3 interface, which is the ID of the key.' }),
  s3SecretAccessKey: z
    .string()
    .meta({ description: 'Secret access key for the S3 interface. No other response contains it.' }),
});

const LONGEST_SESSION_MS = 366 * 86_400_000;

const CreateSessionBody = z.strictObject({
  userId: z.string().optional().meta({ description: 'ID of the user. Default: the owner of the platform.' }),
  lifetimeMs: z
    .int()
    .min(1_000)
    .max(LONGEST_SESSION_MS)
    .optional()
    .meta({ description: 'Lifetime in ms, rounded down to whole seconds. Default: one day.' }),
});

const Session = z.looseObject({
  token: z.string().meta({ description: 'Bearer token. To act for a team, also send X-Team-Id.' }),
  expiresAt: DateTime.meta({ description: 'Time of expiration, as an RFC 3339 date-time.' }),
});
type Session = z.infer<typeof Session>;

const accounts = {
  address: 'baseUrl',
  errorFormat: 'problem',
  invalid: 422,
  tag: 'Accounts',
} as const;

/** Operations of the control API for users, teams, keys, and sessions. */
export const controlAccountOperations = {
  listAccounts: operation({
    ...accounts,
    method: 'GET',
    path: `${CONTROL_PATH}/accounts`,
    summary: 'List the users and teams, with the owner of the platform first',
    success: { status: 200, body: AccountList },
    errors: [],
  }),
  createUser: operation({
    ...accounts,
    method: 'POST',
    path: `${CONTROL_PATH}/users`,
    summary: 'Create a user with separate resources, bills, and keys',
    body: CreateUserBody,
    success: { status: 201, body: Account },
    errors: [422],
  }),
  createTeam: operation({
    ...accounts,
    method: 'POST',
    path: `${CONTROL_PATH}/teams`,
    summary: 'Create a team whose owner and members share its resources',
    body: CreateTeamBody,
    success: { status: 201, body: Account },
    errors: [404, 422],
  }),
  listTeamMembers: operation({
    ...accounts,
    method: 'GET',
    path: `${CONTROL_PATH}/teams/{teamId}/members`,
    summary: 'List the members of a team, without its owner',
    success: { status: 200, body: TeamMembers },
    errors: [404],
  }),
  addTeamMember: operation({
    ...accounts,
    method: 'PUT',
    path: `${CONTROL_PATH}/teams/{teamId}/members/{userId}`,
    summary: 'Add a user to a team',
    success: { status: 204 },
    errors: [404],
  }),
  removeTeamMember: operation({
    ...accounts,
    method: 'DELETE',
    path: `${CONTROL_PATH}/teams/{teamId}/members/{userId}`,
    summary: 'Remove a user from a team',
    success: { status: 204 },
    errors: [404],
  }),
  listApiKeys: operation({
    ...accounts,
    method: 'GET',
    path: `${CONTROL_PATH}/keys`,
    summary: 'List the API keys of one account or of all accounts, without their secrets',
    query: ApiKeyQuery,
    success: { status: 200, body: ApiKeyList },
    errors: [422],
  }),
  createApiKey: operation({
    ...accounts,
    method: 'POST',
    path: `${CONTROL_PATH}/keys`,
    summary: 'Create an API key, which no other response shows',
    body: CreateApiKeyBody,
    success: { status: 201, body: CreatedApiKey },
    errors: [404, 422],
  }),
  revokeApiKey: operation({
    ...accounts,
    method: 'DELETE',
    path: `${CONTROL_PATH}/keys/{id}`,
    summary: 'Revoke an API key',
    success: { status: 204 },
    errors: [404],
  }),
  createSession: operation({
    ...accounts,
    method: 'POST',
    path: `${CONTROL_PATH}/sessions`,
    summary: 'Sign in a user, as a console does',
    body: CreateSessionBody,
    success: { status: 201, body: Session },
    errors: [404, 422],
  }),
} as const;
