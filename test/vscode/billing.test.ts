import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Clock } from '../../src/client/clock.ts';
import { BillingStore } from '../../src/features/billing/billingStore.ts';
import { ConnectionStore } from '../../src/features/connections/connectionStore.ts';
import { json, startScriptedServer, type Script } from '../client/scriptedServer.ts';
import { response } from '../webviews/billing/sample.ts';
import { activated, waitFor } from './support.ts';

const tabsChanged = [vscode.window.tabGroups.onDidChangeTabs] as vscode.Event<never>[];

const billingTabs = () =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('cloudCompute.billing'));

/** Resolves when the view is in front. */
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

  it('opens once, and comes to the front when it is opened again', async () => {
    await vscode.commands.executeCommand('cloudCompute.billing.open');
    await inFront();
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'something else' }));
    await waitFor(tabsChanged, () => billingTabs().every(({ isActive }) => !isActive));
    await vscode.commands.executeCommand('cloudCompute.billing.open');
    await inFront();
    assert.equal(billingTabs().length, 1);
  });

  it('can be opened again after it was closed', async () => {
    await vscode.window.tabGroups.close(billingTabs());
    await waitFor(tabsChanged, () => billingTabs().length === 0);
    await vscode.commands.executeCommand('cloudCompute.billing.open');
    await inFront();
  });
});

describe('The spend', () => {
  const day = response('hour', '2025-11-20T15:00Z', [{ serverlessCpuAmount: 1 }]);
  const secrets = {
    store: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  } as unknown as vscode.SecretStorage;

  /** A store on a server that answers as the test says, and a clock that only moves when the test lets it. */
  async function watch(script: Script) {
    const server = await startScriptedServer(script);
    const resting: (() => void)[] = [];
    const clock: Clock = {
      now: () => 0,
      sleep: (_, signal) =>
        new Promise((resolve, reject) => {
          resting.push(resolve);
          signal?.addEventListener('abort', () => reject(new Error('woken')), { once: true });
        }),
    };
    const connections = new ConnectionStore(secrets);
    await connections.use({ kind: 'hosted', name: 'scripted', ...server.connection });
    const store = new BillingStore(connections, clock);
    const changed = [store.onDidChange] as unknown as vscode.Event<never>[];
    return {
      store,
      connections,
      received: server.received,
      passTime: () => resting.pop()?.(),
      until: (condition: () => boolean) => waitFor(changed, condition),
      [Symbol.asyncDispose]: async () => {
        store.dispose();
        connections.dispose();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  it('is read at once when somebody looks, and again after a while', async () => {
    await using watched = await watch((_, answer) => json(answer, 200, day));
    const { store, received, until, passTime } = watched;
    assert.equal(received.length, 0);
    store.setVisible(true);
    await until(() => store.state.report !== undefined);
    assert.deepEqual(
      received.map((one) => one.path),
      ['/v2/billing?bucketSize=hour&lastN=24'],
    );
    passTime();
    await until(() => received.length === 2 && !store.state.busy);
    store.setVisible(false);
    passTime();
    assert.equal(received.length, 2);
  });

  it('is read anew for another range, and never shown for the one before', async () => {
    await using watched = await watch((_, answer) => json(answer, 200, day));
    const { store, received, until } = watched;
    store.setVisible(true);
    await until(() => store.state.report !== undefined);
    store.setRange('year');
    assert.equal(store.state.report, undefined);
    await until(() => store.state.report !== undefined);
    assert.equal(received.at(-1)?.path, '/v2/billing?bucketSize=month&lastN=12');
  });

  it('stays on the screen when it cannot be read again', async () => {
    const problem = { title: 'Forbidden', status: 403, detail: 'access denied' };
    const answers = [(answer: Parameters<Script>[1]) => json(answer, 200, day)];
    await using watched = await watch((_, answer) => {
      const next = answers.shift();
      if (next) next(answer);
      else json(answer, 403, problem, 'application/problem+json');
    });
    const { store, until } = watched;
    store.setVisible(true);
    await until(() => store.state.report !== undefined);
    store.refresh();
    await until(() => store.state.error !== undefined);
    assert.equal(store.state.error?.kind, 'forbidden');
    assert.deepEqual(store.state.report?.response.records, day.records);
  });

  it('of one connection is not shown for another', async () => {
    await using watched = await watch((_, answer) => json(answer, 200, day));
    const { store, connections, until } = watched;
    store.setVisible(true);
    await until(() => store.state.report !== undefined);
    await connections.forget();
    assert.equal(store.state.report, undefined);
    assert.equal(store.state.busy, false);
  });
});
