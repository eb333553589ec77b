import type { Page } from 'playwright-core';

/** The themes of pictures that exist in two variants. */
export const THEMES = { dark: 'Default Dark Modern', light: 'Default Light Modern' } as const;

export type Variant = keyof typeof THEMES;

/** Drags the edge of the side bar to a width in CSS pixels. */
export async function widenSideBar(page: Page, width: number): Promise<void> {
  const box = await page.locator('.part.sidebar').boundingBox();
  if (!box) throw new Error('The side bar is hidden');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + width, y, { steps: 5 });
  await page.mouse.up();
}

/** Status bar items about the browser that takes the picture. No setting hides them. */
const OF_THE_BROWSER = ['status.workbench.keyboardLayout', 'status.forwardedPorts'];

/** Hides the status bar items that readers do not have. */
export async function hideStatusItems(page: Page): Promise<void> {
  const selectors = OF_THE_BROWSER.map((id) => `[id="${id}"]`).join(', ');
  await page.addStyleTag({ content: `${selectors} { display: none !important; }` });
}
