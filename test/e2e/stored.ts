import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/**
 * The editor stores what is open (tabs, layout) in the browser's databases: every minute, when it is left, and when it
 * loses the focus. The page's end does not wait for the second, so the third is brought about here. Resolves when what is
 * stored mentions `text`; rejects after `timeoutMs`.
 */
export async function whenStored(page: Page, text: string, timeoutMs = 30_000): Promise<void> {
  // One whose focus is in a webview takes itself for left already: it comes back first.
  await page.evaluate(`
    dispatchEvent(new Event('focus'));
    document.hasFocus = () => false;
    dispatchEvent(new Event('blur'));
  `);
  const end = performance.now() + timeoutMs;
  while (!JSON.stringify(await page.context().storageState({ indexedDB: true })).includes(text)) {
    if (performance.now() > end) {
      throw new Error(`The editor stored nothing with "${text}" within ${timeoutMs} ms.`);
    }
    // No event tells what a page has stored.
    await delay(100);
  }
}
