import type { AccountRecord, ApiKeyRecord } from '../domain/account.ts';

/** Users, teams, who belongs to which, and their keys. */
export interface AccountStore {
  /** One that is known already stays as it is. */
  insert(account: AccountRecord): void;
  get(id: string): AccountRecord | undefined;
  /** In the order they were created. */
  list(): AccountRecord[];
  /** A user that belongs to the team already does so still. */
  insertMember(teamId: string, userId: string): void;
  deleteMember(teamId: string, userId: string): void;
  isMember(teamId: string, userId: string): boolean;
  /** Ids of users, in the order they joined. */
  members(teamId: string): string[];
  insertApiKey(key: ApiKeyRecord): void;
  getApiKey(id: string): ApiKeyRecord | undefined;
  /** In the order they were created; of one account, or all. */
  apiKeys(accountId?: string): ApiKeyRecord[];
  /** @returns whether there was one */
  deleteApiKey(id: string): boolean;
}
