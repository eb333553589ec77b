import type { AccountRecord, ApiKeyRecord } from '../domain/account.ts';

/** Users, teams, who belongs to which, and their keys. */
export interface AccountStore {
  /** One that is known already stays as it is. */
  insertAccount(account: AccountRecord): void;
  getAccount(id: string): AccountRecord | undefined;
  /** In the order they were created. */
  listAccounts(): AccountRecord[];
  /** A user that belongs to the team already does so still. */
  insertMember(teamId: string, userId: string): void;
  deleteMember(teamId: string, userId: string): void;
  isMember(teamId: string, userId: string): boolean;
  /** Ids of users, in the order they joined. */
  listMembers(teamId: string): string[];
  insertApiKey(key: ApiKeyRecord): void;
  getApiKey(id: string): ApiKeyRecord | undefined;
  /** In the order they were created; of one account, or all. */
  listApiKeys(accountId?: string): ApiKeyRecord[];
  /** @returns whether there was one */
  deleteApiKey(id: string): boolean;
}
