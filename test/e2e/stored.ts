import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/** Keys of the editor's stored state. A value contains JSON. */
export const storedKeys = {
  /** The open tabs. */
  tabs: 'memento/workbench.parts.editor',
  /** The state of the extension, such as its jobs. */
  extension: 'cloud-compute.cloud-compute',
  /** The completed steps of walkthroughs. */
  walkthroughs: 'memento/gettingStartedService',
} as const;

/**
 * Makes the editor store its state (tabs, layout) in the databases of the browser, by removing the focus. The editor also stores it each
 * minute and when its page closes, but closing does not wait. Resolves once the value of `key` contains each of `texts`, and rejects after
 * `timeoutMs`. Other keys can contain the same texts earlier.
 */
export async function whenStored(
  page: Page,
  key: keyof typeof storedKeys,
  texts: readonly string[],
  timeoutMs = 30_000,
): Promise<void> {
  // An editor whose focus is in a webview already counts as unfocused, so the focus must return first.
  await page.evaluate(`
    dispatchEvent(new Event('focus'));
    document.hasFocus = () => false;
    dispatchEvent(new Event('blur'));
  `);
  await whenKept(page, key, texts, timeoutMs);
}

/** Waits for what the editor stores at once, such as the state of the extension. It keeps the focus, and so stores nothing else. */
export async function whenKept(
  page: Page,
  key: keyof typeof storedKeys,
  texts: readonly string[],
  timeoutMs = 30_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const values = await storedValues(page, storedKeys[key]);
    const missing = texts.filter((text) => !values.some((value) => value.includes(text)));
    if (missing.length === 0) return;
    if (performance.now() > end) {
      throw new Error(
        `The editor did not store ${missing.join(' and ')} in its ${key} within ${timeoutMs} ms: ${values.join('\n')}`,
      );
    }
    // Polls, because no event reports stored data.
    await delay(100);
  }
}

/** The part of a stored origin that the types of Playwright do not declare. */
interface StoredOrigin {
  readonly origin: string;
  readonly indexedDB?: readonly {
    readonly stores: readonly { readonly records: readonly { readonly key?: unknown; readonly value?: unknown }[] }[];
  }[];
}

/** Resolves with the values of a key in all databases: those of the folder and those of the profile. */
async function storedValues(page: Page, key: string): Promise<string[]> {
  const origins: readonly StoredOrigin[] = (await page.context().storageState({ indexedDB: true })).origins;
  const stores = origins.flatMap(({ indexedDB = [] }) => indexedDB.flatMap((database) => database.stores));
  const records = stores.flatMap((store) => store.records.filter((record) => record.key === key));
  return records.map((record) => String(record.value));
}
