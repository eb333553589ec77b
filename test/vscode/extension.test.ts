import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, extension } from './support.ts';

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
  readonly icon?: string;
}

interface MenuItem {
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
  readonly group?: string;
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly languages: readonly { readonly id: string }[];
    readonly submenus: readonly { readonly id: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
  };
}

const PREFIX = 'cloudCompute.';

/** Resolves with whether an extension provides a file system. The editor has a code of its own for a scheme without a provider. */
async function isProvided(scheme: string): Promise<boolean> {
  const code = await vscode.workspace.fs.stat(vscode.Uri.from({ scheme, path: '/none' })).then(
    () => undefined,
    (error: unknown) => (error as vscode.FileSystemError).code,
  );
  return code !== 'Unavailable';
}

describe('The extension', () => {
  it('provides each file system and language that its package.json announces', async () => {
    await activated();
    const { activationEvents } = extension().packageJSON as Manifest;
    const schemes = activationEvents.flatMap((event) => /^onFileSystem:(.+)$/.exec(event)?.[1] ?? []);
    assert.ok(schemes.length > 5);
    // VS Code restores a tab of these file systems after a restart. Without a provider, the tab shows an error.
    const provided = await Promise.all(schemes.map(isProvided));
    assert.deepEqual(
      schemes.filter((_, at) => !provided[at]),
      [],
    );
    assert.equal(await isProvided('cloud-compute-unknown'), false);
    const known = new Set(await vscode.languages.getLanguages());
    assert.deepEqual(
      contributes.languages.filter(({ id }) => !known.has(id)),
      [],
    );
  });

  const { contributes } = extension().packageJSON as Manifest;
  const commands = new Map(contributes.commands.map((one) => [one.command, one]));
  const submenus = new Set(contributes.submenus.map(({ id }) => id));

  it('registers exactly the commands that its package.json contributes', async () => {
    await activated();
    const all = await vscode.commands.getCommands(true);
    // VS Code itself registers commands for each view.
    const ofViews = /\.(focus|open|resetViewLocation|removeView|toggleVisibility)$/;
    const registered = all.filter((id) => id.startsWith(PREFIX) && (commands.has(id) || !ofViews.test(id)));
    assert.deepEqual(registered.sort(), [...commands.keys()].sort());
  });

  it('gives each command a title, a category, and an icon', () => {
    for (const { command, title, category, icon } of commands.values()) {
      assert.ok(title !== '' && category === 'Cloud Compute' && /^\$\([\w-]+\)$/.test(icon ?? ''), command);
    }
  });

  it('adds only its own commands to menus, each with a condition', () => {
    for (const [menu, items] of Object.entries(contributes.menus)) {
      // The condition of a submenu applies to its commands.
      const isSubmenu = submenus.has(menu);
      for (const { command = '', submenu, when } of items) {
        assert.ok(submenu === undefined ? commands.has(command) : submenus.has(submenu), `${menu}: ${command}`);
        // File: New File… lists every kind of file.
        const isConditional = isSubmenu || menu === 'file/newFile' || (when !== undefined && when !== '');
        assert.ok(isConditional, `${menu}: ${command} is always shown`);
      }
    }
  });

  it('has no inline button for a destructive command', () => {
    const inline = contributes.menus['view/item/context']?.filter(({ group }) => group?.startsWith('inline')) ?? [];
    assert.ok(inline.length > 0);
    assert.deepEqual(
      inline.filter(({ command }) => /delete|remove|reset/i.test(command ?? '') && !/favorite/i.test(command ?? '')),
      [],
    );
  });
});
