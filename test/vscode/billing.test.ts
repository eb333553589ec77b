import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AccountServices } from '../../src/account/accountServices.ts';
import { systemClock } from '../../src/client/clock.ts';
import { BillingPanel } from '../../src/features/spend/billing/billingPanel.ts';
import type { BillingSelection, BillingToHost, BillingToWebview } from '../../src/webviews/billing/messages.ts';
import { activated, waitFor } from './support.ts';

const tabsChanged = [vscode.window.tabGroups.onDidChangeTabs] as vscode.Event<never>[];

const billingTabs = () =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('cloudCompute.billing'));

/** Resolves once the view is the active tab. */
const inFront = () => waitFor(tabsChanged, () => billingTabs().some(({ isActive }) => isActive));

describe('The billing view', () => {
  before(async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
  });

  it('has only one tab, which becomes active when the view is opened again', async () => {
    await vscode.commands.executeCommand('cloudCompute.billing.open');
    await inFront();
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'something else' }));
    await waitFor(tabsChanged, () => billingTabs().every(({ isActive }) => !isActive));
    await vscode.commands.executeCommand('cloudCompute.billing.open');
    await inFront();
    assert.equal(billingTabs().length, 1);
  });

  it('opens again after its tab was closed', async () => {
    await vscode.window.tabGroups.close(billingTabs());
    await waitFor(tabsChanged, () => billingTabs().length === 0);
    await vscode.commands.executeCommand('cloudCompute.billing.open');
    await inFront();
  });
});

describe('The choices of the billing view', () => {
  const chosen: BillingSelection = { period: 'last', bucketSize: 'day', grouping: 'endpoint', count: 7 };

  /** A window of an editor whose storage all windows share, without a connection. */
  function world() {
    const values = new Map<string, unknown>();
    const globalState = {
      get: (key: string) => values.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
    };
    const services = {
      clock: systemClock,
      log: { warn: (message: string) => assert.fail(message) },
      connections: {
        profile: undefined,
        client: undefined,
        hosted: [],
        onDidChange: () => ({ dispose: () => undefined }),
      },
      context: {
        globalState,
        extensionUri: vscode.extensions.getExtension('cloud-compute.cloud-compute')?.extensionUri,
      },
    } as unknown as AccountServices;
    return {
      /** Opens the view. @param stored state that the page kept before a reload */
      open: (stored?: unknown) => {
        const received = new vscode.EventEmitter<BillingToHost>();
        const never = new vscode.EventEmitter<never>().event;
        const sent: BillingToWebview[] = [];
        const webview = {
          ...{ cspSource: 'none', options: {}, html: '', onDidReceiveMessage: received.event },
          asWebviewUri: (uri: vscode.Uri) => uri,
          postMessage: (message: BillingToWebview) => Promise.resolve(sent.push(message) > 0),
        };
        const panel = { webview, visible: false, onDidChangeViewState: never, onDidDispose: never };
        const host = new BillingPanel(services, panel as unknown as vscode.WebviewPanel, stored);
        return {
          send: (message: BillingToHost) => received.fire(message),
          /** Returns the selection that a page shows after it has loaded. */
          shown() {
            received.fire({ type: 'ready' });
            return sent.flatMap((message) => (message.type === 'view' ? [message.view.selection] : [])).at(-1);
          },
          close: () => host.dispose(),
        };
      },
    };
  }

  it('are remembered when the view is opened again', () => {
    const { open } = world();
    const first = open();
    first.send({ type: 'select', change: chosen });
    first.close();
    const second = open();
    assert.deepEqual(second.shown(), chosen);
    second.close();
  });

  it('are those of the page after a reload of the window', () => {
    const { open } = world();
    const first = open();
    first.send({ type: 'select', change: { ...chosen, count: 3 } });
    first.close();
    const restored = open({ selection: chosen });
    assert.deepEqual(restored.shown(), chosen);
    restored.close();
  });

  it('are the default ones if the stored ones are damaged', () => {
    const { open } = world();
    const panel = open({ selection: { period: 'eternity' } });
    const fresh = world().open();
    assert.ok(fresh.shown());
    assert.deepEqual(panel.shown(), fresh.shown());
    for (const one of [panel, fresh]) one.close();
  });
});
