import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { chooseFromMenu, createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Shows costs on the local platform. Each step depends on the previous one. */
describe('costs', function () {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    const file = path.join(workspace.path, 'hello.endpoint.yaml');
    const manifest = await readFile(file, 'utf8');
    await writeFile(file, manifest.replace(/^workers:.*(?:\n {2}.*)*/m, 'workers: { min: 2, max: 3 }'));
    editor = await openEditor({
      workspaceFolder: workspace.path,
      theme: screenshotTheme.title,
      settings: { 'cloudCompute.costs.statusBar': 'both' },
    });
    await startLocalPlatform(editor);
    await openFile(editor, 'hello.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /^hello.*2 idle/).waitFor();
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('are in the rows of the endpoint and its workers', async () => {
    await row(editor, /^hello.*2 idle · \$[\d.]+\/h/).waitFor();
    await row(editor, /idle · \$[\d.]+\/h · up .* · CPU/).waitFor();
    await editor.screenshot(`costs-1-tree-${screenshotTheme.name}`);
  });

  it('are in the tooltip of the endpoint', async () => {
    await row(editor, /^hello/).hover();
    await editor.page.locator('.monaco-hover', { hasText: /Cost now[\s\S]*at hosted prices[\s\S]*today/ }).waitFor();
    await editor.screenshot(`costs-2-tooltip-${screenshotTheme.name}`);
    await editor.page.keyboard.press('Escape');
  });

  it('of today and of this month are in the status bar', async () => {
    const item = editor.page.locator('.statusbar-item', { hasText: /today · .* this month/ });
    await item.hover();
    await editor.page.locator('.monaco-hover', { hasText: 'The local platform is free' }).waitFor();
    await editor.screenshot(`costs-3-status-bar-${screenshotTheme.name}`);
    await editor.page.keyboard.press('Escape');
  });

  it('are estimated from the menu of the endpoint', async () => {
    const { page } = editor;
    await chooseFromMenu(editor, /^hello/, 'Scale and Costs', 'Estimate Costs…');
    for (const [title, text] of [
      ['Time of a Job', '1.5'],
      ['Jobs', '1000'],
    ] as const) {
      await page.locator('.quick-input-widget', { hasText: `Estimate Costs of “hello”: ${title}` }).waitFor();
      await page.locator('.quick-input-widget input[type="text"]').fill(text);
      await page.keyboard.press('Enter');
    }
    const frame = await editor.webviewFrame(
      async (one) => (await one.locator('h1', { hasText: 'Cost estimate of' }).count()) > 0,
    );
    await frame.getByText('A job takes the same time on all hardware').waitFor();
    await editor.screenshot(`costs-4-estimate-${screenshotTheme.name}`);
  });
});
