import uPlot from 'uplot';
import { COLORS, HEIGHT, WIDTH, type Candidate } from './candidate.ts';

/** uPlot with its own bars. Stacks are sums, and the tallest one is drawn first. */
const draw: Candidate = (element, { series, count }) => {
  const sums = series.map(() => new Array<number>(count).fill(0));
  for (let index = 0; index < count; index++) {
    let sum = 0;
    for (const [place, amounts] of series.entries()) {
      sum += amounts[index] ?? 0;
      const column = sums[place];
      if (column) column[index] = sum;
    }
  }
  const bars = uPlot.paths.bars?.({ size: [0.72, 48] });
  const plot = new uPlot(
    {
      width: WIDTH,
      height: HEIGHT,
      scales: { x: { time: false } },
      series: [
        {},
        ...sums
          .map((_, index): uPlot.Series => {
            const color = COLORS[index % COLORS.length] ?? '#000000';
            return {
              label: `s${index}`,
              fill: color,
              stroke: color,
              points: { show: false },
              ...(bars && { paths: bars }),
            };
          })
          .reverse(),
      ],
    },
    [Array.from({ length: count }, (_, index) => index), ...sums.toReversed()],
    element,
  );
  return {
    showRange: (from, to) => plot.setScale('x', { min: from, max: to - 1 }),
    showTooltip: (bar) => plot.setCursor({ left: plot.valToPos(bar, 'x'), top: 100 }),
  };
};
export default draw;
