import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { findCommand } from './palette.ts';
import { openEditor, screenshotOnFailure, temporaryFolder, type Editor } from './harness.ts';

describe('The editor', function () {
  this.timeout(180_000); // The first run on a machine installs the server edition.

  let editor: Editor | undefined;
  const workspace = temporaryFolder();
  const userDataDir = temporaryFolder();
  screenshotOnFailure(() => editor);

  const open = async (): Promise<Editor> => {
    const folder = (await workspace).path;
    await writeFile(path.join(folder, 'notes.md'), '# Remember the milk');
    editor = await openEditor({ workspaceFolder: folder, userDataDir: (await userDataDir).path });
    return editor;
  };

  afterEach(async () => {
    await editor?.close();
    const left = editor?.workbench.processes.alive() ?? [];
    editor = undefined;
    assert.deepEqual(left, [], 'something outlived the editor');
  });

  after(async () => {
    await (await workspace).remove();
    await (await userDataDir).remove();
  });

  it('offers every command of Cloud Compute in the palette', async () => {
    const { page, screenshot } = await open();
    for (const title of await paletteCommands()) {
      await findCommand(page, title);
    }
    await screenshot('editor-palette');
  });

  it('shows webviews, and after closing and reopening what was open before', async () => {
    const first = await open();
    await first.page.getByRole('treeitem', { name: 'notes.md' }).dblclick();
    await first.page.getByRole('tab', { name: 'notes.md' }).waitFor();
    await first.runCommand('Markdown: Open Preview');
    await (await first.webviewFrame('Preview notes.md')).getByText('Remember the milk').waitFor();
    await first.screenshot('editor-webview');
    await first.whenStored('Preview notes.md');
    await first.close();

    const second = await open();
    assert.equal(second.workbench.port, first.workbench.port);
    for (const name of ['notes.md', 'Preview notes.md']) {
      await second.page.getByRole('tab', { name, exact: true }).waitFor();
    }
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
