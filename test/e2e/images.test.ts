import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { gradient, pngOf } from '../platform/images/support.ts';
import { chooseFromMenu, chooseQuickPick, clickButton, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { screenshotTheme } from './themes.ts';

const PROMPT = 'make it black and white and rotate it by 90 degrees';

describe('image edits in the editor', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  let frame: Frame;
  screenshotOnFailure(() => editor);
  const shot = (name: string) => editor.screenshot(`images-${name}-${screenshotTheme.name}`);

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

  it('lists the public model with its price', async () => {
    await editor.page.getByRole('button', { name: 'Resources Section' }).click();
    await row(editor, /^Image Editing\s*\$0\.02 per image/).waitFor();
    await shot('tree');
  });

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
