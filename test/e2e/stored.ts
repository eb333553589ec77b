import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/**
 * Makes the editor store its state (tabs, layout) in the databases of the browser, by removing the focus. The editor also stores it each
 * minute and when its page closes, but closing does not wait. Resolves once the state contains `text`, and rejects after `timeoutMs`.
 */
export async function whenStored(page: Page, text: string, timeoutMs = 30_000): Promise<void> {
  // An editor whose focus is in a webview already counts as unfocused, so the focus must return first.
  await page.evaluate(`
    dispatchEvent(new Event('focus'));
    document.hasFocus = () => false;
    dispatchEvent(new Event('blur'));
  `);
  const end = performance.now() + timeoutMs;
  while (!JSON.stringify(await page.context().storageState({ indexedDB: true })).includes(text)) {
    if (performance.now() > end) {
      throw new Error(`The editor did not store "${text}" within ${timeoutMs} ms.`);
    }
    // Polls, because no event reports stored data.
    await delay(100);
  }
}
