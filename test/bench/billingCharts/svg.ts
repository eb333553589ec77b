import { html, render, svg } from 'lit';
import { COLORS, HEIGHT, WIDTH, type Candidate } from './candidate.ts';

/** A hand-written SVG chart with a rectangle for each amount, as in the first version of the view. */
const draw: Candidate = (element, { series, count }) => {
  const totals = Array.from({ length: count }, (_, index) =>
    series.reduce((sum, amounts) => sum + (amounts[index] ?? 0), 0),
  );
  const show = (from: number, to: number, active?: number): void => {
    const most = totals.slice(from, to).reduce((one, other) => Math.max(one, other), 0);
    const slot = WIDTH / (to - from);
    const bars = Array.from({ length: to - from }, (_, column) => {
      let top = HEIGHT;
      const rects = series.map((amounts, place) => {
        const height = ((amounts[from + column] ?? 0) / most) * HEIGHT;
        top -= height;
        return svg`<rect x=${column * slot} y=${top} width=${slot * 0.7} height=${height} fill=${COLORS[place] ?? ''}></rect>`;
      });
      return svg`<g class=${from + column === active ? 'active' : ''}>${rects}</g>`;
    });
    render(html`<svg width=${WIDTH} height=${HEIGHT}>${bars}</svg>`, element);
  };
  show(0, count);
  return { showRange: (from, to) => show(from, to), showTooltip: (bar) => show(0, count, bar) };
};
export default draw;
