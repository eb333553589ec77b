import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PNG } from 'pngjs';
import { repository } from '../../../scripts/editor/build.ts';
import { ApiError } from '../../../src/client/apiError.ts';
import { BILLING_PAGE } from '../../../src/features/spend/billing/billingView.ts';
import type { BillingState } from '../../../src/features/spend/billing/billingStore.ts';
import { ToHost } from '../../../src/webviews/billing/messages.ts';
import { accessibilityProblems } from '../axe.ts';
import { THEMES, type Theme } from '../themes.ts';
import { startWebviews, type WebviewPage } from '../webviewPage.ts';
import { LOCAL, response, selection, sentFor } from './sample.ts';
import { byEndpoint, hostedMonth, localDay, NOW } from './states.ts';

const HOSTED = { client: {}, profile: { kind: 'hosted', name: 'api.example.com', teamId: 'team_42' } } as const;
const failed = (kind: ApiError['kind']) => new ApiError(kind, 'access denied', { operation: 'listBilling' });

describe('the billing page', function () {
  let webviews: Awaited<ReturnType<typeof startWebviews>>;
  let open: WebviewPage | undefined;

  before(async () => {
    webviews = await startWebviews(BILLING_PAGE);
  });

  after(() => webviews[Symbol.asyncDispose]());

  type Connection = Parameters<typeof sentFor>[2];
  const show = async (page: WebviewPage, state: Partial<BillingState>, connection: Connection = LOCAL) => {
    const { view, chart } = sentFor(state, NOW, connection);
    await page.receive({ type: 'view', view });
    await page.receive({ type: 'chart', chart });
  };
  const start = async (
    state: Partial<BillingState>,
    options: Parameters<typeof webviews.open>[0] & { connection?: Connection } = {},
  ) => {
    open = await webviews.open(options);
    await show(open, state, options.connection);
    return open;
  };
  /** Returns the text that assistive technology reads for the chart. */
  const spoken = ({ page }: WebviewPage) => page.getByRole('slider').getAttribute('aria-valuetext');

  afterEach(async () => {
    assert.deepEqual(open?.complaints, [], 'the browser reports no errors and no policy violations');
    await open.page.close();
    open = undefined;
  });

  it('shows names and messages as plain text', async () => {
    const hostile = '<img src=x onerror="document.title=1"><a href="command:evil">x</a>';
    const error = new ApiError('server', hostile, { operation: 'listBilling' });
    const connection = { client: {}, profile: { kind: 'hosted', name: hostile } } as const;
    const { page } = await start({ account: { error } }, { connection });
    await page.getByRole('alert').getByText(hostile).waitFor();
    await page.getByRole('heading').getByText(hostile).waitFor();
    assert.equal(await page.locator('img, a').count(), 0);
  });

  it('reports that it is ready, and shows a loading message until it receives a valid view', async () => {
    const { page, sent, receive } = await start({ busy: true });
    assert.deepEqual(await sent(), [{ type: 'ready' }]);
    await page.getByText('Loading the spend…').waitFor();
    await receive({ type: 'view', view: { selection: 'nonsense' } });
    await receive({ type: 'chart', chart: { times: [] } });
    await page.getByText('Loading the spend…').waitFor();
  });

  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`has no accessibility problem in the ${theme} theme`, async () => {
      const opened = await start(localDay, { theme });
      const { page, screenshot } = opened;
      await page.locator('.figure', { hasText: '$0.00323' }).waitFor();
      await screenshot(`billing-local-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
      await show(opened, hostedMonth, HOSTED);
      await page.getByRole('slider').focus();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.tooltip', { hasText: 'Cluster networking' }).waitFor();
      await screenshot(`billing-hosted-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.getByRole('button', { name: 'Show as Table' }).click();
      await page.locator('.table').waitFor();
      await screenshot(`billing-table-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
      await show(opened, { ...byEndpoint, account: { ...byEndpoint.account, error: failed('forbidden') } }, HOSTED);
      await page.getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'Show as Chart' }).click();
      await page.locator('.chart').waitFor();
      await screenshot(`billing-endpoints-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
    });

    it(`is usable at 200 % zoom in the ${theme} theme`, async () => {
      const { page, screenshot } = await start(hostedMonth, { theme, zoom: 2, connection: HOSTED });
      await page.locator('.chart canvas').waitFor();
      await screenshot(`billing-zoomed-${theme}`);
      assert.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
    });
  }

  it('keeps the colors of the groups where the system replaces all others', async () => {
    const { page, screenshot } = await start(hostedMonth, { forcedColors: true, connection: HOSTED });
    await page.locator('.chart canvas').waitFor();
    await screenshot('billing-forced-colors');
    const colors = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.legend .swatch')].map((one) => getComputedStyle(one).borderColor)`,
    );
    assert.ok(new Set(colors).size > 3, colors.join());
  });

  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`colors each group in the ${theme} theme, which has no colors for charts`, async () => {
      const { page } = await start(hostedMonth, { theme, connection: HOSTED });
      await page.locator('.chart canvas').waitFor();
      const colors = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.legend .swatch')].map((one) => getComputedStyle(one).getPropertyValue('--color'))`,
      );
      assert.ok(colors.length > 0 && !colors.includes(''), colors.join());
    });
  }

  it('gives secondary buttons no background in the high-contrast theme', async () => {
    const { page } = await start(localDay, { theme: 'high-contrast' });
    await page.locator('vscode-button[secondary]').first().waitFor();
    const background = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('vscode-button[secondary]')).backgroundColor`,
    );
    assert.equal(background, 'rgba(0, 0, 0, 0)');
  });

  it('does not animate if the system asks for reduced motion', async () => {
    const { page } = await start({ ...hostedMonth, busy: true });
    const animation = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('.progress'), '::after').animationName`);
    assert.notEqual(await animation(), 'none');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await animation(), 'none');
  });

  it('isolates names that run from right to left', async () => {
    const name = 'נקודת קצה (1)';
    const resources = {
      value: {
        endpoints: [
          { id: 'endpoint0', name: 'מודל א׳ 7B', gpu: null },
          { id: 'endpoint1', name: 'نموذج ٢', gpu: null },
        ],
      },
    };
    const connection = { client: {}, profile: { kind: 'hosted', name, teamId: 'צוות 5' } } as const;
    const { page, screenshot } = await start({ ...byEndpoint, resources }, { connection });
    await page.locator('.legend .name', { hasText: 'מודל א׳ 7B' }).waitFor();
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.tooltip').waitFor();
    await screenshot('billing-rtl');
    // The amount stays to the right of its name.
    const item = page.locator('.legend li', { hasText: 'מודל א׳ 7B' });
    const [label, amount] = await Promise.all([
      item.locator('.name').boundingBox(),
      item.locator('.amount').boundingBox(),
    ]);
    assert.ok(label && amount && label.x + label.width <= amount.x + 1);
    const [first, second] = await page.locator('h1 .dim').all();
    const [connected, team] = await Promise.all([first?.boundingBox(), second?.boundingBox()]);
    assert.ok(connected && team && connected.x + connected.width <= team.x + 1);
  });

  it('fits a narrow column', async () => {
    const opened = await start(hostedMonth, { width: 320, connection: HOSTED });
    await opened.page.getByRole('slider').focus();
    await opened.screenshot('billing-narrow');
    assert.ok(await opened.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
    await show(opened, { ...localDay, selection: selection({ period: 'custom', start: '2025-11-01T00:00:00Z' }) });
    await opened.page.getByLabel('Until (UTC)').waitFor();
    await opened.screenshot('billing-narrow-custom');
    assert.ok(await opened.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
  });

  it('names the connection, the team, and the window in UTC and local time', async () => {
    const { page } = await start(hostedMonth, { connection: HOSTED, timeZone: 'America/New_York' });
    await page.getByRole('heading', { name: 'Billing api.example.com Team team_42' }).waitFor();
    await page.getByText('Oct 23, 2025, 00:00 to Nov 22, 2025, 00:00 UTC').waitFor();
    await page.getByText('Oct 22, 2025, 20:00 to Nov 21, 2025, 19:00 America/New_York').waitFor();
  });

  it('shows the change against the window before and the forecast with its basis', async () => {
    const { page } = await start(hostedMonth);
    await page.getByText('than in the 29 days before').waitFor();
    await page.getByRole('heading', { name: 'November 2025' }).waitFor();
    await page.getByText('Based on $20.07 a day, the mean of the last 14 days.').waitFor();
  });

  it('moves through the bars by keyboard and speaks their values', async () => {
    const opened = await start(localDay);
    const { page } = opened;
    await page.getByRole('slider').focus();
    assert.equal(
      await spoken(opened),
      'Fri, Nov 21, 2025, 14:00 to 15:00 UTC, so far: $0.00046. Serverless CPU $0.0004, Serverless disk $0.00006',
    );
    await page.keyboard.press('Home');
    assert.equal(await spoken(opened), 'Thu, Nov 20, 2025, 15:00 to 16:00 UTC: no spend');
    assert.equal(await page.getByRole('slider').getAttribute('aria-valuenow'), '1');
    await page.keyboard.press('Escape');
    await page.locator('.tooltip').waitFor({ state: 'detached' });
  });

  it('keeps the current bar when new amounts arrive', async () => {
    const opened = await start(localDay);
    await opened.page.getByRole('slider').focus();
    await opened.page.keyboard.press('ArrowLeft');
    await show(opened, { ...localDay, busy: true });
    assert.equal(await opened.page.getByRole('slider').getAttribute('aria-valuenow'), '23');
    assert.equal(await opened.page.locator('[role=slider]:focus').count(), 1);
  });

  it('shows the tooltip of the bar under the pointer', async () => {
    const { page } = await start(localDay);
    const over = page.locator('.u-over');
    const { width } = (await over.boundingBox()) ?? { width: 0 };
    await over.hover({ position: { x: (20.5 / 24) * width, y: 100 } });
    await page.locator('.tooltip', { hasText: '$0.00138' }).waitFor();
    await page.getByRole('heading').first().hover();
    await page.locator('.tooltip').waitFor({ state: 'detached' });
  });

  it('zooms with the keyboard, the buttons, and a selection, and keeps the zoom', async () => {
    const opened = await start(hostedMonth);
    const { page } = opened;
    const zoom = () => page.evaluate<[number, number] | undefined>('acquireVsCodeApi().getState().zoom');
    assert.equal(await zoom(), undefined);
    await page.getByRole('slider').focus();
    await page.keyboard.press('+');
    const [start15, end15] = (await zoom()) ?? [0, 0];
    assert.equal((end15 - start15) / 86_400_000, 15);
    await page.keyboard.press('Home');
    assert.equal((await zoom())?.[0], Date.parse('2025-10-23T00:00Z'), 'the view follows the current bar');
    await page.getByRole('button', { name: 'Whole Period' }).click();
    assert.equal(await zoom(), undefined);
    const box = (await page.locator('.u-over').boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(box.x + box.width * 0.52, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.78, box.y + 60);
    await page.mouse.up();
    const [from, to] = (await zoom()) ?? [0, 0];
    assert.deepEqual(
      [from, to].map((time) => new Date(time).toISOString().slice(0, 10)),
      ['2025-11-07', '2025-11-16'],
    );
    await show(opened, { ...hostedMonth, busy: true });
    assert.deepEqual(await zoom(), [from, to], 'new data keeps the zoom');
  });

  it('paints every series, the running bar, and a credit below zero', async () => {
    const { page } = await start(hostedMonth);
    await page.locator('.chart canvas').waitFor();
    const colors = await page.evaluate<number>(`(() => {
      const canvas = document.querySelector('.chart canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Map();
      for (let at = 0; at < data.length; at += 4) {
        const key = data.slice(at, at + 4).join();
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
      return [...seen.values()].filter((count) => count > 200).length;
    })()`);
    assert.ok(colors >= 6, `${colors} colors cover a visible area`);
  });

  it('gives each group a color and pattern of its own', async () => {
    const opened = await start(hostedMonth);
    const distinct = async () => {
      const styles = await opened.page.evaluate<string[]>(
        `[...document.querySelectorAll('.legend .swatch')].map((swatch) => swatch.className)`,
      );
      return [new Set(styles).size, styles.length];
    };
    assert.deepEqual(await distinct(), [12, 12]);
    await show(opened, byEndpoint);
    assert.deepEqual(await distinct(), [12, 12]);
  });

  it('hides and shows groups with the legend, and never the last one', async () => {
    const opened = await start(localDay);
    const { page } = opened;
    const cpu = page.getByRole('button', { name: /Serverless CPU/ });
    const disk = page.getByRole('button', { name: /Serverless disk/ });
    await cpu.click();
    assert.equal(await cpu.getAttribute('aria-pressed'), 'false');
    assert.doesNotMatch((await spoken(opened)) ?? '', /CPU/);
    await disk.click();
    assert.equal(await disk.getAttribute('aria-pressed'), 'true');
    assert.equal(await page.locator('.card .figure').first().innerText(), '$0.00323', 'the total does not change');
    await page.getByRole('button', { name: 'Show All Groups' }).click();
    assert.equal(await cpu.getAttribute('aria-pressed'), 'true');
  });

  it('shows the numbers of the chart in a table that can be sorted', async () => {
    const { page } = await start(localDay, { theme: 'light' });
    await page.getByRole('button', { name: 'Show as Table' }).click();
    const rows = page.locator('.table tbody tr');
    assert.equal(await rows.count(), 24);
    assert.match(
      (await rows.first().textContent()) ?? '',
      /14:00 to 15:00 UTC, so far\s*\$0\.00046\s*\$0\.0004\s*\$0\.00006/,
    );
    const total = page.getByRole('columnheader', { name: 'Total' });
    await total.getByRole('button').click();
    assert.equal(await total.getAttribute('aria-sort'), 'descending');
    assert.match((await rows.first().textContent()) ?? '', /\$0\.00138/);
    await total.getByRole('button').click();
    assert.equal(await total.getAttribute('aria-sort'), 'ascending');
    assert.match((await page.locator('.table tfoot').textContent()) ?? '', /\$0\.00323/);
  });

  it('shows thousands of rows in steps', async () => {
    const year = response('hour', '2024-11-21T15:00Z', new Array(8784).fill({ serverlessCpuAmount: 0.01 }));
    const { page } = await start({ account: { value: year } });
    await page.getByRole('button', { name: 'Show as Table' }).click();
    await page.getByText('200 of 8,784 rows').waitFor();
    await page.getByText('Show 200 More').click();
    assert.equal(await page.locator('.table tbody tr').count(), 400);
  });

  it('draws the last bars of a long window, and says so', async () => {
    const long = response('hour', '2023-11-21T15:00Z', new Array(17_544).fill({ serverlessCpuAmount: 0.01 }));
    const { page, screenshot } = await start({ account: { value: long } });
    await page.getByText('The chart and the table have the last 10,000 of 17,544 bars.').waitFor();
    await page.getByText('Exports as CSV and JSON have all of them.').waitFor();
    assert.equal(await page.getByRole('slider').getAttribute('aria-valuemax'), '10000');
    await page.getByText('Nov 21, 2023, 15:00 to Nov 21, 2025, 15:00 UTC').waitFor();
    await page.getByText('17,544 records').waitFor();
    await screenshot('billing-long');
  });

  it('shows the number of records', async () => {
    const { page } = await start(localDay);
    await page.getByText('4 records', { exact: true }).waitFor();
  });

  it('restores its state', async () => {
    const { page, sent } = await start(localDay, {
      state: {
        selection: selection({}),
        asTable: true,
        hidden: ['serverlessDiskAmount'],
        sort: { column: 'total', descending: true },
      },
    });
    await page.locator('.table').waitFor();
    assert.equal(await page.locator('[aria-pressed=false]').count(), 1);
    assert.equal(await page.getByRole('columnheader', { name: 'Total' }).getAttribute('aria-sort'), 'descending');
    assert.deepEqual(await sent(), [{ type: 'ready' }]);
  });

  it('accepts the state of the previous version', async () => {
    const { page } = await start(localDay, { state: { range: 'day', asTable: true } });
    await page.locator('.table').waitFor();
  });

  it('requests the selected period, bars, and groups', async () => {
    const { page, sent, screenshot } = await start(localDay);
    const choose = async (name: string, option: string) => {
      await page.getByRole('combobox', { name }).click();
      if (name === 'Period') await screenshot('billing-periods');
      await page.getByRole('option', { name: option, exact: true }).click();
      const last = (await sent()).at(-1);
      assert.deepEqual(ToHost.parse(last), last, 'the editor accepts the message');
      return last;
    };
    assert.deepEqual(await choose('Period', 'Last 30 days'), { type: 'select', change: { period: 'month' } });
    assert.deepEqual(await choose('Stacked by', 'GPU type'), { type: 'select', change: { grouping: 'gpu' } });
  });

  it('reads custom days in UTC and includes the last one', async () => {
    const custom = { period: 'custom', bucketSize: 'day', start: '2025-11-01T00:00:00.000Z' } as const;
    const { page, sent, screenshot } = await start(
      { ...hostedMonth, selection: selection({ ...custom, end: '2025-11-22T00:00:00.000Z' }) },
      { timeZone: 'Pacific/Auckland' },
    );
    assert.equal(await page.getByLabel('Last day (UTC)').inputValue(), '2025-11-21');
    await screenshot('billing-custom');
    await page.getByLabel('Last day (UTC)').fill('2025-11-10');
    await page.getByLabel('Last day (UTC)').blur();
    assert.deepEqual((await sent()).at(-1), {
      type: 'select',
      change: { end: '2025-11-11T00:00:00.000Z' },
    });
  });

  it('explains an invalid selection next to its fields', async () => {
    const { page } = await start({
      ...localDay,
      selection: selection({ period: 'last', count: 0 }),
      problem: 'noCount',
    });
    await page.getByRole('alert').getByText('Enter a whole number of at least 1.').waitFor();
    assert.equal(await page.getByLabel('Number').getAttribute('aria-invalid'), 'true');
    await page.locator('.chart').waitFor();
  });

  it('requests a refresh, exports, and a copy, and confirms them', async () => {
    const { page, sent, receive } = await start(localDay);
    for (const name of ['Refresh', 'Export CSV…', 'Export JSON…', 'Copy as CSV'])
      await page.getByText(name, { exact: true }).click();
    assert.deepEqual((await sent()).slice(1), [
      { type: 'refresh' },
      { type: 'export', format: 'csv' },
      { type: 'export', format: 'json' },
      { type: 'copy' },
    ]);
    await receive({ type: 'exported', to: 'clipboard' });
    await page.getByRole('status').filter({ hasText: 'Copied as CSV' }).waitFor();
    await page.getByText('Copy as CSV').waitFor();
  });

  it('draws a picture that the editor accepts', async () => {
    const { page } = await start(hostedMonth);
    await page.getByText('Export PNG…').click();
    await page.evaluate(`new Promise((resolve) => {
      const look = () => (sent.at(-1).type === 'exportPicture' ? resolve() : requestAnimationFrame(look));
      look();
    })`);
    const bytes = await page.evaluate<number[]>('[...sent.at(-1).bytes]');
    assert.ok(ToHost.safeParse({ type: 'exportPicture', bytes: Uint8Array.from(bytes) }).success);
    const file = path.join(repository, 'artifacts', 'screenshots', 'webviews', 'billing-picture.png');
    await writeFile(file, Uint8Array.from(bytes));
    const { width, height } = PNG.sync.read(Buffer.from(bytes));
    assert.ok(width > 600 && height > 350, `${width} × ${height}`);
  });

  it('explains an empty period and offers to run a job', async () => {
    const { page, sent, screenshot } = await start({
      account: { value: response('hour', '2025-11-20T15:00Z', new Array(24).fill({})), readAt: NOW },
    });
    await page.getByText('There is no usage in this period.').waitFor();
    await screenshot('billing-empty');
    await page.getByText('Run Job…').click();
    assert.deepEqual((await sent()).at(-1), { type: 'act', action: 'runJob' });
  });

  it('draws one bucket', async () => {
    const { page, screenshot } = await start({
      account: { value: response('year', '2025-01-01', [{ podGpuAmount: 1234.5 }]) },
    });
    await page.locator('.chart canvas').waitFor();
    await screenshot('billing-one');
    assert.equal(await page.getByRole('slider').getAttribute('aria-valuemax'), '1');
  });

  it('shows a failure with its remedies above the previous data', async () => {
    const opened = await start({ account: { error: failed('forbidden') } });
    const { page, sent, screenshot } = opened;
    await page.getByRole('alert').filter({ hasText: 'no access to billing (access denied)' }).waitFor();
    assert.equal(await page.locator('.chart').count(), 0);
    await page.getByText('Replace API Key').click();
    await page.getByText('Try Again').click();
    assert.deepEqual((await sent()).slice(1), [{ type: 'act', action: 'replaceKey' }, { type: 'refresh' }]);
    await show(opened, { ...localDay, account: { ...localDay.account, error: failed('network') } });
    await page.getByText('The data below may be out of date.').waitFor();
    await page.locator('.chart').waitFor();
    await screenshot('billing-failure');
  });

  it('keeps the total and the forecast when one report is forbidden', async () => {
    const { page, screenshot } = await start({ ...byEndpoint, groups: { error: failed('forbidden') } });
    await page.getByRole('alert').filter({ hasText: 'no access to the spend by endpoint (access denied)' }).waitFor();
    await page.getByRole('heading', { name: 'November 2025' }).waitFor();
    assert.match(await page.locator('.card .figure').first().innerText(), /^\$\d/);
    await screenshot('billing-forbidden-report');
  });
});
