import { cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { chooseFromMenu, clickAction, createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/**
 * A worker that writes colored lines, repeated lines, and errors with a stack. Once its folder contains a file named `trouble`, it writes a
 * line with a trouble and then nothing, so that the line stays visible, until the file is removed.
 */
const WORKER = `
import { existsSync } from 'node:fs';
const color = (code, text) => '\\u001b[' + code + 'm' + text + '\\u001b[0m';
let step = 0;
let troubled = false;
setInterval(() => {
  if (existsSync('trouble')) {
    if (!troubled) console.error("Error: Cannot find module 'left-pad'");
    troubled = true;
    return;
  }
  step++;
  console.log(color(32, 'ok') + ' step ' + step + ' ' + color(36, 'GET /items/' + step));
  for (let count = 0; count < 5; count++) console.log('waiting for the model');
  if (step % 5 === 0) console.error(color(31, 'ERROR') + ' cannot reach {"host":"db"} at /data/a.bin');
  if (step % 7 === 0) console.error(new Error('boom').stack);
}, 400);
setTimeout(() => import('./handler.mjs'), 0);
`;

const MANIFEST = `name: hello
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
workers: { min: 2, max: 2 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
image: registry.example.com/hello:1.0
x-local: { directory: hello, command: node noisy.mjs }
`;

/** Observes two workers as a user does. The describes share a window. */
describe('running workers', () => {
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    await writeFile(path.join(workspace.path, 'hello', 'noisy.mjs'), WORKER);
    await writeFile(path.join(workspace.path, 'hello.endpoint.yaml'), MANIFEST);
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

  /** Shows costs on the local platform. Each step depends on the previous one. */
  describe('costs', () => {
    skipAfterFailure();

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
      await frame.getByText('Jobs take the same time on all hardware').waitFor();
      await editor.screenshot(`costs-4-estimate-${screenshotTheme.name}`);
    });
  });

  /** Follows logs. Each step depends on the previous one. */
  describe('logs', () => {
    skipAfterFailure();

    const screenshot = (name: string) => editor.screenshot(`logs-${name}-${screenshotTheme.name}`);
    const line = (text: string | RegExp) => editor.page.locator('.view-line').filter({ hasText: text }).last();
    const panelButton = (name: string | RegExp) =>
      editor.page.locator('.part.panel').getByRole('button', { name }).first();

    before(() => editor.runCommand('View: Close All Editors'));

    it('of a worker have its colors, counted repetitions, and a line that names its trouble', async () => {
      await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
      await line(/step\s\d+\sGET/).waitFor();
      await line('repeated 2 more times').waitFor();
      const trouble = path.join(workspace.path, 'hello', 'trouble');
      await writeFile(trouble, '');
      await line('[trouble]').waitFor();
      await screenshot('1-worker');
      await rm(trouble);
    });

    it('of an endpoint contain all workers, each with a tag', async () => {
      await chooseFromMenu(editor, /^hello/, 'Logs', 'Show Logs');
      await line(/\w+\s│\sok\sstep\s\d+/).waitFor();
      await screenshot('2-endpoint');
    });

    it('stop and resume with the buttons of the panel', async () => {
      await panelButton('Stop Following Log').click();
      await line('stopped; show the logs again').waitFor();
      await panelButton('Resume Log').click();
      await panelButton('Stop Following Log').waitFor();
    });

    it('of an endpoint continue with other workers after a reload of the window', async () => {
      await editor.reload();
      await editor.runCommand('View: Show Cloud Compute');
      await row(editor, /idle.* up \d/).waitFor();
      await chooseFromMenu(editor, /^hello/, 'Logs', 'Show Logs');
      // The platform stopped with the window and runs again, so other workers have replaced the earlier ones.
      await line(/│\sok\sstep\s\d+/).waitFor();
      await screenshot('3-reloaded');
    });

    it('open in full, with pages, a search, and an outline', async () => {
      await editor.runCommand('Cloud Compute: Open Full Log');
      await editor.page.getByRole('tab', { name: /hello.*\.log/ }).waitFor();
      await editor.page
        .locator('.editor-instance .view-line')
        .filter({ hasText: /│\sok\sstep\s\d+/ })
        .first()
        .waitFor();
      await screenshot('4-full');
      await editor.runCommand('Cloud Compute: Find in Log…');
      await editor.page.getByText('Find in Log', { exact: true }).waitFor();
      await editor.page.keyboard.type('left-pad');
      await editor.page.keyboard.press('Enter');
      await editor.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'left-pad' }).first().waitFor();
      await screenshot('5-find');
      await editor.page.keyboard.press('Enter');
      await editor.page.locator('.editor-instance .view-line').filter({ hasText: 'left-pad' }).first().waitFor();
    });

    it('are readable in a small window', async () => {
      await editor.page.setViewportSize({ width: 720, height: 450 });
      await line(/step\s\d+/).waitFor();
      await screenshot('6-small');
    });
  });
});
