import assert from 'node:assert/strict';
import { TUNING_PAGE } from '../../../src/features/tuning/tuningPage.ts';
import { ToHost, ToWebview, type TuningResult, type TuningView } from '../../../src/webviews/tuning/messages.ts';
import { accessibilityProblems } from '../axe.ts';
import { THEMES, type Theme } from '../themes.ts';
import { startWebviews, type WebviewPage } from '../webviewPage.ts';
import { result, view } from './sample.ts';

describe('the page of a tuning', () => {
  let webviews: Awaited<ReturnType<typeof startWebviews>>;
  let open: WebviewPage | undefined;

  before(async () => {
    webviews = await startWebviews(TUNING_PAGE);
  });

  after(() => webviews[Symbol.asyncDispose]());

  const start = async (
    changes: Partial<TuningView> = {},
    found: TuningResult | 'none' = result(),
    options: Parameters<typeof webviews.open>[0] = {},
  ) => {
    open = await webviews.open(options);
    await open.receive({ type: 'view', view: view(changes) });
    if (found !== 'none') await open.receive({ type: 'result', result: found });
    await open.page.getByRole('heading', { level: 1 }).waitFor();
    return open;
  };
  const last = async () => ToHost.parse((await open?.sent())?.at(-1));

  afterEach(async () => {
    assert.deepEqual(open?.complaints, [], 'the browser reports no errors and no policy violations');
    await open.page.close();
    open = undefined;
  });

  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`has no accessibility problem in the ${theme} theme, also at 200 %`, async () => {
      const first = await start({}, result(), { theme });
      await first.screenshot(`tuning-${theme}`);
      assert.deepEqual(await accessibilityProblems(first.page), []);
      await first.page.close();
      const { page, screenshot } = await start({ state: 'running', done: 300 }, result(), {
        theme,
        zoom: 2,
        width: 800,
      });
      await screenshot(`tuning-narrow-${theme}`);
      assert.deepEqual(await accessibilityProblems(page), []);
      assert.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
    });
  }

  it('keeps its shapes when the system replaces the colors', async () => {
    const { screenshot, page } = await start({}, result(), { forcedColors: true });
    await screenshot('tuning-forced');
    const colors = await page.evaluate<string[]>(`
      ['.scatter path.frontier', '.scatter .present rect', '.scatter .chosen rect']
        .map((selector) => getComputedStyle(document.querySelector(selector)).stroke)`);
    assert.equal(new Set(colors).size, 1);
    assert.notEqual(colors[0], 'none');
  });

  it('chooses the cheapest setting at the same wait first, and applies it', async () => {
    const { page } = await start();
    const { cheapest, rows } = result();
    const row = rows.find(({ id }) => id === cheapest);
    assert.ok(row);
    await page.getByText(row.comparison).waitFor();
    await page.getByRole('button', { name: 'Apply to Manifest' }).click();
    assert.deepEqual(await last(), { type: 'apply', id: row.id });
  });

  it('moves the choice with the arrow keys of the table, and names the present settings', async () => {
    const { page } = await start();
    const { rows } = result();
    const names = await page.locator('label:has(input[type=radio])').allTextContents();
    assert.equal(names.filter((name) => name.includes('(present)')).length, 1);
    assert.equal(names.length, rows.length);
    await page.getByRole('radio', { checked: true }).focus();
    await page.keyboard.press('Home');
    const before = await checkedIndex(page);
    await page.keyboard.press('ArrowDown');
    const chosen = rows[(before + 1) % rows.length];
    assert.ok(chosen);
    if (chosen.isPresent) await page.getByText('Choose a row of the table to compare it.').waitFor();
    else await page.getByText(chosen.changes, { exact: true }).waitFor();
  });

  it('proposes the cheapest setting under a target, or says that there is none', async () => {
    const { page } = await start();
    const { rows } = result();
    const waits = rows.map(({ waitMs }) => waitMs);
    const target = (Math.max(...waits) + Math.min(...waits)) / 2;
    const wanted = rows.find(({ waitMs }) => waitMs <= target);
    const field = page.getByLabel('Longest p95 wait (s)');
    await field.fill(String(target / 1_000));
    await field.press('Enter');
    await page.getByRole('button', { name: 'Cheapest under the target' }).click();
    await page.getByRole('radio', { checked: true }).waitFor();
    const checked = await checkedIndex(page);
    assert.equal(rows[checked]?.id, wanted?.id);
  });

  it('shows the progress, and cancels', async () => {
    const { page } = await start({ state: 'running', done: 12, total: 900 }, 'none');
    await page.getByText('12 of 900 settings simulated.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await last(), { type: 'cancel' });
  });

  it('shows a failure, and simulates again', async () => {
    const { page } = await start(
      { state: 'failed', done: 0, failure: 'The simulation ended early (SIGKILL).' },
      'none',
    );
    await page.getByRole('alert').getByText('The simulation ended early (SIGKILL).').waitFor();
    await page.getByRole('button', { name: 'Simulate Again' }).click();
    assert.deepEqual(await last(), { type: 'repeat' });
  });

  it('has the choice and the target again that it kept while it was hidden', async () => {
    const { rows } = result();
    const state = { chosen: rows.at(-1)?.id, targetSeconds: 2, reopen: {} };
    const { page } = await start({}, result(), { state });
    await page.getByRole('radio', { checked: true }).waitFor();
    assert.equal(await checkedIndex(page), rows.length - 1);
    assert.equal(await page.getByLabel('Longest p95 wait (s)').inputValue(), '2');
  });

  it('says that it reads the load after a reload, and nothing about results while none is complete', async () => {
    const { page, receive } = await start({ state: 'running', done: 0, total: 0 }, 'none');
    await page.getByText('Reading the load and the hardware…').first().waitFor();
    await receive({ type: 'view', view: view({ state: 'canceled', done: 0, total: 900 }) });
    await page.getByText('Canceled after 0 of 900 settings.').first().waitFor();
    assert.equal(await page.getByText('No job completed').count(), 0);
  });

  it('says that no job completed', async () => {
    const { page } = await start({}, { points: [], rows: [] });
    await page.getByText('No job completed in the simulation, so there is nothing to compare.').waitFor();
  });
});

/** Returns the place of the chosen row. */
function checkedIndex(page: WebviewPage['page']): Promise<number> {
  return page.evaluate<number>("[...document.querySelectorAll('[type=radio]')].findIndex((one) => one.checked)");
}

describe('the messages of the page of a tuning', () => {
  it('reach it with all their members', () => {
    for (const message of [
      { type: 'view', view: view({ failure: 'x' }) },
      { type: 'result', result: result() },
      { type: 'keep', reopen: { name: 'a', answers: { execution: 2 } } },
    ])
      assert.deepEqual(ToWebview.parse(structuredClone(message)), message);
  });
});
