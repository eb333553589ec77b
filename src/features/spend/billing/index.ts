import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { createPanel } from '../../../kit/panels.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { BillingPanel } from './billingPanel.ts';

const VIEW_TYPE = 'cloudCompute.billing';

/** Registers the billing view, which charts the spend. There is at most one, and the editor restores it after a reload. */
export function registerBilling(
  services: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections' | 'completedSteps'>,
): vscode.Disposable & { readonly open: () => unknown } {
  let current: vscode.WebviewPanel | undefined;
  let host: BillingPanel | undefined;

  const adopt = async (panel: vscode.WebviewPanel, stored?: unknown): Promise<void> => {
    current = panel;
    services.completedSteps.complete('billing');
    panel.onDidDispose(() => (current = host = undefined));
    const billing = await import('./billingPanel.ts');
    // The panel was closed in the meantime.
    if (current === panel) host = new billing.BillingPanel(services, panel, stored);
  };
  const open = (): Promise<void> | undefined => {
    if (current) {
      current.reveal();
      return undefined;
    }
    requireConnection(services.connections);
    return adopt(createPanel(VIEW_TYPE, l10n.t('Billing')));
  };
  const registered = vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, { deserializeWebviewPanel: adopt }),
    new vscode.Disposable(() => {
      current = undefined;
      host?.dispose();
    }),
  );
  return Object.assign(registered, { open });
}
