import type { Locator, Page } from 'playwright-core';

/** Runs the command with exactly this title from the command palette, such as "Cloud Compute: Run Job". */
export function runCommand(page: Page, title: string): Promise<void> {
  return inPalette(page, title, (row, timeout) => row.click({ timeout }));
}

/** Opens the command palette and waits for the entry with exactly this title. */
export function findCommand(page: Page, title: string): Promise<void> {
  return inPalette(page, title, (row, timeout) => row.waitFor({ timeout }));
}

/**
 * Types a title into the command palette, and acts on its entry. Starts again until it succeeds: the palette closes when the focus moves,
 * such as to a restored tab, and does not update when an extension adds a command later.
 */
async function inPalette(
  page: Page,
  title: string,
  act: (row: Locator, timeout: number) => Promise<void>,
  timeoutMs = 60_000,
): Promise<void> {
  const input = page.locator('.quick-input-widget input[type="text"]');
  const row = page
    .locator('.quick-input-widget .monaco-list-row')
    .filter({ has: page.locator('.label-name').getByText(title, { exact: true }) })
    .first();
  const deadline = performance.now() + timeoutMs;
  // Each attempt has more time than the one before, because a busy editor is slow.
  for (let timeout = 1_500; ; timeout *= 2) {
    try {
      await page.keyboard.press('F1');
      await input.fill(`>${title}`, { timeout });
      await act(row, timeout);
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        throw new Error(`The command palette has no entry "${title}"`, { cause: error });
      }
      await page.keyboard.press('Escape');
    }
  }
}
