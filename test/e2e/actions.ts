import type { Locator } from 'playwright-core';
import type { Editor } from './harness.ts';

/* User actions that several tests share. Each one waits until its effect is visible. */

/** Opens a workspace file with Quick Open. */
export async function openFile({ page }: Editor, name: string): Promise<void> {
  await page.keyboard.press('Control+P');
  await page.locator('.quick-input-widget input[type="text"]').fill(name);
  await chooseQuickPick({ page }, name);
  await page.getByRole('tab', { name }).waitFor();
}

/** Starts the local platform with the button of the empty endpoints view. */
export async function startLocalPlatform(editor: Editor): Promise<void> {
  await editor.openView('Cloud Compute');
  await editor.page.getByRole('button', { name: 'Start Local Platform', exact: true }).first().click();
}

/** Clicks the Create Endpoint CodeLens in the active editor. */
export async function createEndpoint({ page }: Editor): Promise<void> {
  await page.locator('.codelens-decoration a', { hasText: 'Create Endpoint on Local Platform' }).click();
}

/** Returns the first tree row whose text matches. */
export function row(editor: Editor, text: RegExp): Locator {
  return editor.treeItem(text).first();
}

/** Clicks an inline action of a row. */
export async function clickAction(treeRow: Locator, action: string): Promise<void> {
  await treeRow.hover();
  await treeRow.getByRole('button', { name: action }).click();
}

/** Chooses an entry of a row's context menu. Its submenu, if it is in one, comes before it. */
export async function chooseFromMenu(editor: Editor, name: RegExp, ...entries: string[]): Promise<void> {
  const first = editor.page.getByRole('menuitem', { name: entries[0] ?? '' }).first();
  const isOpen = () =>
    first.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  // A menu closes if its row is rendered again, such as after an update.
  for (let attempts = 0; attempts < 3; attempts++) {
    await row(editor, name).click({ button: 'right' });
    if (await isOpen()) break;
  }
  for (const submenu of entries.slice(0, -1)) {
    await editor.page.getByRole('menuitem', { name: submenu }).first().hover();
    await editor.page.keyboard.press('ArrowRight');
  }
  const item = editor.page.getByRole('menuitem', { name: entries.at(-1) ?? '' }).first();
  // A new menu ignores clicks for a moment, so that the opening click selects no item. It accepts keys.
  await item.hover();
  await editor.page.keyboard.press('Enter');
  await item.waitFor({ state: 'detached' });
}

/** Clicks a button of a notification. Clicks again if the notification moved away from the first click. */
export async function clickButton(editor: Editor, text: string, name: string): Promise<void> {
  const notification = editor.notification(text);
  const button = notification.getByRole('button', { name });
  await button.click();
  await notification.waitFor({ state: 'detached', timeout: 5_000 }).catch(() => button.click());
  await notification.waitFor({ state: 'detached' });
}

/** Chooses the first entry with this text in the open quick pick. */
export async function chooseQuickPick({ page }: Pick<Editor, 'page'>, text: string): Promise<void> {
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: text }).first().click();
}

/** Waits until a line of any open editor contains the text. */
export async function waitForLine({ page }: Editor, text: string): Promise<void> {
  await page.locator('.view-line', { hasText: text }).first().waitFor();
}
