import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { gradient, pngOf } from '../platform/images/support.ts';
import { chooseFromMenu, chooseQuickPick, clickButton, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const PROMPT = 'make it black and white and rotate it by 90 degrees';
const PASSWORD = 'hush-hush-hush';

/** Uses what a platform without endpoints has. The describes share a window. */
describe('a platform without endpoints', () => {
  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    await writeFile(path.join(workspace.path, 'photo.png'), pngOf(gradient(240, 160)));
    editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  /** Edits an image. Each step depends on the previous one. */
  describe('image edits in the editor', () => {
    skipAfterFailure();

    let frame: Frame;
    const shot = (name: string) => editor.screenshot(`images-${name}-${screenshotTheme.name}`);

    it('opens an image file from its context menu', async () => {
      await editor.openView('Explorer');
      await chooseFromMenu(editor, /^photo\.png/, 'Edit Image…');
      frame = await editor.webviewFrame(async (one) => (await one.getByLabel('Prompt', { exact: true }).count()) > 0);
      await frame
        .getByRole('img', { name: /photo\.png|source|before/i })
        .first()
        .waitFor();
      await shot('source');
    });

    it('edits the image, and compares it with its source', async () => {
      await frame.getByLabel('Prompt', { exact: true }).fill(PROMPT);
      await frame.getByLabel('Prompt', { exact: true }).press('Control+Enter');
      await frame.getByRole('button', { name: 'Save to Workspace' }).waitFor();
      await frame.getByRole('button', { name: 'Side by Side' }).click();
      await shot('side-by-side');
      await frame.getByRole('button', { name: 'Slider' }).click();
      const slider = frame.getByRole('slider', { name: /Divider/ });
      await slider.focus();
      await slider.press('ArrowRight');
      await shot('slider');
      await frame.getByRole('button', { name: '800 %' }).click();
      await shot('zoom');
    });

    it('saves the edited image beside its source', async () => {
      await frame.getByRole('button', { name: 'Save to Workspace' }).click();
      await editor.notification('Saved as photo-edited-1.png').waitFor();
      await row(editor, /^photo-edited-1\.png/).waitFor();
      await shot('saved');
      await clickButton(editor, 'Saved as photo-edited-1.png', 'Open');
      await editor.page.getByRole('tab', { name: 'photo-edited-1.png' }).waitFor();
    });

    it('lists the edit with its image after its editor was closed, and opens it again', async () => {
      await editor.runCommand('View: Close All Editors');
      await editor.runCommand('Cloud Compute: Edit Image…');
      await chooseQuickPick(editor, 'Open the Editor');
      const fresh = await editor.webviewFrame(
        async (one) => (await one.getByRole('heading', { name: 'Recent Edits' }).count()) > 0,
      );
      await shot('history');
      await fresh.locator('.history .entry', { hasText: PROMPT }).click();
      await editor.page.getByRole('tab', { name: 'Edit photo.png', selected: true }).waitFor();
    });
  });

  /** Each step depends on the previous one. */
  describe('resources view and local platform', () => {
    skipAfterFailure();

    before(async () => {
      await editor.runCommand('View: Close All Editors');
      await editor.openView('Cloud Compute');
    });

    it('shows the public model, and three empty groups with a reason and an action each', async () => {
      await editor.page.getByRole('button', { name: 'Jobs Section' }).click();
      await editor.page.getByRole('button', { name: 'Resources Section' }).click();
      await row(editor, /^Image Editing\s*\$0\.02 per image/).waitFor();
      await row(editor, /^Public Models/).click();
      await row(editor, /^Image Editing/).waitFor({ state: 'detached' });
      await row(editor, /^None yet\.\s*Add one…/).waitFor();
      await row(editor, /^None in this account\./).waitFor();
      await editor.screenshot('resources-empty');
      // The view has no height for all rows at once.
      await row(editor, /^Templates/).click();
      await row(editor, /^Network Volumes/).waitFor();
      await row(editor, /^None yet\.\s*Create one…/).waitFor();
    });

    it('adds a credential from the empty group and never shows the password', async () => {
      const { page } = editor;
      const input = page.locator('.quick-input-widget input');
      await row(editor, /^None yet\.\s*Add one…/).click();
      for (const [step, text] of ['ghcr', 'user', PASSWORD].entries()) {
        await page.getByText(`Add Registry Credential (${step + 1}/3)`).waitFor();
        assert.equal(await input.getAttribute('type'), step === 2 ? 'password' : 'text');
        await input.fill(text);
        if (step === 2) await editor.screenshot('resources-password');
        await input.press('Enter');
      }
      await row(editor, /^ghcr/).waitFor();
      assert.equal(await page.getByText(PASSWORD).count(), 0);
      await editor.screenshot('resources-dark');
    });

    it('is readable in every theme', async () => {
      const widget = editor.page.locator('.quick-input-widget');
      for (const [theme, name] of [
        ['Light Modern', 'light'],
        ['Dark High Contrast', 'high-contrast'],
        ['Dark Modern', 'dark-again'],
      ] as const) {
        await editor.runCommand('Preferences: Color Theme');
        await widget.locator('input').fill(theme);
        await widget.locator('.monaco-list-row', { hasText: theme }).first().waitFor();
        await editor.page.keyboard.press('Enter');
        await widget.waitFor({ state: 'hidden' });
        await row(editor, /^ghcr/).hover();
        await editor.screenshot(`resources-${name}`);
      }
    });

    it('lists the uses of a credential before it deletes the credential', async () => {
      const { page } = editor;
      await chooseFromMenu(editor, /^ghcr/, 'Delete Registry Credential…');
      await page.getByText('Delete registry credential “ghcr”?').waitFor();
      await page.getByText('No endpoint or template uses it.').waitFor();
      await editor.screenshot('resources-delete');
      await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Delete' }).click();
      await row(editor, /^None yet\./).waitFor();
    });

    it('asks before it resets the local platform from the status bar', async () => {
      const { page } = editor;
      const status = page.locator('.statusbar-item', { hasText: 'Local: running' });
      await status.click();
      await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Reset…' }).waitFor();
      await editor.screenshot('local-platform-menu');
      await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Reset…' }).click();
      await page.getByText('This deletes its endpoints, jobs, logs').waitFor();
      await editor.screenshot('local-platform-reset');
      await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Reset' }).click();
      await page.getByText('This deletes its endpoints, jobs, logs').waitFor({ state: 'detached' });
      await status.waitFor();
      await row(editor, /^None yet\./).waitFor();
    });

    it('shows a stopped platform in the status bar and view, and offers to start it', async () => {
      const { page } = editor;
      await editor.runCommand('Cloud Compute: Stop Local Platform');
      await page.locator('.statusbar-item', { hasText: 'Local: stopped' }).waitFor();
      await page.getByText('Start it to see its registry credentials').waitFor();
      await editor.screenshot('local-platform-stopped');
    });
  });
});
