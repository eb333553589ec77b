import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated, extension, nextEvent, waitFor } from './support.ts';

const { executeCommand } = vscode.commands;
const opened = [
  vscode.workspace.onDidOpenTextDocument,
  vscode.workspace.onDidChangeTextDocument,
] as vscode.Event<never>[];

describe('The commands of the local platform', () => {
  before(async () => {
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
  });

  after(async () => {
    await executeCommand('cloudCompute.localPlatform.stop');
    await executeCommand('notifications.clearAll');
  });

  /** Returns the actions in the menu of the status bar item. */
  async function menuActions(): Promise<string[]> {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.localPlatform.manage');
    const menu = await page('Manage Local Platform');
    const labels = menu.labels().map((label) => label.replace(/^\$\([\w~-]+\) /, ''));
    // The engine follows the actions.
    const engine = labels.splice(labels.indexOf('Engine for container images'));
    assert.deepEqual([engine.length, engine.at(-1)], [4, 'Switch Connection…']);
    await menu.leave();
    await command;
    done();
    return labels;
  }

  /** Resolves with the text of the platform's log once it contains the words `times` times. */
  async function logged(words: string, times = 1): Promise<string> {
    await executeCommand('cloudCompute.localPlatform.openLog');
    const document = await waitFor(opened, () =>
      vscode.workspace.textDocuments.find(
        (one) => one.uri.scheme === 'output' && one.getText().split(words).length > times,
      ),
    );
    return document.getText();
  }

  it('has its data directory in new terminals and tasks, so that the command line program uses it', async function () {
    // The server edition of VS Code 1.105 never reports the end of a task of this test.
    if (vscode.version.startsWith('1.105.')) this.skip();
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-task-'));
    try {
      const file = path.join(folder, 'printed');
      const print = `require('fs').writeFileSync(${JSON.stringify(file)}, process.env.CLOUD_COMPUTE_DATA_DIR)`;
      const execution = new vscode.ProcessExecution(process.execPath, ['-e', print], {
        env: { ELECTRON_RUN_AS_NODE: '1' },
      });
      const task = new vscode.Task({ type: 'process' }, vscode.TaskScope.Global, 'print', 'test', execution);
      const ended = nextEvent(vscode.tasks.onDidEndTaskProcess);
      await vscode.tasks.executeTask(task);
      assert.equal((await ended).exitCode, 0);
      const directory = await readFile(file, 'utf8');
      assert.ok((await readdir(directory)).includes('platform.lock'), directory);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const running = ['Stop', 'Restart', 'Reset…', 'Open Log', 'Show Data Folder'];

  it('manage: offers the actions of the current state and runs the selected one', async () => {
    assert.deepEqual(await menuActions(), running);
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.localPlatform.manage');
    await (await page('Manage Local Platform')).choose('$(stop-circle) Stop');
    await command;
    done();
    assert.deepEqual(await menuActions(), ['Start', 'Reset…', 'Open Log', 'Show Data Folder']);
    await executeCommand('cloudCompute.localPlatform.start');
    assert.deepEqual(await menuActions(), running);
  });

  it('openLog and restart: the log shows that the platform started again', async () => {
    await logged('platform started', 2);
    await executeCommand('cloudCompute.localPlatform.restart');
    assert.match(await logged('platform started', 3), /\[info\] platform started baseUrl=http:/);
    assert.deepEqual(await menuActions(), running);
  });

  it('reset: lists the data that it deletes, and does nothing unless the user confirms', async () => {
    const refused = inputs();
    await executeCommand('cloudCompute.localPlatform.reset');
    refused.done();
    assert.match(refused.asked[0] ?? '', /Reset the local platform\? This deletes its endpoints, jobs, logs/);
    const { asked, done } = inputs({ confirm: 'Reset' });
    await executeCommand('cloudCompute.localPlatform.reset');
    done();
    assert.equal(asked.length, 1);
    await logged('platform reset');
    assert.deepEqual(await menuActions(), running);
  });

  it('showDataFolder: does not fail', async () => {
    await executeCommand('cloudCompute.localPlatform.showDataFolder');
  });
});

describe('While the local platform is stopped', () => {
  before(async () => {
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
    await executeCommand('cloudCompute.localPlatform.stop');
  });

  after(() => executeCommand('notifications.clearAll'));

  interface PaletteItem {
    readonly command: string;
    readonly when?: string;
  }
  const palette = (extension().packageJSON as { contributes: { menus: { commandPalette: readonly PaletteItem[] } } })
    .contributes.menus.commandPalette;
  // The commands of manifests first ask for the manifest.
  const waiting = palette
    .filter(({ command, when = '' }) => when.startsWith('cloudCompute.callable') && !command.includes('.manifest.'))
    .map(({ command }) => command);

  it('the palette lists the commands that need it', () => {
    assert.ok(waiting.length >= 20);
    for (const command of ['cloudCompute.jobs.run', 'cloudCompute.logs.open', 'cloudCompute.billing.open'])
      assert.ok(waiting.includes(command), command);
  });

  for (const command of waiting)
    it(`${command} offers to start it`, async () => {
      const { showErrorMessage } = vscode.window;
      const offered: unknown[] = [];
      const window = vscode.window as { showErrorMessage: unknown };
      window.showErrorMessage = (_message: string, ...buttons: unknown[]) => {
        offered.push(...buttons);
        return Promise.resolve(undefined);
      };
      await executeCommand(command);
      window.showErrorMessage = showErrorMessage;
      assert.deepEqual(offered, ['Start Local Platform']);
    });
});
