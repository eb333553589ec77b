import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { Lazy } from '../../../kit/lazy.ts';
import type { MetricsReaders } from './metricsPanel.ts';

const VIEW_TYPE = 'cloudCompute.metrics';

/** Registers the metrics views, which the editor restores after a reload. */
export function registerMetrics(
  services: AccountServices,
  readers: MetricsReaders,
): vscode.Disposable & { readonly open: (args: readonly unknown[]) => Promise<void> } {
  const panels = new Lazy(async () => new (await import('./metricsPanels.ts')).MetricsPanels(services, readers));
  const registered = vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      deserializeWebviewPanel: async (panel, stored) => {
        const closed = new AbortController();
        panel.onDidDispose(() => closed.abort());
        const loaded = await panels.get();
        if (!closed.signal.aborted) loaded.restore(panel, stored);
      },
    }),
    new vscode.Disposable(() => panels.value?.dispose()),
  );
  return Object.assign(registered, {
    open: async (args: readonly unknown[]) => (await panels.get()).open(VIEW_TYPE, args),
  });
}
