import type { Locator, Page } from 'playwright-core';

/** Runs the command with exactly this title from the command palette, such as "Cloud Compute: Run Job". */
export async function runCommand(page: Page, title: string): Promise<void> {
  await (await findCommand(page, title)).click();
}

/**
 * Opens the command palette and waits for the entry with exactly this title. The palette does not update when an extension adds a command
 * later, so the text is typed again until the entry exists.
 */
export async function findCommand(page: Page, title: string, timeoutMs = 30_000): Promise<Locator> {
  const input = page.locator('.quick-input-widget input[type="text"]');
  const row = page
    .locator('.quick-input-widget .monaco-list-row')
    .filter({ has: page.locator('.label-name').getByText(title, { exact: true }) })
    .first();
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    await page.keyboard.press('F1');
    await input.waitFor();
    await input.fill(`>${title}`);
    try {
      await row.waitFor({ timeout: 1500 });
      return row;
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error(`The command palette has no entry "${title}"`, { cause: error });
      }
      await page.keyboard.press('Escape');
    }
  }
}
