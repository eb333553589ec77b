import assert from 'node:assert/strict';
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { repository } from '../../scripts/editor/build.ts';
import { createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import type { FrameTest } from './webview.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');
const BALANCED = path.join(repository, 'samples', 'hello-balanced');
/** A name that runs from right to left, with a number at its end. */
const HEBREW = 'נקודה-2';

/** Presses each shortcut of `package.json`. Each step depends on the previous one. */
describe('keyboard', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(SAMPLE, workspace.path, { recursive: true });
    const manifest = await readFile(path.join(workspace.path, 'hello.endpoint.yaml'), 'utf8');
    await writeFile(
      path.join(workspace.path, 'second.endpoint.yaml'),
      manifest.replace(/^name: .*/m, `name: "${HEBREW}"`),
    );
    const job = { endpoint: 'hello', input: { name: 'keys', seconds: 0 } };
    await writeFile(path.join(workspace.path, 'keys.job.json'), JSON.stringify(job, undefined, 2));
    await cp(BALANCED, path.join(workspace.path, 'balanced'), { recursive: true });
    const balanced = path.join(workspace.path, 'balanced');
    await rename(path.join(balanced, 'hello.endpoint.yaml'), path.join(balanced, 'balanced.endpoint.yaml'));
    await rename(path.join(balanced, 'hello.http'), path.join(balanced, 'balanced.http'));
    editor = await openEditor({ workspaceFolder: workspace.path });
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    for (const [name, shown] of [
      ['hello', /^hello/],
      ['second', new RegExp(HEBREW)],
      ['balanced', /^hello-balanced/],
    ] as const) {
      await openFile(editor, `${name}.endpoint.yaml`);
      await createEndpoint(editor);
      await row(editor, shown).waitFor();
    }
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  const line = (text: string) => editor.page.locator('.view-line', { hasText: text }).first();

  /** Clicks the beginning of a line, because a scroll bar can cover its middle. */
  const clickStart = (place: Locator) => place.click({ position: { x: 5, y: 5 } });

  /** Opens the requests, with the cursor at the last one. A click could scroll the editor. */
  async function openLastRequest(): Promise<void> {
    await openFile(editor, 'balanced.http');
    await editor.page.locator('.monaco-editor.focused .view-line', { hasText: 'Requests to the endpoint' }).waitFor();
    await editor.page.keyboard.press('Control+End');
  }

  /** Moves the focus to the row of a view with the arrow keys, and not the selection. */
  async function focusRow(text: RegExp, view = 'Endpoints'): Promise<void> {
    await editor.runCommand(`Cloud Compute: Focus on ${view} View`);
    await editor.page.getByRole('treeitem').filter({ hasText: text }).first().waitFor();
    await editor.page.keyboard.press('Home');
    const focused = (and = '') => editor.page.locator(`.monaco-list:focus-within .monaco-list-row.focused${and}`);
    await focused('[data-index="0"]').waitFor();
    for (let index = 0; (await focused().filter({ hasText: text }).count()) === 0; index++) {
      await editor.page.keyboard.press('ArrowDown');
      await focused(`[data-index="${index + 1}"]`).waitFor();
    }
  }

  it('opens the context menu of the focused row with the menu key', async () => {
    await focusRow(/^hello/);
    await editor.page.keyboard.press('ContextMenu');
    await editor.page.getByRole('menuitem', { name: 'Scale and Costs' }).waitFor();
    await editor.screenshot('keyboard-menu');
    await editor.page.keyboard.press('Escape');
  });

  it('copies the ID of the focused row with Ctrl+C', async () => {
    await focusRow(/^hello/);
    await editor.page.keyboard.press('Control+C');
    await editor.page.locator('.statusbar-item', { hasText: 'ID copied' }).waitFor();
  });

  it('asks to delete the focused row with Delete, and not the selected one', async () => {
    await row(editor, /^hello/).click();
    await focusRow(new RegExp(HEBREW));
    await editor.page.keyboard.press('Delete');
    const dialog = editor.page.getByRole('dialog').filter({ hasText: 'Delete' });
    await dialog.getByText(HEBREW).first().waitFor();
    assert.equal(await dialog.getByText('“hello”').count(), 0);
    await editor.screenshot('keyboard-delete-rtl');
    await editor.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('runs the job file of the editor with Ctrl+Alt+R, without a question', async () => {
    await openFile(editor, 'keys.job.json');
    await clickStart(line('"keys"'));
    await editor.page.keyboard.press('Control+Alt+R');
    await line('"greeting": "Hello, keys!"').waitFor();
    await focusRow(/hello.*completed/, 'Jobs');
  });

  it('sends the request at the cursor with Ctrl+Alt+R', async () => {
    await openLastRequest();
    await editor.page.keyboard.press('Control+Alt+R');
    await line('404').waitFor();
  });

  it('asks for the input of a job on the focused endpoint with Ctrl+Alt+R', async () => {
    await focusRow(/^hello(?!-)/);
    await editor.page.keyboard.press('Control+Alt+R');
    await editor.page.locator('.quick-input-title', { hasText: 'Run Job on “hello”' }).waitFor();
    await editor.page.keyboard.press('Escape');
  });

  it('explains the focused endpoint with Shift+Alt+E, and shows its log with Shift+Alt+L', async () => {
    await focusRow(/^hello(?!-)/);
    await editor.page.keyboard.press('Shift+Alt+E');
    const hasHeading: FrameTest = async (frame) => (await frame.locator('h1', { hasText: 'hello' }).count()) > 0;
    await editor.webviewFrame(hasHeading);
    await focusRow(/^hello(?!-)/);
    await editor.page.keyboard.press('Shift+Alt+L');
    await line('greeting keys').waitFor();
  });

  it('turns the pages of a full log and repeats its search', async () => {
    const { page } = editor;
    const message = (text: string) => page.locator('.statusbar-item', { hasText: text }).waitFor();
    await editor.runCommand('Cloud Compute: Open Full Log');
    await page.locator('.editor-instance .view-line', { hasText: 'greeting keys' }).first().waitFor();
    // A long line at the end scrolls the log sideways, so its lines have no place that is always visible to a click.
    await editor.runCommand('View: Focus Active Editor Group');
    await page.keyboard.press('Alt+PageUp');
    await message('This is the oldest page');
    await page.keyboard.press('Alt+PageDown');
    await message('This is the newest page');
    for (const keys of ['Alt+F3', 'Shift+Alt+F3']) {
      await page.keyboard.press(keys);
      await page.locator('.quick-input-title', { hasText: 'Find in Log' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    }
  });

  it('removes several jobs and several requests with Delete', async () => {
    const { page } = editor;
    await openFile(editor, 'keys.job.json');
    await clickStart(line('"keys"'));
    await page.keyboard.press('Control+Alt+R');
    await page
      .getByRole('treeitem')
      .filter({ hasText: /hello.*completed/ })
      .nth(1)
      .waitFor();
    await focusRow(/hello.*completed/, 'Jobs');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.getByText('There are no jobs yet').waitFor();
    await openLastRequest();
    await page.keyboard.press('Control+Alt+R');
    await focusRow(/404/, 'Requests');
    await page.getByRole('treeitem').filter({ hasText: /404/ }).nth(1).waitFor();
    await focusRow(/404/, 'Requests');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.getByRole('treeitem').filter({ hasText: /404/ }).first().waitFor({ state: 'detached' });
  });

  it('copies the ID of a credential with Ctrl+C, and asks to delete it with Delete', async () => {
    const { page } = editor;
    const input = page.locator('.quick-input-widget input');
    await editor.runCommand('Cloud Compute: Add Registry Credential…');
    for (const [step, text] of ['ghcr', 'user', 'word-word'].entries()) {
      await page.getByText(`Add Registry Credential (${step + 1}/3)`).waitFor();
      await input.fill(text);
      await input.press('Enter');
    }
    // The platform has accepted the answers.
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await editor.runCommand('Cloud Compute: Focus on Resources View');
    await row(editor, /^ghcr/).waitFor();
    await focusRow(/^ghcr/, 'Resources');
    await page.keyboard.press('Control+C');
    await page.locator('.statusbar-item', { hasText: 'ID copied' }).waitFor();
    await page.keyboard.press('Delete');
    await page.getByText('Delete registry credential “ghcr”?').waitFor();
    await page.keyboard.press('Escape');
  });
});
