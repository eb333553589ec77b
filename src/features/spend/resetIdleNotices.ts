import * as l10n from '@vscode/l10n';
import { showStatusBarMessage } from '../../kit/messages.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { SilencedAlerts } from '../../account/endpoints/silencedAlerts.ts';
import type { SilencedStore } from './noticeStores.ts';

const CONFIRMATION_MS = 5_000;

/** Turns the idle notices and the alerts of all endpoints of the current connection on again. */
export async function resetIdleNotices(
  { connections }: Pick<AccountServices, 'connections'>,
  silenced: SilencedStore,
  alerts: SilencedAlerts,
): Promise<void> {
  const { profile } = requireConnection(connections);
  const endpoints = [...(await silenced.clear(profile.id)), ...(await alerts.clear(profile.id))];
  const number = new Set(endpoints).size;
  const words =
    number === 0
      ? l10n.t('All notices were already on')
      : number === 1
        ? l10n.t('Notices are on again for 1 endpoint')
        : l10n.t`Notices are on again for ${number} endpoints`;
  showStatusBarMessage(words, CONFIRMATION_MS);
}
