import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { choose, createEndpoint, fromMenu, lineReads, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** What a person does with endpoints that are there; each step builds on the one before. */
describe('The explorer', function () {
  this.timeout(180_000);
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

  it('shows which endpoint is in trouble, and in the badge how many', async () => {
    await row(editor, /^broken.*unhealthy/).waitFor();
    await editor.page.getByRole('tab', { name: /Cloud Compute.*1 endpoint in trouble/ }).waitFor();
    await editor.runCommand('Notifications: Clear All Notifications');
    await editor.screenshot('explorer-1-trouble');
  });

  it('says why in the tooltip, with the way on', async () => {
    await row(editor, /^broken/).hover();
    await editor.page.locator('.monaco-hover', { hasText: 'The worker crashes: exit code 1' }).waitFor();
    await editor.screenshot('explorer-2-tooltip');
    await editor.page.keyboard.press('Escape');
  });

  it('explains it in a document, whose steps can be taken', async () => {
    await fromMenu(editor, /^broken/, 'Explain This Endpoint');
    await lineReads(editor, 'broken needs attention');
    await editor.page.locator('.codelens-decoration a', { hasText: 'Edit Endpoint' }).waitFor();
    await editor.screenshot('explorer-3-explained');
  });

  it('edits an endpoint: saving shows the difference, asks, and changes only that', async () => {
    const { page } = editor;
    await fromMenu(editor, /^hello/, 'Edit Endpoint');
    await page.locator('.view-line', { hasText: 'timeout:' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type('timeout: 120000');
    await page.keyboard.press('Control+S');
    await page.locator('.monaco-dialog-box', { hasText: 'Update endpoint “hello”?' }).waitFor();
    await editor.screenshot('explorer-4-update');
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Update Endpoint' }).click();
    await page.locator('.monaco-dialog-box').waitFor({ state: 'detached' });
    await fromMenu(editor, /^hello/, 'Show Endpoint as Document');
    await lineReads(editor, 'timeout: 120000');
    await editor.screenshot('explorer-5-document');
  });

  it('scales in one step, and says at once that it is paused', async () => {
    const { page } = editor;
    await fromMenu(editor, /^broken/, 'Scale Endpoint…');
    const input = page.locator('.quick-input-widget input');
    await input.fill('3-1');
    await page.getByText('The minimum (3) is greater than the maximum (1)').waitFor();
    await input.fill('0-0');
    await page.getByText('Paused: no workers start').waitFor();
    await input.press('Enter');
    await row(editor, /^broken.*paused/).waitFor();
  });

  it('marks favorites, filters as it is typed, and says when nothing matches', async () => {
    const { page } = editor;
    await fromMenu(editor, /^hello/, 'Add to Favorites');
    await row(editor, /^hello★/).waitFor();
    await editor.runCommand('Cloud Compute: Filter Endpoints…');
    await page.locator('.quick-input-widget input').fill('paused');
    await page.getByText('1 of 2 endpoints match “paused”').waitFor();
    await row(editor, /^hello/).waitFor({ state: 'detached' });
    await editor.screenshot('explorer-6-filter');
    await page.locator('.quick-input-widget input').fill('nothing like this');
    await page.keyboard.press('Enter');
    await page.getByText('No endpoint matches the filter').waitFor();
    await editor.screenshot('explorer-7-no-match');
    await editor.runCommand('Cloud Compute: Clear Filter');
    await row(editor, /^hello/).waitFor();
  });

  it('groups by state, in every theme', async () => {
    await editor.runCommand('Cloud Compute: Group Endpoints…');
    await choose(editor, 'By State');
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
      // The list draws only what is on the screen.
      await editor.page.locator('.quick-input-widget input[type="text"]').fill(theme);
      await choose(editor, theme);
      await editor.screenshot(`explorer-8-${theme.replaceAll(' ', '-').toLowerCase()}`);
    }
  });

  it('confirms the deletion of an endpoint with its jobs and workers', async () => {
    const { page } = editor;
    await fromMenu(editor, /^broken/, 'Delete Endpoint…');
    await page.locator('.monaco-dialog-box', { hasText: 'Delete endpoint “broken”?' }).waitFor();
    await editor.screenshot('explorer-9-delete');
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Delete' }).click();
    await row(editor, /^broken/).waitFor({ state: 'detached' });
  });
});
