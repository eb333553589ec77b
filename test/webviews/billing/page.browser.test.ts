import assert from 'node:assert/strict';
import type { BillingAmounts } from '../../../src/contract/billing.ts';
import type { BillingToWebview, BillingView } from '../../../src/webviews/billing/messages.ts';
import { billingPage } from '../../../src/features/billing/billingPage.ts';
import { THEMES, type Theme } from '../themes.ts';
import { startWebviews, type WebviewPage } from '../webviewPage.ts';
import { response } from './sample.ts';

const UPDATED_AT = '2025-11-21T14:30:00.000Z';

/** A day on the local platform with a few hours of one CPU worker. */
const localDay = response('hour', '2025-11-20T15:00Z', [
  ...new Array<undefined>(19).fill(undefined),
  { serverlessCpuAmount: 0.00041, serverlessDiskAmount: 0.00006 },
  { serverlessCpuAmount: 0.0012, serverlessDiskAmount: 0.00018 },
  undefined,
  { serverlessCpuAmount: 0.0008, serverlessDiskAmount: 0.00012 },
  { serverlessCpuAmount: 0.0004, serverlessDiskAmount: 0.00006 },
]);

/** A month on a hosted platform with spend in all series. */
const hostedMonth = response(
  'day',
  '2025-10-23',
  Array.from({ length: 30 }, (_, index): Partial<BillingAmounts> => {
    const wave = 1 + Math.sin(index / 3);
    return {
      serverlessGpuAmount: 12 * wave,
      serverlessCpuAmount: 2.5 * wave,
      serverlessDiskAmount: 0.4,
      endpointAmount: index % 4 === 0 ? 3.2 : 0,
      storageStandardAmount: 1.1,
      storageHighPerformanceAmount: 0.7,
      podGpuAmount: index > 12 ? 9 : 0,
      podCpuAmount: index > 12 ? 1.4 : 0,
      podDiskAmount: index > 12 ? 0.5 : 0,
      clusterGpuAmount: index > 20 ? 14 : 0,
      clusterDiskAmount: index > 20 ? 1 : 0,
      clusterNetworkingAmount: index > 20 ? 0.6 : 0,
    };
  }),
);

const view = (change: Partial<BillingView>): BillingToWebview => ({
  type: 'view',
  view: { range: 'day', connection: 'Local Platform', busy: false, ...change },
});
const withReport = (answer: typeof localDay, change: Partial<BillingView> = {}) =>
  view({ report: { response: answer, updatedAt: UPDATED_AT }, ...change });

describe('the billing page', function () {
  this.timeout(60_000);

  let webviews: Awaited<ReturnType<typeof startWebviews>>;
  let open: WebviewPage | undefined;

  before(async () => {
    webviews = await startWebviews((origin) =>
      billingPage({ script: `${origin}/billing.js`, style: `${origin}/billing.css`, source: origin, nonce: 'a-nonce' }),
    );
  });

  after(() => webviews[Symbol.asyncDispose]());

  const start = async (message: BillingToWebview, options: Parameters<typeof webviews.open>[0] = {}) => {
    open = await webviews.open(options);
    await open.receive(message);
    return open;
  };

  afterEach(async () => {
    assert.deepEqual(open?.complaints, [], 'the browser reports no errors and no policy violations');
    await open.page.close();
    open = undefined;
  });

  it('shows names and messages as plain text', async () => {
    const hostile = '<img src=x onerror="document.title=1"><a href="command:evil">x</a>';
    const failure = { message: hostile, retry: true };
    const { page } = await start(view({ connection: hostile, failure }));
    await page.getByRole('alert').getByText(hostile).waitFor();
    await page.getByRole('heading').getByText(hostile).waitFor();
    assert.equal(await page.locator('img, a').count(), 0);
  });

  it('reports that it is ready, and shows a loading message until it receives a valid view', async () => {
    const { page, sent, receive } = await start(view({ busy: true }));
    assert.deepEqual(await sent(), [{ type: 'ready' }]);
    await page.getByText('Loading the spend…').waitFor();
    await receive({ type: 'view', view: { range: 'nonsense' } });
    await page.getByText('Loading the spend…').waitFor();
  });

  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`draws a local day and a hosted month in the ${theme} theme`, async () => {
      const { page, receive, screenshot } = await start(withReport(localDay), { theme });
      await page.locator('.figure', { hasText: '$0.00323' }).waitFor();
      await page.locator('.bar').nth(20).hover();
      await page.locator('.tooltip', { hasText: '$0.00138' }).waitFor();
      await screenshot(`billing-local-${theme}`);
      await receive(withReport(hostedMonth, { range: 'month', connection: 'api.example.com' }));
      await page.locator('.bar').nth(25).focus();
      await page.keyboard.press('ArrowRight');
      await page.locator('.tooltip', { hasText: 'Cluster networking' }).waitFor();
      await screenshot(`billing-hosted-${theme}`);
    });
  }

  it('gives each resource its own color', async () => {
    const { page } = await start(withReport(hostedMonth));
    const colors = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.legend .swatch')].map((swatch) => getComputedStyle(swatch).backgroundColor)`,
    );
    assert.equal(new Set(colors).size, 12);
  });

  it('makes each bar reachable by keyboard and puts one bar in the tab order', async () => {
    const { page } = await start(withReport(localDay));
    const inTabOrder = page.locator('.bar[tabindex="0"]');
    assert.equal(await inTabOrder.count(), 1);
    await inTabOrder.focus();
    const label = () => page.locator('.bar:focus').getAttribute('aria-label');
    assert.equal(
      await label(),
      'Fri, Nov 21, 2025, 14:00 to 15:00 UTC, so far: $0.00046. Serverless CPU $0.0004, Serverless disk $0.00006',
    );
    await page.keyboard.press('Home');
    assert.equal(await label(), 'Thu, Nov 20, 2025, 15:00 to 16:00 UTC: no spend');
    assert.equal(await inTabOrder.count(), 1);
    await page.keyboard.press('Escape');
    await page.locator('.tooltip').waitFor({ state: 'detached' });
  });

  it('keeps the focused bar when new amounts arrive', async () => {
    const { page, receive } = await start(withReport(localDay));
    await page.locator('.bar[tabindex="0"]').focus();
    await page.keyboard.press('ArrowLeft');
    await receive(withReport(localDay, { busy: true }));
    await receive(withReport(localDay));
    assert.equal(await page.locator('.bar:focus').getAttribute('data-index'), '22');
  });

  it('switches between the chart and a table with the same amounts', async () => {
    const { page, screenshot } = await start(withReport(localDay), { theme: 'light' });
    await page.getByText('Show as Table').click();
    const rows = page.locator('.table tbody tr');
    assert.equal(await rows.count(), 24);
    assert.match(
      (await rows.first().textContent()) ?? '',
      /14:00 to 15:00 UTC, so far\s*\$0\.00046\s*\$0\.0004\s*\$0\.00006/,
    );
    await screenshot('billing-table');
    await page.getByText('Show as Chart').click();
    await page.locator('.chart').waitFor();
  });

  it('restores its state', async () => {
    const { page, sent } = await start(withReport(localDay), { state: { range: 'day', asTable: true } });
    await page.locator('.table').waitFor();
    assert.deepEqual(await sent(), [{ type: 'ready' }]);
  });

  it('requests the selected range', async () => {
    const { page, sent, screenshot } = await start(withReport(localDay));
    await page.getByRole('combobox', { name: 'Time range' }).click();
    await screenshot('billing-ranges');
    await page.getByRole('option', { name: 'Last 30 days' }).click();
    assert.deepEqual((await sent()).at(-1), { type: 'setRange', range: 'month' });
  });

  it('requests a refresh and a copy, and confirms the copy', async () => {
    const { page, sent, receive } = await start(withReport(localDay));
    await page.getByText('Refresh').click();
    await page.getByText('Copy as CSV').click();
    assert.deepEqual((await sent()).slice(1), [{ type: 'refresh' }, { type: 'copyCsv' }]);
    await receive({ type: 'copied' });
    await page.getByRole('status').filter({ hasText: 'Copied as CSV' }).waitFor();
    await page.getByText('Copy as CSV').waitFor();
  });

  it('explains an empty period and offers to run a job', async () => {
    const { page, sent, screenshot } = await start(withReport(response('hour', '2025-11-20T15:00Z', [])));
    await page.getByText('There is no usage in this period.').waitFor();
    await screenshot('billing-empty');
    await page.getByText('Run Job…').click();
    assert.deepEqual((await sent()).at(-1), { type: 'act', action: 'runJob' });
  });

  it('shows a failure with its remedies above the previous data', async () => {
    const failure = {
      message: 'The API key has no access to billing (access denied).',
      retry: true,
      remedy: { label: 'Replace API Key', action: 'replaceKey' as const },
    };
    const { page, sent, receive, screenshot } = await start(view({ failure }));
    await page.getByRole('alert').filter({ hasText: 'no access to billing (access denied)' }).waitFor();
    assert.equal(await page.locator('.chart').count(), 0);
    await page.getByText('Replace API Key').click();
    await page.getByText('Try Again').click();
    assert.deepEqual((await sent()).slice(1), [{ type: 'act', action: 'replaceKey' }, { type: 'refresh' }]);
    await receive(withReport(localDay, { failure }));
    await page.getByText('The data below may be out of date.').waitFor();
    await page.locator('.chart').waitFor();
    await screenshot('billing-failure');
  });

  it('fits a narrow column', async () => {
    const { page, screenshot } = await start(withReport(hostedMonth, { range: 'month' }), { width: 380 });
    await page.locator('.bar').last().hover();
    await screenshot('billing-narrow');
    assert.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
  });
});
