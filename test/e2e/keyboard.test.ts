import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';

const SAMPLE = path.join(repository, 'samples', 'hello-queue');
/** A name that runs from right to left, with a number at its end. */
const HEBREW = 'נקודה-2';

/** Works with endpoints by keyboard alone. Each step depends on the previous one. */
describe('keyboard', function () {
  this.timeout(180_000);
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
    editor = await openEditor({ workspaceFolder: workspace.path });
    await startLocalPlatform(editor);
    await editor.page.getByText('There are no endpoints yet').waitFor();
    for (const [name, shown] of [
      ['hello', /^hello/],
      ['second', new RegExp(HEBREW)],
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

  /** Moves the focus to the row of an endpoint with the arrow keys, and not the selection. */
  async function focusRow(text: RegExp): Promise<void> {
    await editor.runCommand('Cloud Compute: Focus on Endpoints View');
    await editor.page.keyboard.press('Home');
    for (let step = 0; step < 10; step++) {
      const focused = editor.page.locator('.monaco-list:focus-within .monaco-list-row.focused', { hasText: text });
      if ((await focused.count()) > 0) return;
      await editor.page.keyboard.press('ArrowDown');
    }
    throw new Error(`No row ${text.source} received the focus`);
  }

  it('opens the context menu of the focused row with the menu key', async () => {
    await focusRow(/^hello/);
    await editor.page.keyboard.press('ContextMenu');
    await editor.page.getByRole('menuitem', { name: 'Copy As…' }).waitFor();
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
});
