import type { AccountRecord, ApiKeyRecord } from '../../domain/account.ts';
import type { AccountStore } from '../accountStore.ts';
import type { Row } from './rows.ts';
import { mapped, type Statements } from './statements.ts';

/** Accounts, memberships, and API keys in SQLite. */
export function sqliteAccounts({ one, all, run }: Statements): AccountStore {
  return {
    insert: (account) => run('INSERT OR IGNORE INTO accounts VALUES (?, ?)', account.id, JSON.stringify(account)),
    get: (id) => mapped(one('SELECT record FROM accounts WHERE id = ?', id), accountOf),
    list: () => all('SELECT record FROM accounts ORDER BY rowid').map(accountOf),
    insertMember: (teamId, userId) => run('INSERT OR IGNORE INTO team_members VALUES (?, ?)', teamId, userId),
    deleteMember: (teamId, userId) => run('DELETE FROM team_members WHERE team_id = ? AND user_id = ?', teamId, userId),
    isMember: (teamId, userId) =>
      one('SELECT 1 FROM team_members WHERE team_id = ? AND user_id = ?', teamId, userId) !== undefined,
    members: (teamId) =>
      all('SELECT user_id FROM team_members WHERE team_id = ? ORDER BY rowid', teamId).map(
        (row) => row['user_id'] as string,
      ),
    insertApiKey: (key) => run('INSERT INTO api_keys VALUES (?, ?, ?)', key.id, key.accountId, JSON.stringify(key)),
    getApiKey: (id) => mapped(one('SELECT record FROM api_keys WHERE id = ?', id), keyOf),
    apiKeys: (accountId) =>
      (accountId === undefined
        ? all('SELECT record FROM api_keys ORDER BY rowid')
        : all('SELECT record FROM api_keys WHERE account_id = ? ORDER BY rowid', accountId)
      ).map(keyOf),
    deleteApiKey: (id) => run('DELETE FROM api_keys WHERE id = ?', id).changes > 0,
  };
}

const accountOf = ({ record }: Row): AccountRecord => JSON.parse(record as string) as AccountRecord;
const keyOf = ({ record }: Row): ApiKeyRecord => JSON.parse(record as string) as ApiKeyRecord;
