import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { findCommand } from './palette.ts';
import { openEditor, temporaryFolder, type Editor } from './harness.ts';

describe('The editor', function () {
  this.timeout(180_000); // The first run on a machine installs the server edition.

  let editor: Editor;
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;

  before(async () => {
    workspace = await temporaryFolder();
    editor = await openEditor({ workspaceFolder: workspace.path });
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
    assert.deepEqual(editor.workbench.processes.alive(), [], 'something outlived the editor');
  });

  it('offers every command of Cloud Compute in the palette', async () => {
    for (const title of await paletteCommands()) {
      await findCommand(editor.page, title);
    }
    await editor.screenshot('editor-palette');
    await editor.page.keyboard.press('Escape');
  });
});

/** The titles of the commands the palette always shows: the others have a condition in "commandPalette". */
async function paletteCommands(): Promise<string[]> {
  interface Manifest {
    contributes: {
      commands: { command: string; title: string; category?: string; enablement?: string }[];
      menus?: Record<string, { command: string }[]>;
    };
  }
  const { contributes } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as Manifest;
  const conditional = new Set((contributes.menus?.['commandPalette'] ?? []).map((entry) => entry.command));
  const titles = contributes.commands
    .filter((one) => !conditional.has(one.command) && one.enablement === undefined)
    .map((one) => (one.category === undefined ? one.title : `${one.category}: ${one.title}`));
  assert.ok(titles.length > 0, 'package.json contributes no command that the palette always shows');
  return titles;
}
