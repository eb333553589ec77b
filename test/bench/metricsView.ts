import assert from 'node:assert/strict';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { repository } from '../../scripts/editor/build.ts';
import { METRICS_PAGE } from '../../src/features/endpoints/metrics/metricsView.ts';
import { busyYear, response, sentFor } from '../webviews/metrics/sample.ts';
import { startWebviews, type WebviewPage } from '../webviews/webviewPage.ts';
import { median } from './load.ts';

const ROUNDS = 9;
const FRAMES = 30;

/** Limit for the script of the view, in bytes. */
const MAX_SCRIPT_BYTES = 250_000;

/**
 * Measures the whole page of the metrics view in a browser with a year of hours: 8,784 buckets in four charts, alone and compared with another
 * release. Prints the time from the message with the numbers to the end of the frame that shows them, and of a frame while the user zooms and
 * moves the tooltip in all charts. The times include the check of the message, script, style, layout, and paint of the main thread.
 */
export async function run(): Promise<void> {
  await using webviews = await startWebviews(METRICS_PAGE);
  for (const compare of ['none', 1] as const) {
    const selection = { period: 'year', duration: 'endToEnd', compare } as const;
    const reading = { value: response(selection, Date.now(), { gap: [0, 0.05] }) };
    const { view, chart } = sentFor({ ...busyYear, selection, reading, ...(compare === 1 && { compared: reading }) });
    assert.ok(chart);
    const times = { paint: [] as number[], zoom: [] as number[], tooltip: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      const opened = await webviews.open({ width: 1_100, height: 1_200 });
      await opened.receive({ type: 'view', view });
      times.paint.push(await painted(opened, { type: 'chart', chart }));
      times.zoom.push(...(await keys(opened, ['+', '+', '+', '-', '-', '-'])));
      times.tooltip.push(...(await keys(opened, ['ArrowLeft'])));
      assert.deepEqual(opened.complaints, []);
      await opened.page.close();
    }
    const text = (list: readonly number[]) =>
      `${median(list).toFixed(1)} ms, at least ${Math.min(...list).toFixed(1)} ms`;
    console.log(`  ${chart.count} buckets in 4 charts${compare === 1 ? ', compared with a release' : ''}`);
    console.log(`    paint: ${text(times.paint)}; zoom: ${text(times.zoom)}; tooltip: ${text(times.tooltip)}`);
  }
  const size = await scriptSize();
  console.log(`  whole script: ${Math.round(size / 1000)} kB`);
  assert.ok(size <= MAX_SCRIPT_BYTES, `the script of the view has ${size} bytes`);
}

/** Measures in the page the time from a change to the end of the frame that shows it, in ms. */
const FRAME = `const frame = (change) => new Promise((resolve) => requestAnimationFrame(() => {
  const start = performance.now();
  const after = new MessageChannel();
  after.port1.onmessage = () => resolve(performance.now() - start);
  change();
  after.port2.postMessage(undefined);
}));`;

function painted({ page }: WebviewPage, message: unknown): Promise<number> {
  return page.evaluate(`(() => {
    ${FRAME}
    const data = JSON.parse(${JSON.stringify(JSON.stringify(message))});
    return frame(() => dispatchEvent(new MessageEvent('message', { data })));
  })()`);
}

/** Presses keys in the first chart, again and again. */
function keys({ page }: WebviewPage, pressed: readonly string[]): Promise<number[]> {
  return page.evaluate(`(async () => {
    ${FRAME}
    const keys = ${JSON.stringify(pressed)};
    const plot = document.querySelector('.plot');
    plot.focus();
    const times = [];
    for (let step = 0; step < ${FRAMES}; step++)
      times.push(await frame(() => plot.dispatchEvent(
        new KeyboardEvent('keydown', { key: keys[step % keys.length], bubbles: true }))));
    return times;
  })()`);
}

/** Returns the size of the view's script in a production build, in bytes. */
async function scriptSize(): Promise<number> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(repository, 'src', 'webviews', 'metrics', 'main.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'chrome138',
    write: false,
    legalComments: 'none',
    loader: { '.css': 'empty' },
  });
  return outputFiles[0]?.contents.length ?? 0;
}
