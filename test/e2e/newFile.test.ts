import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { chooseQuickPick, startLocalPlatform, waitForLine } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Creates manifests from the menus of the editor. Each step depends on the previous one. */
describe('new endpoint files', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: workspace.path });
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('are in the context menu of folders, and run a worker of the workspace', async () => {
    const { page } = editor;
    await editor.runCommand('View: Show Explorer');
    await editor.treeItem(/^hello$/).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'New Endpoint…' }).hover();
    await editor.screenshot('new-file-1-menu');
    // A new menu ignores clicks for a moment, but accepts keys.
    await page.keyboard.press('Enter');
    await page.getByText('Finds Python and Node.js workers in the workspace').waitFor();
    await editor.screenshot('new-file-2-sources');
    await chooseQuickPick(editor, 'Local Worker');
    await page.locator('.quick-input-list', { hasText: 'takes jobs from a queue' }).waitFor();
    await editor.screenshot('new-file-3-workers');
    await page.keyboard.press('Enter');
    await page.getByText('For JSON, end it with .json').waitFor();
    await page.keyboard.press('Enter');
    await waitForLine(editor, 'command: node handler.mjs');
    await editor.screenshot('new-file-4-created');
  });

  it('are in File: New File…', async () => {
    const { page } = editor;
    await editor.runCommand('Create: New File...');
    await page.locator('.quick-input-list', { hasText: 'New Endpoint…' }).waitFor();
    await editor.screenshot('new-file-5-new-file');
    await page.keyboard.press('Escape');
  });

  it('are linked from the empty view of endpoints', async () => {
    const { page } = editor;
    await startLocalPlatform(editor);
    await page.getByText('There are no endpoints yet').waitFor();
    await editor.screenshot('new-file-6-view');
    await page.getByRole('button', { name: 'New Endpoint', exact: true }).first().click();
    await page.getByText('Finds Python and Node.js workers in the workspace').waitFor();
    await chooseQuickPick(editor, 'Template');
    await page.locator('.quick-input-list', { hasText: 'public catalog, official' }).waitFor();
    await editor.screenshot('new-file-7-templates');
    await page.keyboard.press('Escape');
  });
});
