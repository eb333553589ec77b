import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import {
  chooseQuickPick,
  clickButton,
  createEndpoint,
  chooseFromMenu,
  waitForLine,
  openFile,
  row,
  startLocalPlatform,
} from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { webviewFrame, type FrameTest } from './webview.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Works with existing endpoints. Each step depends on the previous one. */
describe('endpoints view', function () {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    const manifest = await readFile(path.join(workspace.path, 'hello.endpoint.yaml'), 'utf8');
    const broken = manifest
      .replace(/^name: .*/m, 'name: broken')
      .replace(/command: .*/, "command: node -e 'throw new Error(42)'");
    await writeFile(path.join(workspace.path, 'broken.endpoint.yaml'), broken);
    editor = await openEditor({ workspaceFolder: workspace.path });
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    for (const name of ['hello', 'broken']) {
      await openFile(editor, `${name}.endpoint.yaml`);
      await createEndpoint(editor);
      await row(editor, new RegExp(`^${name}`)).waitFor();
    }
    await row(editor, /^hello.*idle/).waitFor();
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('marks an endpoint that needs attention, and counts such endpoints in the badge', async () => {
    await row(editor, /^broken.*unhealthy/).waitFor();
    await editor.page.getByRole('tab', { name: /Cloud Compute.*1 endpoint needs attention/ }).waitFor();
    await editor.runCommand('Notifications: Clear All Notifications');
    await editor.screenshot('explorer-1-trouble');
  });

  it('shows the reason and the remedy in the tooltip', async () => {
    await row(editor, /^broken/).hover();
    await editor.page.locator('.monaco-hover', { hasText: 'The worker crashes (exit code 1)' }).waitFor();
    await editor.screenshot('explorer-2-tooltip');
    await editor.page.keyboard.press('Escape');
  });

  it('explains the state as formatted text, and offers the next steps', async () => {
    await chooseFromMenu(editor, /^broken/, 'Explain This Endpoint');
    const hasHeading: FrameTest = async (frame) =>
      (await frame.locator('h1', { hasText: 'broken needs attention' }).count()) > 0;
    const explanation = await webviewFrame(editor.page, hasHeading);
    await clickButton(editor, 'The explanation of “broken”', 'Next Steps…');
    await editor.page.locator('.quick-input-widget', { hasText: 'Edit Endpoint' }).waitFor();
    await editor.screenshot('explorer-3-explained');
    // The steps stay if the page takes the focus, which it can also do late.
    await explanation.locator('h2', { hasText: 'Observations' }).click();
    await chooseQuickPick(editor, 'Scale…');
    await editor.page.locator('.quick-input-widget', { hasText: 'Scale “broken”' }).waitFor();
    await editor.page.keyboard.press('Escape');
  });

  it('shows a diff and asks before it saves an edited endpoint', async () => {
    const { page } = editor;
    await chooseFromMenu(editor, /^hello/, 'Edit Endpoint');
    await page.locator('.view-line', { hasText: 'timeout:' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type('timeout: 120000');
    await page.keyboard.press('Control+S');
    await page.locator('.monaco-dialog-box', { hasText: 'Update endpoint “hello”?' }).waitFor();
    await editor.screenshot('explorer-4-update');
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Update Endpoint' }).click();
    await page.locator('.monaco-dialog-box').waitFor({ state: 'detached' });
    await chooseFromMenu(editor, /^hello/, 'Show Endpoint as Document');
    await waitForLine(editor, 'timeout: 120000');
    await editor.screenshot('explorer-5-document');
  });

  it('scales an endpoint in one step, and shows immediately that it is paused', async () => {
    const { page } = editor;
    await chooseFromMenu(editor, /^broken/, 'Scale and Costs', 'Scale or Pause Endpoint…');
    const input = page.locator('.quick-input-widget input');
    await input.fill('3-1');
    await page.getByText('The minimum (3) is greater than the maximum (1)').waitFor();
    await input.fill('0-0');
    await page.getByText('Paused: no workers start').waitFor();
    await input.press('Enter');
    await row(editor, /^broken.*paused/).waitFor();
  });

  it('marks favorites, filters while the user types, and reports a filter without matches', async () => {
    const { page } = editor;
    await chooseFromMenu(editor, /^hello/, 'Add to Favorites');
    await row(editor, /^hello★/).waitFor();
    await editor.runCommand('Cloud Compute: Arrange Endpoints…');
    await chooseQuickPick(editor, 'Filter…');
    await page.locator('.quick-input-widget input').fill('paused');
    await page.getByText('1 of 2 endpoints match “paused”').waitFor();
    await row(editor, /^hello/).waitFor({ state: 'detached' });
    await editor.screenshot('explorer-6-filter');
    await page.locator('.quick-input-widget input').fill('nothing like this');
    await page.keyboard.press('Enter');
    await page.getByText('No endpoint matches the filter').waitFor();
    await editor.screenshot('explorer-7-no-match');
    await editor.runCommand('Cloud Compute: Arrange Endpoints…');
    await chooseQuickPick(editor, 'Clear Filter');
    await row(editor, /^hello/).waitFor();
  });

  it('groups endpoints by state in every theme', async () => {
    await editor.runCommand('Cloud Compute: Arrange Endpoints…');
    await chooseQuickPick(editor, 'Group…');
    await chooseQuickPick(editor, 'By State');
    await editor.treeItem(/^Paused/).waitFor();
    await editor
      .treeItem(/^Releases/)
      .first()
      .click();
    await editor
      .treeItem(/Version 2/)
      .first()
      .waitFor();
    for (const theme of ['Dark Modern', 'Light Modern', 'Dark High Contrast']) {
      await editor.runCommand('Preferences: Color Theme');
      // The list renders only visible rows, so the filter must make the theme visible.
      await editor.page.locator('.quick-input-widget input[type="text"]').fill(theme);
      await chooseQuickPick(editor, theme);
      await editor.screenshot(`explorer-8-${theme.replaceAll(' ', '-').toLowerCase()}`);
    }
  });

  it('lists what is deleted with an endpoint before it deletes the endpoint', async () => {
    const { page } = editor;
    await chooseFromMenu(editor, /^broken/, 'Delete Endpoint…');
    await page.locator('.monaco-dialog-box', { hasText: 'Delete endpoint “broken”?' }).waitFor();
    await editor.screenshot('explorer-9-delete');
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Delete' }).click();
    await row(editor, /^broken/).waitFor({ state: 'detached' });
  });
});
