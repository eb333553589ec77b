import assert from 'node:assert/strict';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DATA_DIRECTORY } from '../../src/contract/launch/localPlatform.ts';
import { chooseFromMenu, chooseQuickPick, clickAction, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

/** Opens the files of a volume. Each step depends on the previous one. */
describe('the files of a network volume in the editor', () => {
  skipAfterFailure();
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  /** Directory that workers mount. */
  let volume = '';
  screenshotOnFailure(() => editor);
  const shot = (name: string) => editor.screenshot(`volumes-${name}-${screenshotTheme.name}`);

  before(async () => {
    workspace = await temporaryFolder();
    await writeFile(path.join(workspace.path, 'README.md'), '');
    editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('creates a volume', async () => {
    const { page } = editor;
    const answer = async (place: string, text: string): Promise<void> => {
      await page.locator('.quick-input-title', { hasText: place }).waitFor();
      await page.locator('.quick-input-widget input[type="text"]').fill(text);
      await page.keyboard.press('Enter');
    };
    await page.getByRole('button', { name: 'Resources Section' }).click();
    // Without the groups above, the row is visible.
    for (const group of [/^Public Models/, /^Registry Credentials/]) await row(editor, group).click();
    await clickAction(row(editor, /^Network Volumes/), 'Create Network Volume');
    await answer('(1/4)', 'EU-RO-1');
    await page.locator('.quick-input-title', { hasText: '(2/4)' }).waitFor();
    await chooseQuickPick(editor, 'Standard');
    await answer('(3/4)', 'models');
    await answer('(4/4)', '10');
    await row(editor, /^models\s*10 GB · EU-RO-1/).waitFor();
  });

  it('adds its files as a second folder, for which the reloaded window starts the platform again', async () => {
    const volumes = path.join(editor.globalStorage, 'platform', DATA_DIRECTORY.volumes);
    volume = path.join(volumes, (await readdir(volumes))[0] ?? '');
    await writeFile(path.join(volume, 'notes.md'), 'first\n');
    await chooseFromMenu(editor, /^models/, 'Open Files');
    const file = row(editor, /^notes\.md/);
    await editor.page.waitForURL(/[?&]workspace=/);
    // On a busy machine, the server edition can show the new workspace without its folders until a reload.
    await file.waitFor({ timeout: 60_000 }).catch(() => editor.reload());
    await file.waitFor();
    await row(editor, /^README\.md/).waitFor();
    await shot('tree');
  });

  it('compares both versions of a file that a worker has changed meanwhile', async () => {
    const { page } = editor;
    await row(editor, /^notes\.md/).dblclick();
    await page.locator('.view-line', { hasText: 'first' }).click();
    await page.keyboard.type(' and mine');
    await writeFile(path.join(volume, 'notes.md'), 'first, by the worker\n');
    await page.keyboard.press('Control+S');
    await editor.notification("Failed to save 'notes.md'").getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('tab', { name: /Resolve save conflict/ }).waitFor();
    await page.locator('.view-line', { hasText: 'by the worker' }).first().waitFor();
    await shot('conflict');
    assert.equal(await readFile(path.join(volume, 'notes.md'), 'utf8'), 'first, by the worker\n');
    await editor.runCommand('File: Revert File');
    await editor.runCommand('View: Close All Editors');
  });

  it('shows the progress of an upload', async () => {
    const { page } = editor;
    const large = path.join(workspace.path, 'large.bin');
    await writeFile(large, '');
    await truncate(large, 400_000_000);
    await chooseFromMenu(editor, /^models/, 'Upload to Volume…');
    await page.locator('.quick-input-title', { hasText: 'Upload to Volume' }).waitFor();
    await page.locator('.quick-input-widget input[type="text"]').fill(large);
    // The explorer has a row of the file, too.
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'large.bin' }).waitFor();
    await page.keyboard.press('Enter');
    await editor.notification(/Uploading: \d+ MB of \d+ MB/).waitFor();
    await shot('upload');
    await editor.notification('Uploaded 1 file.').waitFor();
  });
});
