import {
  type Account,
  type ApiKey,
  type CreateApiKeyBody,
  controlAccountOperations,
} from '../../contract/control/controlAccounts.ts';
import type { ApiKeySummary } from '../accounts/accounts.ts';
import { type AccountRecord, OWNER_ACCOUNT_ID } from '../domain/account.ts';
import type { ControlledServices } from './controlServices.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import { dateTime, millisecondsOf } from '../../contract/dateTime.ts';
import { violation, type Violation } from '../../contract/violation.ts';
import { refuseViolations } from '../domain/refusal.ts';

const { listAccounts, createUser, createTeam, createSession } = controlAccountOperations;
const { listTeamMembers, addTeamMember, removeTeamMember } = controlAccountOperations;
const { listApiKeys, createApiKey, revokeApiKey } = controlAccountOperations;

/** Routes for users, teams, keys, and sessions. */
export function accountRoutes(app: ControlApp, instance: () => ControlledServices): void {
  const accounts = () => instance().accounts;
  controlRoute(app, listAccounts, () => ({ accounts: accounts().list().map(accountOf) }));
  controlRoute(app, createUser, ({ body }) => accountOf(accounts().createUser(body)));
  controlRoute(app, createTeam, ({ body }) => accountOf(accounts().createTeam(body)));
  controlRoute(app, listTeamMembers, ({ parameters: { teamId } }) => ({ userIds: accounts().members(teamId) }));
  controlRoute(app, addTeamMember, ({ parameters: { teamId, userId } }) => {
    accounts().addMember(teamId, userId);
    return undefined;
  });
  controlRoute(app, removeTeamMember, ({ parameters: { teamId, userId } }) => {
    accounts().removeMember(teamId, userId);
    return undefined;
  });
  controlRoute(app, listApiKeys, ({ query: { accountId } }) => ({ keys: accounts().keys(accountId).map(keyOf) }));
  controlRoute(app, createApiKey, ({ body }) => {
    const { key, record } = createKey(body, instance());
    const { accessKeyId, secretAccessKey } = instance().s3KeyOf(record.id);
    return { ...keyOf(record), key, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey };
  });
  controlRoute(app, revokeApiKey, ({ parameters: { id } }) => {
    accounts().revokeKey(id);
    return undefined;
  });
  controlRoute(app, createSession, async ({ body: { userId, lifetimeMs } }) => {
    const { token, expiresAt } = await accounts().createSession(userId, lifetimeMs);
    return { token, expiresAt: dateTime(expiresAt) };
  });
}

function accountOf({ createdAt, ...account }: AccountRecord): Account {
  return { ...account, createdAt: dateTime(createdAt) };
}

function keyOf({ createdAt, expiresAt, permissions, endpointIds, ...key }: ApiKeySummary): ApiKey {
  return {
    ...key,
    ...(permissions ? { permissions: [...permissions] } : {}),
    ...(endpointIds ? { endpointIds: [...endpointIds] } : {}),
    createdAt: dateTime(createdAt),
    ...(expiresAt === undefined ? {} : { expiresAt: dateTime(expiresAt) }),
  };
}

/** Creates an API key. Rejects a key that could never be used. @throws Refusal 404 or 422 */
export function createKey(
  { expiresAt: expiry, ...about }: CreateApiKeyBody,
  { accounts, contents, clock }: ControlledServices,
): { key: string; record: ApiKeySummary } {
  const { accountId = OWNER_ACCOUNT_ID, endpointIds = [] } = about;
  const now = clock.now();
  const expiresAt = expiry === undefined ? undefined : millisecondsOf(expiry);
  const violations: Violation[] = [];
  if (expiresAt !== undefined && expiresAt <= now) {
    violations.push(violation(['expiresAt'], 'keyExpired', { now: dateTime(now) }, 422));
  }
  // For an unknown account, `accounts.createKey` reports only that.
  if (accounts.list().some(({ id }) => id === accountId)) {
    const owned = contents.endpoints().filter((endpoint) => endpoint.accountId === accountId);
    for (const [index, id] of endpointIds.entries()) {
      if (owned.some((endpoint) => endpoint.id === id)) continue;
      violations.push(violation(['endpointIds', index], 'foreignEndpoint', { id }, 404));
    }
  }
  if (violations.length > 0) throw refuseViolations(violations);
  return accounts.createKey({ ...about, expiresAt });
}
