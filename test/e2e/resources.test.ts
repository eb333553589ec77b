import assert from 'node:assert/strict';
import { chooseFromMenu, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const PASSWORD = 'hush-hush-hush';

describe('resources view and local platform', function () {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);

  before(async () => {
    workspace = await temporaryFolder();
    editor = await openEditor({ workspaceFolder: workspace.path });
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('shows the public model, and three empty groups with a reason and an action each', async () => {
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
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
    await row(editor, /^None in this account\./).waitFor();
  });

  it('adds a credential from the empty group and never shows the password', async () => {
    const { page } = editor;
    const input = page.locator('.quick-input-widget input');
    await row(editor, /^None yet\./).click();
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
