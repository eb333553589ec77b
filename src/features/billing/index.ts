import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { createPanel } from '../../vscode/panels.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import type { Services } from '../services.ts';
import { BILLING_VIEW_TYPE, BillingPanel } from './billingPanel.ts';

/** Registers the billing view, which charts the spend. There is at most one, and the editor restores it after a reload. */
export function registerBilling(services: Services): vscode.Disposable {
  let current: BillingPanel | undefined;

  const adopt = (panel: vscode.WebviewPanel, stored?: unknown): void => {
    current = new BillingPanel(services, panel, stored);
    services.completedSteps.complete('billing');
    panel.onDidDispose(() => (current = undefined));
  };
  return vscode.Disposable.from(
    registerCommand(services.log, 'cloudCompute.billing.open', l10n.t('Could not open Billing'), () => {
      if (current) {
        current.reveal();
        return;
      }
      requireConnection(services.connections);
      adopt(createPanel(BILLING_VIEW_TYPE, l10n.t('Billing')));
    }),
    vscode.window.registerWebviewPanelSerializer(BILLING_VIEW_TYPE, {
      deserializeWebviewPanel: (panel, stored: unknown) => {
        adopt(panel, stored);
        return Promise.resolve();
      },
    }),
    new vscode.Disposable(() => current?.dispose()),
  );
}
