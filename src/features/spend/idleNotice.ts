import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showError } from '../../kit/errors.ts';
import { showMessage } from '../../kit/messages.ts';
import { Poller } from '../../kit/poller.ts';
import { accountOf } from '../../account/connections/storedConnections.ts';
import { requireConnectionOf } from '../../account/connections/requireConnection.ts';
import { askAndScale } from '../endpoints/index.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { costSettings } from './costSettings.ts';
import { IdleWatch, type IdleEndpoint, idleWords } from './model/idleWatch.ts';
import { priceSource } from '../../account/prices/treeCosts.ts';
import type { SilencedStore } from './noticeStores.ts';

/** Interval of checks without a change of the endpoints, in ms. A check sends no requests. */
const CHECK_EVERY_MS = 60_000;
const MINUTE_MS = 60_000;

type NoticeServices = Pick<AccountServices, 'connections' | 'endpoints' | 'liveValues' | 'clock' | 'log'>;

/** Shows a notice when workers have been idle for as long as the setting says. Shows one notice per endpoint and idle period. */
export function registerIdleNotice(services: NoticeServices, silenced: SilencedStore): vscode.Disposable {
  const { connections, endpoints, clock, log } = services;
  const watch = new IdleWatch();
  let account: string | undefined;

  const check = () => {
    const { profile } = connections;
    const current = profile && accountOf(profile);
    if (current !== account) watch.clear();
    account = current;
    const { idleNoticeMinutes } = costSettings();
    const longMs = idleNoticeMinutes === 0 ? Infinity : idleNoticeMinutes * MINUTE_MS;
    const found = watch.update(endpoints.endpoints, (id) => endpoints.readAt(id), longMs);
    for (const idle of found)
      if (profile && !silenced.has(profile.id, idle.snapshot.endpoint.id))
        show(profile.id, idle).catch((error: unknown) => showError(log, error, l10n.t('Could not scale the endpoint')));
  };
  const show = async (connectionId: string, idle: IdleEndpoint): Promise<void> => {
    const { id, workers } = idle.snapshot.endpoint;
    const message = idleWords(idle, priceSource(services), connections.profile?.kind === 'local');
    const [scale, never] = [l10n.t('Scale to 0…'), l10n.t('Not Again for This Endpoint')] as const;
    const chosen = await showMessage('information', message, scale, never);
    if (chosen === never) await silenced.add(connectionId, id);
    if (chosen === scale) {
      requireConnectionOf(connections, connectionId);
      // With no minimum, only a maximum of 0 stops workers before their idle timeout.
      const range = workers.min > 0 ? { min: 0, max: workers.max } : { min: 0, max: 0 };
      await askAndScale(services, [{ kind: 'endpoint', endpointId: id }], range);
    }
  };
  const poller = new Poller({
    clock,
    poll: () => {
      check();
      return Promise.resolve();
    },
    interval: () => CHECK_EVERY_MS,
  });
  poller.setOn(true);
  return vscode.Disposable.from(new vscode.Disposable(() => poller.setOn(false)), endpoints.onDidChange(check));
}
