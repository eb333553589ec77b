import type { Account, ApiKey } from '../../contract/control/controlAccounts.ts';
import { controlAccountOperations } from '../../contract/control/accountOperations.ts';
import type { ApiKeySummary } from '../accounts/accounts.ts';
import type { AccountRecord } from '../domain/account.ts';
import type { ControlledServices } from './controlServices.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import { createKey } from './createKey.ts';

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
    return { ...keyOf(record), key };
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

function dateTime(ms: number): string {
  return new Date(ms).toISOString();
}
