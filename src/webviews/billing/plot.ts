import uPlot from 'uplot';
import type { BillingChart } from './messages.ts';
import { fillOf, flatFillOf, hatch, hueOf, themeOf, type Theme } from './paint.ts';
import { barWidth, drawnBars, extentOf, panned, stacked, zoomed, type Bars, type Scale } from './stack.ts';
import { stylesOf } from './styles.ts';
import { labelSize, shortLabel, tickText } from './words.ts';

const PLOT_HEIGHT = 300;
const X_LABEL_DISTANCE = 72;
const Y_LABEL_DISTANCE = 48;
const CHARACTER_WIDTH = 7;
/** Steps of the axis, in US dollars. */
const STEPS = Array.from({ length: 24 }, (_, power) => [1, 2, 5].map((factor) => factor * 10 ** (power - 12))).flat();
/** Bars that are at least this wide have patterns, and gaps between their segments, in CSS pixels. */
const MIN_PATTERN_WIDTH = 6;

export interface PlotContent {
  readonly chart: BillingChart;
  readonly hidden: readonly string[];
  readonly bars: Bars;
}

export interface PlotEvents {
  /** The pointer is on a bar, or on none. */
  readonly onPoint: (bar: number | undefined) => void;
  readonly onZoom: (bars: Bars) => void;
}

/**
 * The chart: a canvas with stacked bars, which uPlot draws. The x-axis is the index of the bucket, because months have different lengths.
 * The user zooms with a selection, with Ctrl and the wheel, or by pinching, and pans with a horizontal wheel.
 */
export class Plot {
  readonly #element: HTMLElement;
  readonly #events: PlotEvents;
  #content: PlotContent | undefined;
  #plot: uPlot | undefined;
  #theme: Theme;
  #width = 0;
  /** Amounts of the visible series. */
  #amounts: readonly (readonly number[])[] = [];
  /** Fills of the visible series, for wide and for narrow bars. */
  #fills: readonly { readonly wide: string | CanvasPattern; readonly narrow: string }[] = [];

  constructor(element: HTMLElement, events: PlotEvents) {
    this.#element = element;
    this.#events = events;
    this.#theme = themeOf(element);
    element.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
  }

  /** The canvas, for a picture. */
  get canvas(): HTMLCanvasElement | undefined {
    return this.#plot?.ctx.canvas;
  }

  /** Draws the content. Draws less if only the zoom or the width changed. */
  show(content: PlotContent, width: number): void {
    if (width <= 0) return;
    const before = this.#content;
    this.#content = content;
    if (!this.#plot || before?.chart !== content.chart || before.hidden !== content.hidden) {
      this.#width = width;
      this.#create(content);
      return;
    }
    if (width !== this.#width) {
      this.#width = width;
      this.#plot.setSize({ width, height: PLOT_HEIGHT });
    }
    if (before.bars[0] !== content.bars[0] || before.bars[1] !== content.bars[1])
      this.#plot.setScale('x', rangeOf(content.bars));
  }

  /** Draws again, with the colors of the current theme. */
  repaint(): void {
    this.#theme = themeOf(this.#element);
    if (this.#content) this.#create(this.#content);
  }

  /** Returns the horizontal extent of a bar in CSS pixels, relative to the element. Undefined if the bar is not visible. */
  place(bar: number): { readonly left: number; readonly right: number } | undefined {
    const plot = this.#plot;
    const bars = this.#content?.bars;
    if (!plot || !bars || bar < bars[0] || bar >= bars[1]) return undefined;
    const offset = plot.over.offsetLeft;
    return { left: offset + plot.valToPos(bar - 0.5, 'x'), right: offset + plot.valToPos(bar + 0.5, 'x') };
  }

  #create({ chart, hidden, bars }: PlotContent): void {
    this.#plot?.destroy();
    const visible = chart.series.filter(({ id }) => !hidden.includes(id));
    this.#amounts = visible.map(({ amounts }) => amounts);
    const indices = chart.totals.map((_, index) => index);
    this.#plot = new uPlot(
      {
        width: this.#width,
        height: PLOT_HEIGHT,
        padding: [10, 24, 0, 0],
        legend: { show: false },
        cursor: {
          x: false,
          y: false,
          points: { show: false },
          drag: { x: true, y: false, setScale: false },
          bind: { dblclick: () => () => (this.#events.onZoom([0, chart.totals.length]), null) },
        },
        scales: {
          x: { time: false, range: (plot) => this.#range(plot) },
          y: { range: () => this.#extent() },
        },
        axes: [this.#timeAxis(chart), this.#amountAxis()],
        // The layout of the bars belongs to `stack.ts`, so uPlot draws no series.
        series: [{}, { auto: false, points: { show: false }, paths: () => null }],
        hooks: {
          draw: [
            (plot) => {
              this.#drawBars(plot);
              this.#drawMarks(plot, chart);
            },
          ],
          setCursor: [({ cursor }) => this.#events.onPoint(this.#pointed(cursor))],
          setSelect: [(plot) => this.#onSelect(plot)],
        },
      },
      [indices, [...chart.totals]],
      this.#element,
    );
    this.#fills = this.#fillsOf(this.#plot, chart, visible);
    this.#plot.setScale('x', rangeOf(bars));
  }

  #range(plot: uPlot): [number, number] {
    const { min, max } = rangeOf(this.#content?.bars ?? [0, plot.data[0].length]);
    return [min, max];
  }

  #extent(): [number, number] {
    const [low, high] = extentOf(this.#amounts, this.#content?.bars ?? [0, 0]);
    const room = (high - low) * 0.04;
    if (room === 0) return [0, 1];
    return [low < 0 ? low - room : 0, high > 0 ? high + room : 0];
  }

  #pointed({ left = -1, idx }: uPlot.Cursor): number | undefined {
    return left < 0 ? undefined : (idx ?? undefined);
  }

  #timeAxis({ times, bucketSize }: BillingChart): uPlot.Axis {
    return {
      ...this.#axis(),
      size: 28,
      grid: { show: false },
      splits: (plot) => {
        const [from, to] = this.#content?.bars ?? [0, 0];
        const every = Math.max(1, Math.ceil(((to - from) * X_LABEL_DISTANCE) / (plot.bbox.width / devicePixelRatio)));
        // Counts from the end, so that the last bar always has a label.
        const count = Math.ceil((to - from) / every);
        return Array.from({ length: count }, (_, index) => to - 1 - index * every).reverse();
      },
      values: (_, splits) => {
        const starts = splits.map((index) => times[index] ?? 0);
        const size = labelSize(bucketSize, (starts[1] ?? 0) - (starts[0] ?? 0));
        return starts.map((start) => shortLabel(start, size));
      },
    };
  }

  #amountAxis(): uPlot.Axis {
    return {
      ...this.#axis(),
      grid: { stroke: this.#theme.grid, width: 1 },
      incrs: STEPS,
      space: Y_LABEL_DISTANCE,
      // There are no values before the first layout.
      size: (_, values: string[] | null) =>
        Math.max(...(values ?? ['$0.00']).map(({ length }) => length)) * CHARACTER_WIDTH + 10,
      values: (_, splits, _axis, _space, step) => splits.map((value) => tickText(value, step)),
    };
  }

  #axis(): uPlot.Axis {
    return { stroke: this.#theme.dim, font: this.#theme.font, ticks: { show: false }, gap: 6 };
  }

  #fillsOf({ ctx }: uPlot, chart: BillingChart, visible: BillingChart['series']) {
    const styles = stylesOf(chart);
    return visible.map(({ id }) => {
      const style = styles.get(id) ?? { hue: 'gray', pattern: 'solid' };
      const color = hueOf(this.#element, style);
      return {
        wide: fillOf(ctx, style.pattern, color, this.#theme),
        narrow: flatFillOf(style.pattern, color, this.#theme),
      };
    });
  }

  #scale(plot: uPlot): Scale {
    const [from, to] = this.#content?.bars ?? [0, 1];
    return {
      x: (index) => plot.valToPos(index, 'x', true),
      y: (amount) => plot.valToPos(amount, 'y', true),
      slot: plot.bbox.width / Math.max(1, to - from),
      ratio: devicePixelRatio,
    };
  }

  /** Draws the segments one by one. A path of thousands of rectangles takes many times as long to fill. */
  #drawBars(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const content = this.#content;
    if (!content) return;
    const scale = this.#scale(plot);
    const columns = Math.floor(bbox.width / devicePixelRatio);
    const drawn = drawnBars(content.chart.totals, content.bars, columns);
    const isWide = barWidth(scale) >= MIN_PATTERN_WIDTH * devicePixelRatio;
    // The gap separates the segments of a bar.
    const gap = isWide ? devicePixelRatio : 0;
    for (const [place, rects] of stacked(this.#amounts, drawn, scale).entries()) {
      const fill = this.#fills[place];
      ctx.fillStyle = (isWide ? fill?.wide : fill?.narrow) ?? this.#theme.foreground;
      for (const { x, y, width, height } of rects) {
        // Whole pixels are sharp, and fast to fill.
        const top = Math.round(y);
        ctx.fillRect(x, top, width, Math.max(1, Math.round(y + height) - top - gap));
      }
    }
  }

  /** Draws the line at zero if there are negative amounts, and hatches the unfinished bar. */
  #drawMarks(plot: uPlot, { running }: BillingChart): void {
    const { ctx, bbox } = plot;
    const scale = this.#scale(plot);
    ctx.save();
    if ((plot.scales['y']?.min ?? 0) < 0) {
      ctx.fillStyle = this.#theme.foreground;
      ctx.fillRect(bbox.left, Math.round(scale.y(0)), bbox.width, Math.max(1, Math.round(devicePixelRatio)));
    }
    const [from, to] = this.#content?.bars ?? [0, 0];
    if (running !== undefined && running >= from && running < to) {
      const [low, high] = extentOf(this.#amounts, [running, running + 1]);
      const width = barWidth(scale);
      ctx.fillStyle = hatch(ctx, this.#theme);
      ctx.fillRect(scale.x(running) - width / 2, scale.y(high), width, scale.y(low) - scale.y(high));
    }
    ctx.restore();
  }

  #onSelect(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    const from = Math.floor(plot.posToVal(left, 'x') + 0.5);
    const to = Math.ceil(plot.posToVal(left + width, 'x') + 0.5);
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#events.onZoom([from, to]);
  }

  #onWheel(event: WheelEvent): void {
    const content = this.#content;
    const plot = this.#plot;
    if (!content || !plot) return;
    const count = content.chart.totals.length;
    const isZoom = event.ctrlKey || event.metaKey;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (!isZoom && Math.abs(sideways) < Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    if (isZoom) {
      const around = plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x');
      this.#events.onZoom(zoomed(content.bars, Math.exp(event.deltaY / 200), around, count));
      return;
    }
    const [from, to] = content.bars;
    const perPixel = (to - from) / (plot.bbox.width / devicePixelRatio);
    const by = sideways * perPixel;
    this.#events.onZoom(panned(content.bars, Math.sign(by) * Math.max(1, Math.abs(by)), count));
  }
}

/** Returns the range of the x-axis that shows whole bars. */
function rangeOf([from, to]: Bars): { min: number; max: number } {
  return { min: from - 0.5, max: to - 0.5 };
}
