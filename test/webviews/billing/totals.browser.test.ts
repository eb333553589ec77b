import assert from 'node:assert/strict';
import { billingChart, billingView, BILLING_PAGE } from '../../../src/features/spend/billing/billingView.ts';
import { queryOf, selectionOf } from '../../../src/features/spend/billing/model/selection.ts';
import { exactAmountText } from '../../../src/webviews/charts/numbers.ts';
import { NOW, startSeededPlatform } from '../../features/spend/billing/seededPlatform.ts';
import { startWebviews } from '../webviewPage.ts';
import { LOCAL } from './sample.ts';

describe('the billing page with the bill of a platform', () => {
  it('shows the totals of the API in the figure, the legend, and the table', async () => {
    await using platform = await startSeededPlatform();
    await using webviews = await startWebviews(BILLING_PAGE);
    const selection = selectionOf('thisMonth');
    const { metadata, records } = await platform.client.listBilling({ query: queryOf(selection, NOW) }, {});
    const { state, now } = await platform.read(selection);
    const { page, receive, complaints } = await webviews.open();
    await receive({ type: 'view', view: billingView(state, LOCAL, now) });
    await receive({ type: 'chart', chart: billingChart(state, now) });

    const titles = (selector: string) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('${selector}')].map((element) => element.title)`);
    const total = exactAmountText(metadata.totals.totalAmount);
    assert.equal(await page.locator('.card .figure').first().getAttribute('title'), total);
    const amounts = Object.entries(metadata.totals).filter(([name, amount]) => name !== 'totalAmount' && amount !== 0);
    assert.deepEqual(
      (await titles('.legend button')).sort(),
      amounts.map(([, amount]) => exactAmountText(Number(amount))).sort(),
    );
    await page.getByRole('button', { name: 'Show as Table' }).click();
    assert.equal(await page.locator('.table tfoot td').first().getAttribute('title'), total);
    assert.deepEqual(
      await titles('.table tbody td:nth-child(2)'),
      records.map(({ totalAmount }) => exactAmountText(totalAmount)).reverse(),
    );
    assert.deepEqual(complaints, []);
  });
});
