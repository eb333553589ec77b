import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { JobWorld } from './jobWorld.ts';
import { nextEvent, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

/* test/e2e/newFile.test.ts hits a breakpoint. */

describe('The tools for developing workers', () => {
  const world = new JobWorld();
  const handler = () => vscode.Uri.joinPath(workspaceFolder(), 'hello', 'handler.mjs');
  let endpointId: string;

  before(async () => {
    await world.start();
  });

  beforeEach(async () => {
    await world.reset();
    endpointId = await world.endpoint('hello', {
      image: `process:${path.dirname(handler().fsPath)}`,
      workers: { min: 1, max: 1 },
      env: { GREETING: 'Hi', API_TOKEN: 'secret-of-the-test' },
      timeout: 60_000,
    });
    await executeCommand('cloudCompute.endpoints.refresh');
  });

  after(() => world.stop());

  const workers = async () => (await world.client.listEndpointWorkers({ id: endpointId })).workers;
  /** Resolves once the condition is met. Only the platform knows of it, so there is no event. */
  async function eventually(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  it('offers a configuration for each endpoint, and reports an unknown endpoint with its remedy', async () => {
    world.choice = undefined;
    const started = await vscode.debug.startDebugging(undefined, {
      ...{ type: 'cloudCompute', request: 'attach', name: 'test', endpoint: 'missing' },
    });
    assert.equal(started, false);
    await world.told(/Could not debug the worker: there is no endpoint “missing”/);
  });

  it('restarts the workers once for a burst of saves, if the setting is on', async () => {
    const settings = vscode.workspace.getConfiguration('cloudCompute.localPlatform');
    await eventually(async () => (await workers()).some(({ status }) => status === 'IDLE'));
    const [before] = await workers();
    await settings.update('restartWorkersOnSave', true, vscode.ConfigurationTarget.Global);
    try {
      const document = await vscode.workspace.openTextDocument(handler());
      for (const text of ['// one\n', '// two\n', '// three\n']) {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(0, 0), text);
        await vscode.workspace.applyEdit(edit);
        // On a busy machine, the editor can refuse a save that directly follows another one.
        await eventually(() => Promise.resolve(document.save()));
      }
      await eventually(async () => {
        const [now] = await workers();
        return now?.status === 'IDLE' && now.startedAt !== before?.startedAt;
      });
      assert.equal((await workers())[0]?.id, before?.id);
    } finally {
      await settings.update('restartWorkersOnSave', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("opens a terminal in the worker's directory, with its variables and without secrets", async () => {
    const opened = nextEvent(vscode.window.onDidOpenTerminal);
    await executeCommand('cloudCompute.develop.openTerminal', { kind: 'endpoint', endpointId });
    const terminal = await opened;
    const options = terminal.creationOptions as vscode.TerminalOptions;
    assert.deepEqual([terminal.name, options.cwd], ['hello', path.dirname(handler().fsPath)]);
    assert.deepEqual(options.env, { GREETING: 'Hi' });
    assert.match(options.message ?? '', /API_TOKEN/);
    terminal.dispose();
  });
});
