import type { Seed, SeedResult } from '../../contract/control/control.ts';
import { violation } from '../../contract/violation.ts';
import { refuseViolations, Refusal } from '../domain/refusal.ts';
import type { ControlledServices } from './controlServices.ts';
import { createKey } from './accountRoutes.ts';

/** Runs the work, and prefixes the errors of its refusal with a path in the seed. */
export function inPart<T>(path: readonly (string | number)[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const where = path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`)).join('');
    const errors =
      error.errors.length > 0
        ? error.errors.map((line) => line.replace(/^\$/, `$$${where}`))
        : [`$${where}: ${error.message}`];
    throw new Refusal(error.status, error.message, errors);
  }
}

/**
 * Adds users, teams, and keys. They are only rows of the store, so a rollback removes them completely.
 *
 * @throws Refusal
 */
export function seedAccounts(
  body: Seed,
  services: ControlledServices,
  endpointOf: (name: string) => string | undefined,
): Pick<SeedResult, 'users' | 'teams' | 'keys'> {
  const { accounts } = services;
  const named = (name: string) => accounts.list().find((account) => account.id === name || account.name === name)?.id;
  const users = body.users.map((user) => accounts.createUser(user).id);
  const teams = body.teams.map(({ ownerId, memberIds, ...team }, index) =>
    inPart(['teams', index], () => {
      const { id } = accounts.createTeam({ ...team, ownerId: ownerId && (named(ownerId) ?? ownerId) });
      for (const [memberIndex, member] of memberIds.entries()) {
        const userId = named(member);
        if (userId === undefined) throw noMember(member, memberIndex);
        accounts.addMember(id, userId);
      }
      return id;
    }),
  );
  const keys = body.keys.map(({ accountId, endpointIds, ...key }, index) =>
    inPart(['keys', index], () => {
      const of = {
        accountId: accountId && (named(accountId) ?? accountId),
        endpointIds: endpointIds?.map((id) => endpointOf(id) ?? id),
      };
      return createKey({ ...key, ...of }, services).key;
    }),
  );
  return { users, teams, keys };
}

function noMember(name: string, index: number) {
  return refuseViolations([violation(['memberIds', index], 'unknownReference', { kind: 'user', id: name }, 404)]);
}
