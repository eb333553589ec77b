import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { repository } from '../../scripts/editor/build.ts';
import { clickButton, createEndpoint, openFile, startLocalPlatform, waitForLine } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');

/** Edits a manifest and its endpoint as a user does. Each step depends on the previous one. */
describe('the manifest editor', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);
  const screenshot = (name: string) => editor.screenshot(`manifest-${name}-${screenshotTheme.name}`);
  const lens = (text: string) => editor.page.locator('.codelens-decoration a', { hasText: text }).first();
  const line = (text: string) => editor.page.locator('.view-line', { hasText: text }).first();
  const dialog = () => editor.page.locator('.monaco-dialog-box');

  /** Places the cursor after a line. */
  async function endOf(text: string): Promise<void> {
    await line(text).click();
    await editor.page.keyboard.press('End');
  }

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    await startLocalPlatform(editor);
    await openFile(editor, 'hello.endpoint.yaml');
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('shows durations and prices beside the values, and the state of the manifest', async () => {
    await line('timeout: 60000').getByText('1 min').waitFor();
    await editor.page.locator('.view-line', { hasText: '/h' }).first().waitFor();
    await lens('Create Endpoint on Local Platform').waitFor();
    await screenshot('1-hints');
  });

  it('completes fields and values', async () => {
    const { page } = editor;
    await endOf('cpu3c');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'cpu3g' }).first().waitFor();
    await screenshot('2-completion');
    await page.keyboard.press('Escape');
    await page.keyboard.type('c');
    await page.keyboard.press('Escape');
  });

  it('corrects a misspelled field', async () => {
    const { page } = editor;
    await line('disk: 5').dblclick({ position: { x: 8, y: 8 } });
    await page.keyboard.type('dsik');
    // The completion offers the field too, and closes the list of corrections when it opens.
    const completion = page.locator('.suggest-widget .monaco-list-row', { hasText: 'disk' });
    await completion.waitFor();
    await page.keyboard.press('Escape');
    await completion.waitFor({ state: 'hidden' });
    await page.locator('.squiggly-error').first().waitFor();
    await page.keyboard.press('Control+.');
    await page.locator('.action-widget', { hasText: 'disk' }).waitFor();
    await screenshot('3-correction');
    await page.keyboard.press('Enter');
    await waitForLine(editor, 'disk: 5');
    await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  });

  it('updates the endpoint with the settings that differ, after a confirmation', async () => {
    const { page } = editor;
    await createEndpoint(editor);
    await lens('Compare with Deployed').waitFor();
    await endOf('queueDelay: 1');
    await page.keyboard.type('0');
    await lens('Update…').waitFor();
    await screenshot('4-drifted');
    await lens('Update…').click();
    await dialog().getByText('scaling.queueDelay: 1 → ').waitFor();
    await screenshot('5-update');
    await dialog().getByRole('button', { name: 'Update Endpoint' }).click();
    await editor.notification('updated').waitFor();
    await lens('Update…').waitFor({ state: 'detached' });
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  it('compares the manifest with its endpoint', async () => {
    const { page } = editor;
    await endOf('GREETING: Hello');
    await page.keyboard.type(' there');
    await lens('Compare with Deployed').click();
    await page.getByRole('tab', { name: 'Deployed ↔ File' }).waitFor();
    await page.locator('.diff-editor .line-insert, .monaco-diff-editor .line-insert').first().waitFor();
    await screenshot('6-comparison');
    await editor.runCommand('View: Close Editor');
  });

  it('takes over the settings of the endpoint, and keeps the comments', async () => {
    await openFile(editor, 'hello.endpoint.yaml');
    await lens('Pull').click();
    await editor.notification('The file is not saved yet').waitFor();
    await waitForLine(editor, 'GREETING: Hello');
    await waitForLine(editor, '# The platform adds a worker');
    await lens('Update…').waitFor({ state: 'detached' });
    await screenshot('7-pulled');
    await editor.runCommand('File: Save');
    await editor.runCommand('Notifications: Clear All Notifications');
  });

  it('deploys all manifests of the folder, with a plan first', async () => {
    const { page } = editor;
    const text = await readFile(path.join(workspace.path, 'hello.endpoint.yaml'), 'utf8');
    await writeFile(path.join(workspace.path, 'second.endpoint.yaml'), text.replace('name: hello', 'name: second'));
    await writeFile(
      path.join(workspace.path, 'third.endpoint.yaml'),
      text.replace('name: hello', 'name: third').replace('type: QUEUE\n', 'type: HEAP\n'),
    );
    await editor.runCommand('Cloud Compute: Deploy All…');
    await page.locator('.quick-input-list', { hasText: 'second' }).waitFor();
    await screenshot('8-plan');
    await page.keyboard.press('Enter');
    await editor.notification('1 created').waitFor();
    await screenshot('9-summary');
    await clickButton(editor, '1 created', 'Show Details');
    const heading = (frame: Frame) => frame.getByRole('heading', { name: 'Deployment to Local Platform' });
    await editor.webviewFrame(async (frame) => (await heading(frame).count()) > 0);
    await screenshot('10-details');
  });

  it('marks manifests in the Explorer', async () => {
    await editor.runCommand('View: Show Explorer');
    await editor
      .treeItem(/third\.endpoint\.yaml/)
      .first()
      .waitFor();
    await screenshot('11-explorer');
  });
});
