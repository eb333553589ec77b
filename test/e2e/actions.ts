import type { Locator } from 'playwright-core';
import type { Editor } from './harness.ts';

/* What a person does on the way through the main job. Each waits until its effect can be seen. */

/** Opens a file of the workspace by its name, as with Ctrl+P. */
export async function openFile({ page }: Editor, name: string): Promise<void> {
  await page.keyboard.press('Control+P');
  await page.locator('.quick-input-widget input[type="text"]').fill(name);
  await choose({ page }, name);
  await page.getByRole('tab', { name }).waitFor();
}

/** Starts the local platform from the empty state of the explorer. */
export async function startLocalPlatform(editor: Editor): Promise<void> {
  await editor.openView('Cloud Compute');
  await editor.page.getByRole('button', { name: 'Start Local Platform', exact: true }).click();
}

/** Presses the CodeLens above the manifest in the active editor. */
export async function createEndpoint({ page }: Editor): Promise<void> {
  await page.locator('.codelens-decoration a', { hasText: 'Create Endpoint on Local Platform' }).click();
}

/** The first row of an endpoint, or of a worker, whose text fits. */
export function row(editor: Editor, text: RegExp): Locator {
  return editor.treeItem(text).first();
}

/** Presses an inline action of a row. */
export async function press(treeRow: Locator, action: string): Promise<void> {
  await treeRow.hover();
  await treeRow.getByRole('button', { name: action }).click();
}

/** Chooses an entry of a row's context menu. */
export async function fromMenu(editor: Editor, name: RegExp, entry: string): Promise<void> {
  await row(editor, name).click({ button: 'right' });
  const item = editor.page.getByRole('menuitem', { name: entry }).first();
  // A menu that has just opened takes no click, lest the one that opened it chooses something. It takes keys.
  await item.hover();
  await editor.page.keyboard.press('Enter');
  await item.waitFor({ state: 'detached' });
}

/** Chooses the first entry with this text from the quick pick that is open. */
export async function choose({ page }: Pick<Editor, 'page'>, text: string): Promise<void> {
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: text }).first().click();
}

/** Waits until a line of any open editor reads so. */
export async function lineReads({ page }: Editor, text: string): Promise<void> {
  await page.locator('.view-line', { hasText: text }).first().waitFor();
}
