import { cp, rename } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import {
  chooseFromMenu,
  chooseQuickPick,
  createEndpoint,
  openFile,
  row,
  startLocalPlatform,
  waitForLine,
} from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Creates manifests from the menus of the editor, and debugs the worker of the sample. Each step depends on the previous one. */
describe('new endpoint files and their workers', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    // The new file gets the name of the worker.
    await rename(path.join(workspace.path, 'hello.endpoint.yaml'), path.join(workspace.path, 'sample.endpoint.yaml'));
    editor = await openEditor({ workspaceFolder: workspace.path });
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('are created from the context menu of folders, and run a worker of the workspace', async () => {
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

  it('have a menu that attaches a debugger to the worker of their endpoint', async () => {
    await openFile(editor, 'sample.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /^hello.*1 idle/).waitFor();
    await openFile(editor, 'handler.mjs');
    await editor.page.locator('.view-line', { hasText: 'const { name' }).click();
    await editor.page.keyboard.press('F9');
    await editor.page.locator('.codicon-debug-breakpoint').first().waitFor();
    await chooseFromMenu(editor, /^hello/, 'Debug', 'Debug Worker');
    await editor.page.locator('.debug-toolbar').waitFor();
    await row(editor, /^hello/).click();
    await editor.screenshot('debug-1-attached');
  });

  it('stop at a breakpoint while a job runs, and show that the worker is debugged', async () => {
    const { page } = editor;
    await page.locator('.codicon-debug-breakpoint').first().waitFor();
    await openFile(editor, 'hello.job.json');
    await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
    await page.locator('.debug-top-stack-frame-line').first().waitFor();
    await editor.openView('Cloud Compute');
    await row(editor, /being debugged/).waitFor();
    await editor.screenshot('debug-2-breakpoint');
    await page.keyboard.press('F5');
    await page.locator('.debug-top-stack-frame-line').first().waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await row(editor, /being debugged/).waitFor({ state: 'detached' });
  });
});
