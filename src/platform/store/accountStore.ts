import type { AccountRecord, ApiKeyRecord } from '../domain/account.ts';

/** Users, teams, team memberships, and API keys. */
export interface AccountStore {
  /** Does nothing if the account exists. */
  insert(account: AccountRecord): void;
  get(id: string): AccountRecord | undefined;
  /** Returns the accounts in order of creation. */
  list(): AccountRecord[];
  /** Does nothing if the user is a member already. */
  insertMember(teamId: string, userId: string): void;
  deleteMember(teamId: string, userId: string): void;
  isMember(teamId: string, userId: string): boolean;
  /** Returns the IDs of the members, in the order in which they joined. */
  members(teamId: string): string[];
  insertApiKey(key: ApiKeyRecord): void;
  getApiKey(id: string): ApiKeyRecord | undefined;
  /** Returns the keys of one account, or of all accounts, in order of creation. */
  apiKeys(accountId?: string): ApiKeyRecord[];
  /** @returns true if the key existed */
  deleteApiKey(id: string): boolean;
}
