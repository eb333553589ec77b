import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated } from './support.ts';

const { executeCommand } = vscode.commands;

describe('The commands that prepare the local platform for tests', function () {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cc-control-'));
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
  });

  after(async () => {
    await executeCommand('cloudCompute.localPlatform.stop');
    await executeCommand('notifications.clearAll');
    await rm(folder, { recursive: true, force: true });
  });

  interface Shown {
    readonly title: string | undefined;
    readonly labels: readonly string[];
    readonly details: readonly (string | undefined)[];
  }

  /** Runs a command, and chooses the items with these labels in its lists, and types text into its input. Leaves a list without a choice. Returns the lists. */
  async function run(id: string, ...choices: readonly string[]): Promise<readonly Shown[]> {
    const { showQuickPick, showInputBox } = vscode.window;
    const lists: Shown[] = [];
    const left = [...choices];
    const choose = async (
      rows: Thenable<vscode.QuickPickItem[]> | vscode.QuickPickItem[],
      options?: { title?: string },
    ) => {
      const items = await rows;
      lists.push({
        title: options?.title,
        labels: items.map(({ label }) => label),
        details: items.map(({ detail }) => detail),
      });
      const wanted = left.shift();
      const item = items.find(({ label }) => label === wanted);
      assert.ok(wanted === undefined || item, `the list contains ${wanted}`);
      return item;
    };
    const type = (options?: vscode.InputBoxOptions) => {
      const text = left.shift();
      assert.equal(text === undefined ? undefined : options?.validateInput?.(text), undefined);
      return Promise.resolve(text);
    };
    Object.assign(vscode.window, { showQuickPick: choose, showInputBox: type });
    try {
      await executeCommand(id);
    } finally {
      Object.assign(vscode.window, { showQuickPick, showInputBox });
    }
    return lists;
  }

  it('setClock: freezes, advances, and unfreezes the clock', async () => {
    const clockMenu = (...choices: string[]) => run('cloudCompute.localPlatform.setClock', ...choices);
    const advances = ['1 Minute', '1 Hour', '1 Day', '7 Days'].map((time) => `$(debug-step-over) Advance by ${time}`);
    const [menu] = await clockMenu('$(debug-pause) Freeze');
    assert.equal(menu?.title, 'Set Clock of Local Platform');
    assert.deepEqual(menu.labels, [...advances, '$(debug-pause) Freeze']);
    const [frozen] = await clockMenu('$(debug-step-over) Advance by 1 Hour');
    assert.equal(frozen?.labels.at(-1), '$(debug-continue) Unfreeze');
    await clockMenu('$(debug-continue) Unfreeze');
    const [running] = await clockMenu();
    assert.equal(running?.labels.at(-1), '$(debug-pause) Freeze');
  });

  it('setFaults: adds a fault, lists it with its effect, and removes it', async () => {
    const command = 'cloudCompute.localPlatform.setFaults';
    await run(command, 'listTemplates', 'Fail with Status 503', '2');
    const [menu] = await run(command, '$(clear-all) Remove All Faults');
    assert.deepEqual(menu?.labels, [
      '$(add) Add Fault…',
      '$(clear-all) Remove All Faults',
      '$(trash) Remove the Fault of listTemplates',
    ]);
    assert.equal(
      menu.details.at(-1),
      'requests of listTemplates fail with status 503, 2 times. 0 requests affected so far',
    );
    const [targets] = await run(command);
    assert.equal(targets?.labels[0], 'All Operations');
  });

  it('seed: shows the content of the file and its commands, and adds it only after consent', async () => {
    const file = vscode.Uri.file(path.join(folder, 'seed.json'));
    const endpoint = {
      ...{ name: 'seeded', type: 'QUEUE', image: 'process:/tmp', args: 'node none.mjs', disk: 5, timeout: 60_000 },
      ...{ workers: { min: 0, max: 0 }, scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    };
    await writeFile(file.fsPath, JSON.stringify({ endpoints: [endpoint] }));
    const names = async () => {
      const { content } = await vscode.lm.invokeTool('cloudCompute_read_endpoints', {
        input: { nameContains: 'seeded' },
        toolInvocationToken: undefined,
      });
      const [part] = content as [vscode.LanguageModelTextPart];
      return (JSON.parse(part.value) as { endpoints: { name: string }[] }).endpoints.map(({ name }) => name);
    };
    const refused = inputs();
    await executeCommand('cloudCompute.localPlatform.seed', file);
    refused.done();
    assert.deepEqual(refused.asked, [
      'Add the test data of “seed.json”? endpoints (1)\n“seeded” runs a command on this machine.',
    ]);
    assert.deepEqual(await names(), []);
    const agreed = inputs({ confirm: 'Add' });
    await executeCommand('cloudCompute.localPlatform.seed', file);
    agreed.done();
    assert.deepEqual(await names(), ['seeded']);
  });
});
