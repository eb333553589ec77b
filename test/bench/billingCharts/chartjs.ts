import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { COLORS, HEIGHT, WIDTH, type Candidate } from './candidate.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

/** Chart.js with only the parts for stacked bars. */
const draw: Candidate = (element, { series, count }) => {
  const canvas = element.appendChild(document.createElement('canvas'));
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const chart = new Chart(canvas, {
    type: 'bar',
    data: {
      labels: Array.from({ length: count }, (_, index) => String(index)),
      datasets: series.map((amounts, index) => ({
        label: `s${index}`,
        data: [...amounts],
        backgroundColor: COLORS[index % COLORS.length] ?? '#000000',
      })),
    },
    options: {
      animation: false,
      responsive: false,
      interaction: { mode: 'index', intersect: false },
      scales: { x: { stacked: true }, y: { stacked: true } },
    },
  });
  return {
    showRange: (from, to) => {
      Object.assign(chart.options.scales?.['x'] ?? {}, { min: from, max: to - 1 });
      chart.update('none');
    },
    showTooltip: (bar) => {
      const active = series.map((_, datasetIndex) => ({ datasetIndex, index: bar }));
      chart.tooltip?.setActiveElements(active, { x: WIDTH / 2, y: 100 });
      chart.draw();
    },
  };
};
export default draw;
