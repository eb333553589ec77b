import assert from 'node:assert/strict';
import { ApiError } from '../../../src/client/apiError.ts';
import { METRICS_PAGE } from '../../../src/features/endpoints/metrics/metricsView.ts';
import type { MetricsState } from '../../../src/features/endpoints/metrics/metricsStore.ts';
import { windowOf } from '../../../src/features/endpoints/metrics/model/window.ts';
import { ToHost } from '../../../src/webviews/metrics/messages.ts';
import { accessibilityProblems } from '../axe.ts';
import { THEMES, type Theme } from '../themes.ts';
import { startWebviews, type WebviewPage } from '../webviewPage.ts';
import {
  busyHour,
  busyYear,
  comparedDay,
  connectionsOf,
  deploymentOf,
  distribution,
  IDLE,
  LOCAL,
  NOW,
  response,
  sentFor,
} from './sample.ts';

const failed = (kind: ApiError['kind']) => new ApiError(kind, 'access denied', { operation: 'getEndpointMetrics' });
const PERIOD = { start: Date.parse('2025-11-21T14:05:00Z'), end: Date.parse('2025-11-21T14:05:10Z') };
const jobs: MetricsState['jobs'] = {
  period: PERIOD,
  value: [
    {
      ...{ id: 'job-slow', status: 'COMPLETED', workerId: 'worker1', release: 3 },
      ...{ createdAt: '2025-11-21T14:04:00Z', finishedAt: '2025-11-21T14:05:03Z' },
    },
    {
      ...{ id: 'job-fast', status: 'FAILED' },
      ...{ createdAt: '2025-11-21T14:05:01Z', finishedAt: '2025-11-21T14:05:04Z' },
    },
  ],
};

describe('the metrics page', function () {
  let webviews: Awaited<ReturnType<typeof startWebviews>>;
  let open: WebviewPage | undefined;

  before(async () => {
    webviews = await startWebviews(METRICS_PAGE);
  });

  after(() => webviews[Symbol.asyncDispose]());

  const show = async (page: WebviewPage, state: Partial<MetricsState>, connections = LOCAL) => {
    const { view, chart } = sentFor(state, connections);
    await page.receive({ type: 'view', view });
    await page.receive({ type: 'chart', chart });
  };
  const start = async (
    state: Partial<MetricsState>,
    options: Parameters<typeof webviews.open>[0] & { connections?: typeof LOCAL } = {},
  ) => {
    open = await webviews.open({ height: 1_300, ...options });
    await show(open, state, options.connections);
    return open;
  };
  const slider = ({ page }: WebviewPage, name: string | RegExp) => page.getByRole('slider', { name });
  /** Returns the text that assistive technology reads for a chart. */
  const spoken = (page: WebviewPage, name: string | RegExp) => slider(page, name).getAttribute('aria-valuetext');

  afterEach(async () => {
    assert.deepEqual(open?.complaints, [], 'the browser reports no errors and no policy violations');
    await open.page.close();
    open = undefined;
  });

  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`has no accessibility problem in the ${theme} theme`, async () => {
      const opened = await start({ ...busyHour, jobs }, { theme });
      const { page, screenshot } = opened;
      await page.locator('[data-section=cost] canvas').waitFor();
      await screenshot(`metrics-hour-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
      await show(opened, comparedDay);
      await slider(opened, /^Jobs/).focus();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.tooltip').waitFor();
      await screenshot(`metrics-compared-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.getByRole('button', { name: 'Show as Table' }).click();
      await page.locator('.table tbody tr').nth(3).waitFor();
      await screenshot(`metrics-table-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
    });

    it(`is usable at 200 % zoom in the ${theme} theme`, async () => {
      const { page, screenshot } = await start({ ...busyHour, jobs }, { theme, zoom: 2 });
      await page.locator('[data-section=cost] canvas').waitFor();
      await screenshot(`metrics-zoom-${theme}`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    });
  }

  it('fits a narrow column', async () => {
    const { page, screenshot } = await start({ ...comparedDay, jobs }, { width: 360 });
    await page.locator('[data-section=cost] canvas').waitFor();
    await screenshot('metrics-narrow');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  });

  it('shows names and messages as plain text', async () => {
    const hostile = '<img src=x onerror="document.title=1">';
    const connections = connectionsOf({ id: 'local', kind: 'local', name: hostile });
    const error = new ApiError('server', hostile, { operation: 'getEndpointMetrics' });
    const { page } = await start({ reading: { error } }, { connections });
    await page.getByRole('alert').getByText(hostile).waitFor();
    await page.getByRole('heading').getByText(hostile).waitFor();
    assert.equal(await page.locator('img').count(), 0);
  });

  it('reports that it is ready, and shows a loading message until it receives a valid view', async () => {
    const { page, sent, receive } = await start({ busy: true });
    assert.deepEqual(await sent(), [{ type: 'ready' }]);
    await receive({ type: 'chart', chart: { count: 2, columns: { p50: [1] } } });
    await page.getByText('Loading the metrics…').waitFor();
  });

  it('moves through the buckets of all charts by keyboard, and speaks their values', async () => {
    const opened = await start(busyHour);
    const { page } = opened;
    await slider(opened, /^End to end/).focus();
    assert.equal(
      await spoken(opened, /^End to end/),
      'Nov 21, 14:30:00 to 14:30:10, so far: p50 519 ms, p90 830 ms, p99 1.24 s, Longest 1.56 s',
    );
    await page.keyboard.press('Home');
    assert.match((await spoken(opened, /^Jobs/)) ?? '', /^Nov 21, 13:30:10 to 13:30:20: Completed 12, Submitted 12$/);
    assert.equal(await slider(opened, 'Cost').getAttribute('aria-valuenow'), '1');
    await page.keyboard.press('Escape');
    await page.locator('.tooltip').waitFor({ state: 'detached' });
  });

  it('says of a bucket without a measurement that it was not measured, and not that it is zero', async () => {
    const opened = await start(busyHour);
    const { page } = opened;
    await slider(opened, 'Cost').focus();
    await page.keyboard.press('Home');
    for (let times = 0; times < 9; times++) await page.keyboard.press('PageUp');
    assert.match((await spoken(opened, 'Cost')) ?? '', /: Not measured$/);
    await page.locator('.tooltip', { hasText: 'Not measured' }).waitFor();
    await page.getByRole('button', { name: 'Show as Table' }).click();
    await page.getByText('200 of 360 rows').waitFor();
    await page.getByText('Show 200 More').click();
    const row = page.locator('.table tbody tr', { hasText: '13:45:10 to 13:45:20' });
    assert.match((await row.textContent()) ?? '', /not measured(\s*–)+\s*$/);
  });

  it('zooms all charts together, and keeps the zoom while time passes', async () => {
    const opened = await start(busyHour);
    const { page } = opened;
    const zoom = () => page.evaluate<[number, number] | undefined>('acquireVsCodeApi().getState().zoom');
    await slider(opened, /^Jobs/).focus();
    await page.keyboard.press('+');
    const [from = 0, to = 0] = (await zoom()) ?? [];
    assert.equal(to - from, 1_800_000);
    await page.keyboard.press('0');
    assert.equal(await zoom(), undefined);
    const box = (await page.locator('[data-section=workers] .u-over').boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40);
    await page.mouse.up();
    const chosen = (await zoom()) ?? [0, 0];
    assert.equal(Math.round((chosen[1] - chosen[0]) / 60_000), 15);
    await show(opened, { reading: { value: response(IDLE.selection, NOW + 20_000), readAt: NOW }, now: NOW + 20_000 });
    assert.deepEqual(await zoom(), chosen);
    await page.getByRole('button', { name: 'Whole Period' }).click();
    assert.equal(await zoom(), undefined);
  });

  it('lists the jobs of a bucket for Enter, opens one, and returns the focus', async () => {
    const opened = await start(busyHour);
    const { page, sent, screenshot } = opened;
    await slider(opened, /^Jobs/).focus();
    await page.keyboard.press('Enter');
    const bucket = { start: Date.parse('2025-11-21T14:30:00Z'), end: Date.parse('2025-11-21T14:30:10Z') };
    assert.deepEqual((await sent()).at(-1), { type: 'listJobs', ...bucket });
    await show(opened, { ...busyHour, jobs });
    await page.locator('#jobs-title:focus').waitFor();
    const rows = page.locator('.jobs tbody tr');
    assert.match((await rows.first().textContent()) ?? '', /job-slow\s*1 min 3 s\s*Completed/);
    await screenshot('metrics-jobs');
    await page.getByRole('button', { name: 'job-slow' }).click();
    assert.deepEqual((await sent()).at(-1), { type: 'openJob', id: 'job-slow' });
    await page.keyboard.press('Escape');
    assert.deepEqual((await sent()).at(-1), { type: 'closeJobs' });
    assert.equal(await page.locator('[data-section=outcomes] .plot:focus').count(), 1);
  });

  it('lists the jobs of a clicked bucket, but not after a selection, and not of a chart of workers', async () => {
    const { page, sent } = await start(busyHour);
    const click = async (section: string) => {
      const over = page.locator(`[data-section=${section}] .u-over`);
      const { width } = (await over.boundingBox()) ?? { width: 0 };
      await over.click({ position: { x: width * 0.58, y: 40 } });
    };
    await click('workers');
    const count = async () => (await sent()).filter((message) => ToHost.parse(message).type === 'listJobs').length;
    assert.equal(await count(), 0);
    await click('durations');
    assert.equal(await count(), 1);
  });

  it('explains that the platform no longer has the jobs of a bucket', async () => {
    const { page } = await start({ ...busyHour, jobs: { period: PERIOD, value: [] } });
    await page.getByText('The platform has no job that ended in this time.').waitFor();
  });

  it('lists releases with their deployments, and crashes, as text', async () => {
    const { page } = await start(busyHour);
    await page.getByText('Releases and crashes (3)').click();
    const lines = await page.locator('.markers li').allInnerTexts();
    assert.deepEqual(
      lines.map((line) => line.replace(/^.*\d\d:\d\d:\d\d /, '')),
      ['Release 3 · Deployed by Ada · commit 3f2a1c9b7d4e · staging · verified', 'Worker w1 crashed', 'Release 2'],
    );
  });

  it('compares the numbers of the period', async () => {
    const { page } = await start(comparedDay);
    await page.getByText('Dashed lines: The period before.').waitFor();
    const p50 = page.locator('.figures div', { hasText: 'p50' });
    assert.match(await p50.innerText(), /420 ms\s+×2 against 210 ms/);
  });

  it('requests what the user selects', async () => {
    const { page, sent } = await start(busyHour);
    const choose = async (name: string, option: string) => {
      await page.getByRole('combobox', { name }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
      return ToHost.parse((await sent()).at(-1));
    };
    assert.deepEqual(await choose('Period', 'Last 7 days'), { type: 'select', change: { period: 'week' } });
    assert.deepEqual(await choose('Duration', 'Queue delay'), { type: 'select', change: { duration: 'queueDelay' } });
    assert.deepEqual(await choose('Release', 'Release 2'), { type: 'select', change: { release: 2 } });
    assert.deepEqual(await choose('Compare with', 'Release 1'), { type: 'select', change: { compare: 1 } });
    assert.deepEqual(await choose('Compare with', 'The period before'), {
      type: 'select',
      change: { compare: 'before' },
    });
  });

  it('says since when it has observed a platform that does not measure, and invents no numbers', async () => {
    const connections = connectionsOf({ id: 'local', kind: 'hosted', name: 'api.example.com' });
    const since = Date.parse('2025-11-21T10:42:00Z');
    const window = windowOf(IDLE.selection, NOW, 60_000);
    const point = { at: '2025-11-21T14:20:00Z', queueDepth: 2, workers: { running: 1, idle: 0 } };
    const metrics = { step: 60, points: [point], total: { queueDepth: 2 }, markers: [] };
    const state = { reading: { value: { window, metrics, isObserved: true }, readAt: NOW }, observedSince: since };
    const opened = await start(state, { connections });
    const { page, sent, screenshot } = opened;
    await page.getByText('Observed from here since 10:42.').waitFor();
    await screenshot('metrics-observed');
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(await page.locator('.figures dt').allInnerTexts(), ['Waiting']);
    assert.equal(await page.getByRole('combobox', { name: 'Release' }).count(), 0);
    await page.getByText('Open Billing').click();
    assert.deepEqual((await sent()).at(-1), { type: 'act', action: 'openBilling' });
  });

  it('explains an empty chart and offers to run a job', async () => {
    const window = windowOf(IDLE.selection, NOW);
    const points = [{ at: '2025-11-21T14:20:00Z' }];
    const metrics = { step: 10, points, total: {}, markers: [] };
    const { page, sent, screenshot } = await start({
      reading: { value: { window, metrics, isObserved: false }, readAt: NOW },
    });
    await page.getByText('No job was submitted or ended in this period.').waitFor();
    await screenshot('metrics-empty');
    await page.getByText('Run Job…').first().click();
    assert.deepEqual((await sent()).at(-1), { type: 'act', action: 'runJob' });
  });

  it('says that nothing was measured while the platform did not run', async () => {
    const metrics = { step: 10, points: [], total: {}, markers: [] };
    const window = windowOf(IDLE.selection, NOW);
    const { page } = await start({ reading: { value: { window, metrics, isObserved: false }, readAt: NOW } });
    assert.equal(await page.getByText('The platform did not run in this period').count(), 4);
  });

  it('shows the latency and the responses of a load-balanced endpoint', async () => {
    const window = windowOf(IDLE.selection, NOW);
    const point = {
      at: '2025-11-21T14:20:00Z',
      arrivals: 5,
      latency: distribution(0.05),
      responses: { '2xx': 4, '5xx': 1 },
    };
    const { at: _, ...total } = point;
    const metrics = { step: 10, points: [point], total, markers: [] };
    const { page } = await start({
      facts: { value: { isQueue: false, releases: [1], deploymentOf, createdAt: 0 } },
      reading: { value: { window, metrics, isObserved: false }, readAt: NOW },
    });
    await page.getByRole('heading', { name: 'Latency' }).waitFor();
    await page.getByRole('button', { name: '5xx' }).waitFor();
    assert.match(await page.locator('.figures').innerText(), /Successful\s+4\s+Failed\s+1/);
  });

  it('shows a failure with its remedies above the previous numbers', async () => {
    const opened = await start({ reading: { ...busyHour.reading, error: failed('unauthorized') } });
    const { page, sent } = opened;
    await page.getByRole('alert').filter({ hasText: 'The data below may be out of date.' }).waitFor();
    await page.getByText('Replace API Key').click();
    await page.getByText('Try Again').click();
    assert.deepEqual((await sent()).slice(1), [{ type: 'act', action: 'replaceKey' }, { type: 'refresh' }]);
    await show(opened, {}, connectionsOf({ id: 'other', kind: 'hosted', name: 'Other' }));
    await page.getByRole('alert').waitFor();
  });

  it('restores its state', async () => {
    const target = { connectionId: 'local', endpointId: 'ep1', name: 'hello' };
    const { page } = await start(busyHour, {
      state: { target, selection: IDLE.selection, asTable: true, hidden: ['p99'], zoom: undefined },
    });
    await page.locator('.table').waitFor();
    await page.getByRole('button', { name: 'Show as Charts' }).click();
    assert.equal(await page.getByRole('button', { name: 'p99' }).getAttribute('aria-pressed'), 'false');
    assert.deepEqual(await page.evaluate('acquireVsCodeApi().getState().target'), target);
  });

  it('draws a year of hours', async () => {
    const { page, screenshot } = await start(busyYear);
    await page.locator('[data-section=cost] canvas').waitFor();
    await screenshot('metrics-year');
  });
});
