import assert from 'node:assert/strict';
import * as vscode from 'vscode';
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
