import uPlot from 'uplot';
import { barWidth, panned, zoomed, type Bars, type Scale } from './bars.ts';
import { themeOf, type Theme } from './paint.ts';

const X_LABEL_DISTANCE = 72;
const Y_LABEL_DISTANCE = 48;
const CHARACTER_WIDTH = 7;
/** Minimum width of a selection, in CSS pixels. */
const MIN_SELECTION = 4;
/** Steps of the axis of values. */
const STEPS = Array.from({ length: 24 }, (_, power) => [1, 2, 5].map((factor) => factor * 10 ** (power - 12))).flat();

/** Where a drawing is painted. */
export interface Surface {
  readonly context: CanvasRenderingContext2D;
  /** Area of the plot, in pixels of the canvas. */
  readonly area: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  readonly scale: Scale;
  /** Visible bars. */
  readonly bars: Bars;
  readonly theme: Theme;
}

/** Content of a plot. A plot is created again for another one. */
export interface Drawing {
  /** Number of buckets. */
  readonly count: number;
  /** Height of the plot, in CSS pixels. */
  readonly height: number;
  /** Returns the lowest and the highest value of the visible bars. Contains 0. */
  readonly extent: (bars: Bars) => readonly [low: number, high: number];
  /** Returns the function that paints the visible bars. Called again for another theme. */
  readonly prepare: (context: CanvasRenderingContext2D, element: Element, theme: Theme) => (surface: Surface) => void;
  /** Returns the labels of bars, which have the same distance. */
  readonly timeLabels: (bars: readonly number[]) => string[];
  /** Returns the label of a value on an axis with this step. */
  readonly valueLabel: (value: number, step: number) => string;
  /** Room above the plot, in CSS pixels. Default: 10. */
  readonly topPadding?: number;
  /** Room to the right of the plot, in CSS pixels. Default: 24. */
  readonly rightPadding?: number;
  /** Width of the axis of values in CSS pixels, where several plots share a time axis. Default: as wide as its labels. */
  readonly axisWidth?: number;
}

export interface PlotContent {
  readonly drawing: Drawing;
  readonly bars: Bars;
}

export interface PlotEvents {
  /** The pointer is on a bar, or on none. */
  readonly onPoint: (bar: number | undefined) => void;
  readonly onZoom: (bars: Bars) => void;
  /** The user clicked a bar. */
  readonly onChoose?: (bar: number) => void;
}

/**
 * A chart: a canvas on which uPlot draws the axes, and a drawing the rest. The x-axis is the index of the bucket, because months have
 * different lengths. The user zooms with a selection, with Ctrl and the wheel, or by pinching, and pans with a horizontal wheel.
 */
export class Plot {
  readonly #element: HTMLElement;
  readonly #events: PlotEvents;
  #content: PlotContent | undefined;
  #plot: uPlot | undefined;
  #theme: Theme;
  #width = 0;
  #paint: ((surface: Surface) => void) | undefined;
  /** The last extent, and what it belongs to. */
  #extentOf: (PlotContent & { readonly range: readonly [low: number, high: number] }) | undefined;

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
    if (!this.#plot || before?.drawing !== content.drawing) {
      this.#width = width;
      this.#create(content);
      return;
    }
    if (width !== this.#width) {
      this.#width = width;
      this.#plot.setSize({ width, height: content.drawing.height });
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

  #create({ drawing, bars }: PlotContent): void {
    this.#plot?.destroy();
    const indices = Array.from({ length: drawing.count }, (_, index) => index);
    this.#plot = new uPlot(
      {
        width: this.#width,
        height: drawing.height,
        padding: [drawing.topPadding ?? 10, drawing.rightPadding ?? 24, 0, 0],
        legend: { show: false },
        cursor: {
          x: false,
          y: false,
          points: { show: false },
          drag: { x: true, y: false, setScale: false },
          bind: { dblclick: () => () => (this.#events.onZoom([0, drawing.count]), null) },
        },
        scales: {
          x: { time: false, range: (plot) => this.#range(plot) },
          y: { range: () => this.#extent() },
        },
        axes: [this.#timeAxis(drawing), this.#valueAxis(drawing)],
        // The layout belongs to the drawing, so uPlot draws no series.
        series: [{}, { auto: false, points: { show: false }, paths: () => null }],
        hooks: {
          draw: [(plot) => this.#draw(plot)],
          setCursor: [({ cursor }) => this.#events.onPoint(this.#pointed(cursor))],
          setSelect: [(plot) => this.#onSelect(plot)],
        },
      },
      [indices, indices],
      this.#element,
    );
    const { over } = this.#plot;
    let pressedAt = 0;
    over.addEventListener('pointerdown', ({ clientX }) => (pressedAt = clientX));
    over.addEventListener('click', ({ clientX }) => {
      const bar = this.#plot && this.#pointed(this.#plot.cursor);
      // A click also ends a selection.
      if (bar !== undefined && Math.abs(clientX - pressedAt) < MIN_SELECTION) this.#events.onChoose?.(bar);
    });
    this.#paint = drawing.prepare(this.#plot.ctx, this.#element, this.#theme);
    this.#plot.setScale('x', rangeOf(bars));
  }

  #range(plot: uPlot): [number, number] {
    const { min, max } = rangeOf(this.#content?.bars ?? [0, plot.data[0].length]);
    return [min, max];
  }

  #extent(): [number, number] {
    const { drawing, bars } = this.#content ?? {};
    // uPlot asks several times for the same range.
    if (drawing && bars && (this.#extentOf?.drawing !== drawing || this.#extentOf.bars !== bars))
      this.#extentOf = { drawing, bars, range: drawing.extent(bars) };
    const [low, high] = this.#extentOf?.range ?? [0, 0];
    const room = (high - low) * 0.04;
    if (room === 0) return [0, 1];
    return [low < 0 ? low - room : 0, high > 0 ? high + room : 0];
  }

  #pointed({ left = -1, idx }: uPlot.Cursor): number | undefined {
    return left < 0 ? undefined : (idx ?? undefined);
  }

  #timeAxis({ timeLabels }: Drawing): uPlot.Axis {
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
      values: (_, splits) => timeLabels(splits),
    };
  }

  #valueAxis({ valueLabel, axisWidth }: Drawing): uPlot.Axis {
    return {
      ...this.#axis(),
      grid: { stroke: this.#theme.grid, width: 1 },
      incrs: STEPS,
      space: Y_LABEL_DISTANCE,
      // There are no values before the first layout.
      size: (_, values: string[] | null) =>
        axisWidth ?? Math.max(...(values ?? ['$0.00']).map(({ length }) => length)) * CHARACTER_WIDTH + 10,
      values: (_, splits, _axis, _space, step) => splits.map((value) => valueLabel(value, step)),
    };
  }

  #axis(): uPlot.Axis {
    return { stroke: this.#theme.dim, font: this.#theme.font, ticks: { show: false }, gap: 6 };
  }

  #draw(plot: uPlot): void {
    const content = this.#content;
    if (!content || !this.#paint) return;
    const { ctx: context, bbox: area } = plot;
    const [from, to] = content.bars;
    const scale: Scale = {
      x: (index) => plot.valToPos(index, 'x', true),
      y: (value) => plot.valToPos(value, 'y', true),
      slot: area.width / Math.max(1, to - from),
      ratio: devicePixelRatio,
    };
    context.save();
    this.#paint({ context, area, scale, bars: content.bars, theme: this.#theme });
    context.restore();
  }

  #onSelect(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < MIN_SELECTION) return;
    const from = Math.floor(plot.posToVal(left, 'x') + 0.5);
    const to = Math.ceil(plot.posToVal(left + width, 'x') + 0.5);
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#events.onZoom([from, to]);
  }

  #onWheel(event: WheelEvent): void {
    const content = this.#content;
    const plot = this.#plot;
    if (!content || !plot) return;
    const { count } = content.drawing;
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

/** Bars that are at least this wide have patterns, and gaps between their segments, in CSS pixels. */
const MIN_PATTERN_WIDTH = 6;

/** Returns whether bars are wide enough for patterns. */
export function isWide(scale: Pick<Scale, 'slot' | 'ratio'>): boolean {
  return barWidth(scale) >= MIN_PATTERN_WIDTH * scale.ratio;
}

/** Calls the function when the theme of the editor or the resolution of the screen changes. */
export function onThemeChange(repaint: () => void): void {
  // The editor changes these attributes when its theme changes.
  new MutationObserver(repaint).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['class', 'style', 'data-vscode-theme-id'],
  });
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', repaint);
}
