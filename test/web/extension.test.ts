import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, extension, stubbed } from '../vscode/support.ts';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/** Runs a command, and resolves with the error messages that it shows with their buttons. */
async function errorsOf(command: string): Promise<readonly (readonly string[])[]> {
  const shown: string[][] = [];
  const showErrorMessage = (...parts: string[]) => {
    shown.push(parts);
    return Promise.resolve(undefined);
  };
  await stubbed({ showErrorMessage }, () => vscode.commands.executeCommand(command));
  return shown;
}

describe('The extension in a browser', () => {
  it('activates in a host without Node.js', async () => {
    assert.equal(vscode.env.uiKind, vscode.UIKind.Web);
    assert.equal(vscode.env.remoteName, undefined);
    const { isActive } = await activated();
    assert.equal(isActive, true);
  });

  it('registers exactly the commands that its package.json contributes', async () => {
    await activated();
    const { contributes } = extension().packageJSON as Manifest;
    const declared = contributes.commands.map(({ command }) => command);
    const ofViews = /\.(focus|open|resetViewLocation|removeView|toggleVisibility)$/;
    const all = await vscode.commands.getCommands(true);
    const registered = all.filter(
      (id) => id.startsWith('cloudCompute.') && (declared.includes(id) || !ofViews.test(id)),
    );
    assert.deepEqual(registered.sort(), declared.sort());
  });

  it('gives the reason if a command needs a process', async () => {
    await activated();
    for (const command of ['localPlatform.start', 'localPlatform.chooseEngine', 'batch.run', 'fullLog.find']) {
      const [error] = await errorsOf(`cloudCompute.${command}`);
      assert.deepEqual(error, [
        'Could not run the command: this needs VS Code on the desktop or a remote window',
        'Connect to a Platform',
      ]);
    }
  });

  it('offers a connection as the remedy while there is none', async () => {
    await activated();
    const [error] = await errorsOf('cloudCompute.jobs.health');
    assert.deepEqual(error?.slice(1), ['Connect to a Platform']);
  });
});
