// Measures how the cost of operations grows, and draws docs/pictures/growth-light.svg and growth-dark.svg.
import { writeFile } from 'node:fs/promises';
import { exitGracefully } from '../editor/shutdown.ts';
import { measureGrowth, SIZES, type Curve } from '../../test/bench/growth.ts';

const [WIDTH, HEIGHT] = [800, 420];
/** The area of the curves. The names are to the right of it. */
const AREA = { left: 64, right: 480, top: 16, bottom: 376 };
/** Minimum distance of two names, in px. */
const LINE_HEIGHT = 20;
/** Range of the times, as powers of ten in µs. */
const [LOWEST, HIGHEST] = [1, 4] as const;

const THEMES = {
  light: {
    text: '#1f2328',
    soft: '#59636e',
    grid: '#d1d9e0',
    curves: ['#0969da', '#1a7f37', '#9a6700', '#cf222e', '#8250df', '#bf3989'],
  },
  dark: {
    text: '#f0f6fc',
    soft: '#9198a1',
    grid: '#3d444d',
    curves: ['#58a6ff', '#3fb950', '#d29922', '#f85149', '#bc8cff', '#f778ba'],
  },
} as const;

const x = (index: number): number => AREA.left + (index / (SIZES.length - 1)) * (AREA.right - AREA.left);
const y = (microseconds: number): number =>
  AREA.bottom - ((Math.log10(microseconds) - LOWEST) / (HIGHEST - LOWEST)) * (AREA.bottom - AREA.top);

function picture(curves: readonly Curve[], colors: (typeof THEMES)[keyof typeof THEMES]): string {
  const rows = SIZES.map((size, index) =>
    text(size.toLocaleString('en'), { x: x(index), y: AREA.bottom + 20, anchor: 'middle' }),
  );
  const times = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, power) => 10 ** (LOWEST + power)).map(
    (time) =>
      `<line x1="${AREA.left}" x2="${AREA.right}" y1="${y(time)}" y2="${y(time)}" stroke="${colors.grid}"/>
${text(timeText(time), { x: AREA.left - 8, y: y(time) + 4, anchor: 'end' })}`,
  );
  // From top to bottom, each name is next to the end of its curve, or below the name before it.
  let lowest = 0;
  const lines = curves
    .map((curve, index) => ({
      ...curve,
      color: colors.curves[index] ?? colors.text,
      end: curve.microseconds.at(-1) ?? 1,
    }))
    .toSorted((one, other) => other.end - one.end)
    .map(({ name, of, microseconds, color, end }) => {
      lowest = Math.max(lowest + LINE_HEIGHT, y(end) + 4);
      const points = microseconds.map((time, index) => `${x(index).toFixed(1)},${y(time).toFixed(1)}`).join(' ');
      const label = `<text x="${AREA.right + 12}" y="${lowest.toFixed(1)}" fill="${color}">${name}<tspan fill="${colors.soft}"> (${of}): ${timeText(end)}</tspan></text>`;
      return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>\n${label}`;
    });
  function text(content: string, at: { x: number; y: number; anchor: string }): string {
    return `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}" text-anchor="${at.anchor}" fill="${colors.soft}">${content}</text>`;
  }
  const axis = text('rows or lines', { x: (AREA.left + AREA.right) / 2, y: AREA.bottom + 38, anchor: 'middle' });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" font-size="12">
<title>Processor time of operations by the number of rows</title>
${[...times, ...rows, axis, ...lines].join('\n')}
</svg>
`;
}

function timeText(microseconds: number): string {
  return microseconds < 1_000
    ? `${Math.round(microseconds)} µs`
    : `${Number((microseconds / 1_000).toPrecision(2))} ms`;
}

const curves = await measureGrowth();
for (const [theme, colors] of Object.entries(THEMES))
  await writeFile(`docs/pictures/growth-${theme}.svg`, picture(curves, colors));
await exitGracefully(0);
