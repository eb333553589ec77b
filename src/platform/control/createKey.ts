import { millisecondsOf } from '../../contract/dateTime.ts';
import type { CreateApiKeyBody } from '../../contract/control/controlAccounts.ts';
import { violation, type Violation } from '../../contract/violation.ts';
import type { ApiKeySummary } from '../accounts/accounts.ts';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { refuseViolations } from '../domain/refusal.ts';
import type { ControlledServices } from './controlServices.ts';

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
    violations.push(violation(['expiresAt'], 'keyExpired', { now: new Date(now).toISOString() }, 422));
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
