import type { Account, ApiKey, CreateApiKeyBody } from '../../contract/controlAccounts.ts';
import { controlAccountOperations } from '../../contract/operations/controlAccounts.ts';
import type { Violation } from '../../contract/violation.ts';
import type { ApiKeySummary } from '../accounts/accounts.ts';
import { OWNER_ACCOUNT_ID, type AccountRecord } from '../domain/account.ts';
import { refuseViolations } from '../domain/refusal.ts';
import type { App } from '../routes/app.ts';
import type { Services } from '../services.ts';
import { controlRoute } from './controlRoute.ts';

const { listAccounts, createUser, createTeam, createSession } = controlAccountOperations;
const { listTeamMembers, addTeamMember, removeTeamMember } = controlAccountOperations;
const { listApiKeys, createApiKey, revokeApiKey } = controlAccountOperations;

/** Those who may use the platform, and what they prove it with. */
export function accountRoutes(app: App, world: () => Services): void {
  const accounts = () => world().accounts;
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
  controlRoute(app, createApiKey, ({ body: { expiresAt, ...about } }) => {
    const expiry = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    checkKey(about, expiry, world());
    const { key, record } = accounts().createKey({ ...about, expiresAt: expiry });
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

/** A key that could never be used is a mistake that is better told now. @throws Refusal 404 or 422 */
function checkKey(
  { accountId = OWNER_ACCOUNT_ID, endpointIds = [] }: Omit<CreateApiKeyBody, 'expiresAt'>,
  expiresAt: number | undefined,
  { accounts, engine, clock }: Services,
): void {
  const now = clock.now();
  const past: Violation[] =
    expiresAt !== undefined && expiresAt <= now
      ? [{ path: ['expiresAt'], message: `must be later than ${dateTime(now)}, which it is now`, status: 422 }]
      : [];
  // Of an account that there is not, that is what is told.
  const known = accounts.list().some(({ id }) => id === accountId);
  const owned = new Set(
    engine.endpoints().flatMap(({ endpoint }) => (endpoint.accountId === accountId ? [endpoint.id] : [])),
  );
  const unknown = endpointIds.flatMap((id, index): Violation[] =>
    !known || owned.has(id)
      ? []
      : [{ path: ['endpointIds', index], message: `the account has no endpoint '${id}'`, status: 404 }],
  );
  const violations = [...past, ...unknown];
  if (violations.length > 0) throw refuseViolations(violations);
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
