import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the violations of accessibility rules on a page, each as its rule and the selector of an element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // A script that the browser injects is not subject to the policy of the page.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')} (${failureSummary})`),
  );
}
