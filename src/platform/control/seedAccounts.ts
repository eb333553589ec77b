import type { Seed, SeedResult } from '../../contract/control/control.ts';
import { violation } from '../../contract/violation.ts';
import { refuseViolations } from '../domain/refusal.ts';
import type { ControlledServices } from './controlServices.ts';
import { createKey } from './createKey.ts';
import { inPart } from './seedPart.ts';

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
