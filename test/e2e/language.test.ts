import { cp } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { openFile, row } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

describe('simplified Chinese', () => {
  skipAfterFailure();

  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    folder = await temporaryFolder();
    await cp(SAMPLE, folder.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: folder.path, language: 'zh-cn' });
  });

  after(async () => {
    await editor.close();
    await folder.remove();
  });

  it('is the language of views and their buttons', async () => {
    await editor.openView('Cloud Compute');
    await editor.page.getByRole('button', { name: '连接到平台' }).waitFor();
    await editor.screenshot('language-1-no-connection');
    await editor.page.getByRole('button', { name: '启动本地平台' }).click();
    await editor.page.getByText('还没有端点').waitFor();
  });

  it('is the language of commands, and of the problems of a manifest', async () => {
    const { page } = editor;
    await openFile(editor, 'hello.endpoint.yaml');
    await page.locator('.view-line', { hasText: 'type: QUEUE' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.type('D');
    await page.locator('.squiggly-error').first().waitFor();
    await editor.runCommand('Cloud Compute: 创建端点');
    await editor.notification('必须是以下值之一：QUEUE, LOAD_BALANCER').waitFor();
    await editor.screenshot('language-2-problem');
    await page.keyboard.type('QUEUE');
    await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  it('is the language of rows, messages, and numbers with nouns', async () => {
    await editor.runCommand('Cloud Compute: 创建端点');
    await row(editor, /空闲.*已运行 \d/).waitFor();
    await editor.screenshot('language-3-endpoint');
  });

  it('is the language of webviews', async () => {
    await editor.runCommand('Cloud Compute: 打开账单');
    const frame = await editor.webviewFrame('账单');
    await frame.getByRole('button', { name: '以表格显示' }).waitFor();
    await editor.screenshot('language-4-billing');
  });
});
