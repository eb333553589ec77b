import type { BenchData, Candidate, Drawn } from './candidate.ts';
import { HEIGHT, WIDTH } from './candidate.ts';

/** Times of a candidate in ms. Each list has a value for each frame. */
export interface Measured {
  readonly paint: number;
  readonly pan: number[];
  readonly zoom: number[];
  readonly tooltip: number[];
}

/** Limit for the frames of one interaction, in ms, so that a slow candidate ends. */
const LIMIT_MS = 2_500;

/** Resolves with the time from a change to the end of the frame that shows it: script, style, layout, and paint of the main thread. */
function frame(change: () => void): Promise<number> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const start = performance.now();
      const after = new MessageChannel();
      after.port1.onmessage = () => resolve(performance.now() - start);
      change();
      after.port2.postMessage(undefined);
    });
  });
}

async function frames(count: number, change: (step: number) => void): Promise<number[]> {
  const times: number[] = [];
  const start = performance.now();
  for (let step = 0; step < count; step++) {
    times.push(await frame(() => change(step)));
    if (performance.now() - start > LIMIT_MS) break;
  }
  return times;
}

/** Draws a candidate, and then pans half of the bars, zooms in, and moves the tooltip. */
export async function measure(candidate: Candidate, data: BenchData, count: number): Promise<Measured> {
  const outer = document.body.appendChild(document.createElement('div'));
  const element = outer.appendChild(document.createElement('div'));
  element.style.width = `${WIDTH}px`;
  element.style.minHeight = `${HEIGHT}px`;
  let drawn: Drawn | Promise<Drawn> | undefined;
  const paint = await frame(() => {
    drawn = candidate(element, data);
  });
  const chart = await drawn;
  if (!chart) throw new Error('The candidate did not draw.');
  const half = data.count / 2;
  const pan = await frames(count, (step) => {
    const from = Math.round((step / count) * half);
    chart.showRange(from, from + half);
  });
  const zoom = await frames(count, (step) => {
    const margin = Math.round((step / count) * half * 0.98);
    chart.showRange(margin, data.count - margin);
  });
  await frame(() => chart.showRange(0, data.count));
  const tooltip = await frames(count, (step) => chart.showTooltip(Math.round((step / count) * (data.count - 1))));
  outer.remove();
  return { paint, pan, zoom, tooltip };
}
