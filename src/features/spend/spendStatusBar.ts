import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { StatusItem } from '../../kit/statusBar.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { costSettings, onDidChangeCostSettings } from './costSettings.ts';
import type { SpendStore } from './spendStore.ts';
import { spendStatus } from './spendWords.ts';

/** Shows the spend in the status bar while the setting asks for it and a platform is connected. */
export function registerSpendStatusBar(
  { connections }: Pick<AccountServices, 'connections'>,
  store: Pick<SpendStore, 'state' | 'onDidChange'>,
): vscode.Disposable {
  const item = new StatusItem({
    id: 'cloudCompute.spend',
    name: l10n.t('Cloud Compute: Spend'),
    alignment: vscode.StatusBarAlignment.Left,
    priority: 9,
    command: 'cloudCompute.billing.open',
  });
  const render = () => {
    const { statusBar, monthlyBudget } = costSettings();
    const { profile, client } = connections;
    if (statusBar === 'off' || !profile || !client) item.hide();
    else item.show(spendStatus({ amounts: statusBar, state: store.state, budget: monthlyBudget, connection: profile }));
  };
  render();
  return vscode.Disposable.from(
    item,
    store.onDidChange(render),
    connections.onDidChange(render),
    onDidChangeCostSettings(render),
  );
}
