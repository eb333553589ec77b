import * as Plot from '@observablehq/plot';
import { COLORS, HEIGHT, WIDTH, type Candidate } from './candidate.ts';

/** Observable Plot, which creates an SVG document and draws it anew for each change. */
const draw: Candidate = (element, { series, count }) => {
  const rows = series.flatMap((amounts, place) =>
    amounts.map((amount, index) => ({ place: `s${place}`, index, amount })),
  );
  const show = (from: number, to: number, tip?: number): void => {
    const visible = from === 0 && to === count ? rows : rows.filter(({ index }) => index >= from && index < to);
    element.replaceChildren(
      Plot.plot({
        width: WIDTH,
        height: HEIGHT,
        color: { range: COLORS },
        marks: [
          Plot.rectY(visible, {
            x1: 'index',
            x2: (row: { index: number }) => row.index + 0.8,
            y: 'amount',
            fill: 'place',
          }),
          ...(tip === undefined ? [] : [Plot.ruleX([tip])]),
        ],
      }),
    );
  };
  show(0, count);
  return { showRange: (from, to) => show(from, to), showTooltip: (bar) => show(0, count, bar) };
};
export default draw;
