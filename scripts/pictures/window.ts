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
