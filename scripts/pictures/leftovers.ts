import type { Page } from 'playwright-core';
import { repository } from '../editor/build.ts';

/** Match texts that pictures for readers must not contain: temporary folders, local addresses, and facts about this browser. */
const LEFTOVERS = [
  /\/tmp\/\S*/,
  /\bcloud-compute-\w{6}\b/,
  /\b(127\.0\.0\.1|localhost)\S*/,
  // The keyboard layout of the browser, in the status bar.
  /\bLayout: \S+/,
];

/** The folder of a worker, at the end of the row of its endpoint. */
const FOLDER = / · (\S+)\/$/;

/** Settings of an editor that counts no ports of this machine in the status bar and the panel. */
export const WITHOUT_PORTS = { 'remote.autoForwardPorts': false };

/**
 * Checks that a page shows nothing that only exists because a script takes its picture.
 *
 * @throws Error with the leftover
 */
export async function refuseLeftovers(page: Page): Promise<void> {
  const texts = await Promise.all(
    page.frames().map((frame) =>
      frame
        .locator('body')
        .innerText()
        .catch(() => ''),
    ),
  );
  if (texts.some((text) => text.includes(repository)))
    throw new Error('The picture contains the folder of the repository.');
  for (const text of texts)
    for (const pattern of LEFTOVERS) {
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) throw new Error(`The picture contains "${found}".`);
    }
  const rows = await page.getByRole('treeitem').allInnerTexts();
  const folders = rows.flatMap((row) => FOLDER.exec(row.trim())?.[1] ?? []);
  if (folders.length > 1 && new Set(folders).size === 1)
    throw new Error(`The picture contains the folder "${folders[0]}" for each endpoint.`);
  const tooltips = await page.locator('.monaco-hover:visible, .workbench-hover:visible').count();
  if (tooltips > 0) throw new Error('The picture contains a tooltip.');
  const ports = await page.locator('[id="status.forwardedPorts"]').allInnerTexts();
  if (ports.some((text) => /[1-9]/.test(text))) throw new Error('The picture contains the number of forwarded ports.');
}
