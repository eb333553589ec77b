import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, extension } from './support.ts';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

describe('The extension', () => {
  it('activates', async () => {
    const { isActive } = await activated();
    assert.equal(isActive, true);
  });

  it('registers every command that its package.json contributes', async () => {
    await activated();
    const registered = new Set(await vscode.commands.getCommands(true));
    const { contributes } = extension().packageJSON as Manifest;
    const missing = contributes.commands.map((one) => one.command).filter((command) => !registered.has(command));
    assert.ok(contributes.commands.length > 0);
    assert.deepEqual(missing, []);
  });
});
