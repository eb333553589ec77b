import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { chooseFromMenu, createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Debugs the worker of the sample. Each step depends on the previous one. */
describe('debugging a worker', () => {
  skipAfterFailure();

  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    folder = await temporaryFolder();
    await cp(SAMPLE, folder.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: folder.path });
  });

  after(async () => {
    await editor.close();
    await folder.remove();
  });

  it('attaches to the worker of an endpoint from its menu', async () => {
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    await openFile(editor, 'hello.endpoint.yaml');
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

  it('stops at the breakpoint while a job runs, and shows that the worker is debugged', async () => {
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
