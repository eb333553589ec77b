import assert from 'node:assert/strict';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import { browserFlags, ensureBrowser } from '../../scripts/editor/browser.ts';
import { repository } from '../../scripts/editor/build.ts';
import { median } from './load.ts';

/** A year of hours, including a leap day. */
const BUCKETS = 8_784;
const SERIES = 13;
const FRAMES = 40;
const ROUNDS = 3;

/** Limit for the script of the view. */
const MAX_SCRIPT_BYTES = 250_000;

const CANDIDATES = {
  ours: 'the chart of the view (uPlot)',
  uplot: 'uPlot, its own bars',
  chartjs: 'Chart.js',
  echarts: 'ECharts',
  plot: 'Observable Plot',
  svg: 'own SVG',
};
type Name = keyof typeof CANDIDATES;
type Interaction = 'pan' | 'zoom' | 'tooltip';
type Times = Record<Interaction, number[]> & { readonly paint: number };

/**
 * Measures chart libraries side by side in one browser: 8,784 buckets with 13 series, their first paint, and the time of a frame while the
 * user pans, zooms, and moves the tooltip. The time includes script, style, layout, and paint of the main thread. Also measures the size of
 * each library in a minified bundle, and of the whole script of the view.
 */
export async function run(): Promise<void> {
  console.log(heading());
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: [...browserFlags] });
  try {
    for (const name of Object.keys(CANDIDATES) as Name[]) {
      const code = await bundleOf(name);
      const rounds: Times[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const page = await browser.newPage({ viewport: { width: 1100, height: 500 } });
        await page.addScriptTag({ content: code });
        rounds.push(await page.evaluate<Times>(`measureChart(${BUCKETS}, ${SERIES}, ${FRAMES})`));
        await page.close();
        // A round of a slow candidate takes many seconds.
        if (median(rounds.map(({ paint }) => paint)) > 1_000) break;
      }
      console.log(row(CANDIDATES[name], code.length, summaryOf(rounds)));
    }
  } finally {
    await browser.close();
  }
  const size = await scriptSize();
  console.log(`  whole script of the billing view: ${Math.round(size / 1000)} kB`);
  assert.ok(size <= MAX_SCRIPT_BYTES, `the script of the view has ${size} bytes`);
}

/** Returns a script that defines `measureChart` for a candidate. */
async function bundleOf(name: Name): Promise<string> {
  const folder = path.join(import.meta.dirname, 'billingCharts');
  const contents = `
    import candidate from './${name}.ts';
    import { measure } from './measure.ts';
    globalThis.measureChart = (count, series, frames) => {
      const amounts = (place) => Array.from({ length: count }, (_, index) => 1 + Math.sin(index / (40 + place)) + ((index * 7919) % 13) / 13);
      return measure(candidate, { count, series: Array.from({ length: series }, (_, place) => amounts(place)) }, frames);
    };`;
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'chrome138',
    write: false,
    legalComments: 'none',
    // The style sheets do not belong to the size of the script.
    loader: { '.css': 'empty' },
  });
  return outputFiles[0]?.text ?? '';
}

/** Returns the size of the view's script in a production build, in bytes. */
async function scriptSize(): Promise<number> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(repository, 'src', 'webviews', 'billing', 'main.ts')],
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

interface Summary {
  readonly paint: number;
  readonly medians: Record<Interaction, number>;
  readonly p95: Record<Interaction, number>;
}

function summaryOf(rounds: readonly Times[]): Summary {
  const all = (name: Interaction) => rounds.flatMap((round) => round[name]).sort((one, other) => one - other);
  const at = (name: Interaction, share: number) => all(name)[Math.floor(all(name).length * share)] ?? Number.NaN;
  const of = (share: number) => ({ pan: at('pan', share), zoom: at('zoom', share), tooltip: at('tooltip', share) });
  return { paint: median(rounds.map(({ paint }) => paint)), medians: of(0.5), p95: of(0.95) };
}

const heading = () =>
  `  ${'chart'.padEnd(32)}${'script'.padStart(9)}${'paint'.padStart(10)}${['pan', 'zoom', 'tooltip'].map((name) => `${name}, p95`.padStart(20)).join('')}`;

function row(name: string, bytes: number, { paint, medians, p95 }: Summary): string {
  const interactions = (['pan', 'zoom', 'tooltip'] as const).map((interaction) =>
    `${ms(medians[interaction])}, ${ms(p95[interaction])}`.padStart(20),
  );
  return `  ${name.padEnd(32)}${`${Math.round(bytes / 1000)} kB`.padStart(9)}${ms(paint).padStart(10)}${interactions.join('')}`;
}

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`;
}
