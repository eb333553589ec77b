import * as l10n from '@vscode/l10n';
import { showStatusBarMessage } from '../../kit/messages.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { SilencedStore } from './silencedStore.ts';

const CONFIRMATION_MS = 5_000;

/** Turns the notices of all endpoints of the current connection on again. */
export async function resetIdleNotices(
  { connections }: Pick<AccountServices, 'connections'>,
  silenced: SilencedStore,
): Promise<void> {
  const { profile } = requireConnection(connections);
  const number = await silenced.clear(profile.id);
  const words =
    number === 0
      ? l10n.t('All idle notices were already on')
      : number === 1
        ? l10n.t('Idle notices are on again for 1 endpoint')
        : l10n.t`Idle notices are on again for ${number} endpoints`;
  showStatusBarMessage(words, CONFIRMATION_MS);
}
