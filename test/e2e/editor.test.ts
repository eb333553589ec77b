import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readManifest } from '../../scripts/l10n/packageTexts.ts';
import { findCommand } from './palette.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';

describe('editor', () => {
  let editor: Editor;
  const workspace = temporaryFolder();
  const userDataDir = temporaryFolder();
  screenshotOnFailure(() => editor);

  const open = async (): Promise<Editor> =>
    openEditor({ workspaceFolder: (await workspace).path, userDataDir: (await userDataDir).path });

  async function close(): Promise<void> {
    await editor.close();
    assert.deepEqual(editor.workbench.processes.alive(), [], 'the editor left processes running');
  }

  before(async () => {
    await writeFile(path.join((await workspace).path, 'notes.md'), '# Remember the milk');
    editor = await open();
  });

  after(async () => {
    await close();
    await (await workspace).remove();
    await (await userDataDir).remove();
  });

  it('lists the commands of Cloud Compute in the command palette', async () => {
    for (const title of await paletteCommands()) {
      await findCommand(editor.page, title);
    }
    await editor.screenshot('editor-palette');
    await editor.page.keyboard.press('Escape');
  });

  it('shows webviews, and restores open editors after a restart', async () => {
    await editor.page.getByRole('treeitem', { name: 'notes.md' }).dblclick();
    await editor.page.getByRole('tab', { name: 'notes.md' }).waitFor();
    await editor.runCommand('Markdown: Open Preview');
    await (await editor.webviewFrame('Preview notes.md')).getByText('Remember the milk').waitFor();
    await editor.screenshot('editor-webview');
    await editor.whenStored('tabs', 'Preview notes.md');
    await close();

    const { port } = editor.workbench;
    editor = await open();
    assert.equal(editor.workbench.port, port);
    for (const name of ['notes.md', 'Preview notes.md']) {
      await editor.page.getByRole('tab', { name, exact: true }).waitFor();
    }
  });
});

/** Resolves with the titles of the commands that the palette always shows. The other commands have a `when` clause in "commandPalette". */
async function paletteCommands(): Promise<string[]> {
  interface Manifest {
    contributes: {
      commands: { command: string; title: string; category?: string; enablement?: string }[];
      menus?: Record<string, { command: string }[]>;
    };
  }
  const { contributes } = (await readManifest()) as Manifest;
  const conditional = new Set((contributes.menus?.['commandPalette'] ?? []).map((entry) => entry.command));
  const titles = contributes.commands
    .filter((one) => !conditional.has(one.command) && one.enablement === undefined)
    .map((one) => (one.category === undefined ? one.title : `${one.category}: ${one.title}`));
  assert.ok(titles.length > 0, 'package.json contributes no command that the palette always shows');
  return titles;
}
