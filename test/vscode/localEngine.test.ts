import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated } from './support.ts';

const { executeCommand } = vscode.commands;
const SECTION = 'cloudCompute.localPlatform';

describe('The commands for the engine of the local platform', function () {
  const setting = (name: string) => vscode.workspace.getConfiguration(SECTION).get(name);

  /** Chooses an item of *Choose Container Engine…*, and types the address that it asks for. */
  async function choose(label: string, address?: string): Promise<void> {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.localPlatform.chooseEngine');
    await (await page('Choose Container Engine')).choose(label);
    if (address !== undefined) await (await page('Choose Container Engine')).type(address);
    await command;
    done();
  }

  before(async () => {
    await activated();
  });

  after(async () => {
    for (const name of ['runtime', 'containerEngine', 'gpus'])
      await vscode.workspace.getConfiguration(SECTION).update(name, undefined, vscode.ConfigurationTarget.Global);
    await executeCommand('cloudCompute.localPlatform.stop');
    await executeCommand('notifications.clearAll');
  });

  it('chooseEngine: changes the settings of this machine, and marks the current choice', async () => {
    await choose('$(link) Enter an Address…', ' ssh://me@lab ');
    assert.deepEqual([setting('runtime'), setting('containerEngine')], ['auto', 'ssh://me@lab']);
    await choose('$(debug-step-over) Run Without GPUs');
    assert.equal(setting('gpus'), 'ignore');
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.localPlatform.chooseEngine');
    const menu = await page('Choose Container Engine');
    const marked = menu.labels().filter((_, index) => menu.descriptions()[index] === '$(check) current');
    assert.deepEqual(marked, ['$(link) Enter an Address…', '$(debug-step-over) Run Without GPUs']);
    await menu.leave();
    await command;
    done();
    await choose('$(search) Find Automatically');
    assert.deepEqual([setting('runtime'), setting('containerEngine')], ['auto', '']);
  });

  it('chooseEngine: selects no engine, which the platform applies at its next start', async () => {
    await choose('$(circle-slash) None');
    assert.equal(setting('runtime'), 'process');
    await executeCommand('cloudCompute.localPlatform.start');
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.localPlatform.manage');
    const menu = await page('Manage Local Platform');
    await menu.loaded('$(circle-slash) No Container Engine');
    await menu.leave();
    await command;
    done();
  });

  it('pullImage: asks for an image, and reports that there is no engine', async () => {
    const { showErrorMessage } = vscode.window;
    const shown: string[] = [];
    const showing = (message: string, ...buttons: string[]) => {
      shown.push(message, ...buttons);
      return Promise.resolve(undefined);
    };
    Object.assign(vscode.window, { showErrorMessage: showing });
    const { page, done } = inputs();
    try {
      const command = executeCommand('cloudCompute.localPlatform.pullImage');
      const list = await page('Pull Image');
      await list.type('https://example.com/worker');
      assert.ok(list.labels().includes('$(error) Omit the protocol, such as https://.'));
      await list.type('example/worker:1');
      await command;
    } finally {
      done();
      Object.assign(vscode.window, { showErrorMessage });
    }
    assert.match(shown[0] ?? '', /^Could not pull the image: .*container engine/);
  });
});
