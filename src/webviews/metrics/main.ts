import '../language/configure.ts';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { render } from 'lit';
import 'uplot/dist/uPlot.min.css';
import '../page.css';
import '../charts.css';
import '../charts/layout.css';
import './main.css';
import { barsBetween, timesOf } from '../charts/bars.ts';
import { placeTooltip } from '../charts/frame.ts';
import { toggled } from '../charts/keys.ts';
import { onThemeChange, Plot, type Drawing } from '../charts/plot.ts';
import { ROWS_STEP } from '../charts/table.ts';
import { connectEditor, type Editor } from '../editor.ts';
import { KeptState, ToWebview, type MetricsPageState, type MetricsToHost, type MetricsToWebview } from './messages.ts';
import { initialModel, keptState, withChart, type Model } from './model.ts';
import { page, type Actions } from './page.ts';
import { drawingOf, sectionsOf, type SectionId } from './sections.ts';

const EXPORTED_MS = 2_000;

/** A visible plot: the element that it draws into, and its last drawing with what that is made of. */
interface Drawn {
  readonly element: HTMLElement;
  readonly plot: Plot;
  of: readonly unknown[];
  drawing: Drawing | undefined;
}

const editor: Editor<MetricsToHost, MetricsPageState> = connectEditor(ToWebview, onMessage);
/** Undefined until the editor sends the first view. */
let model: Model | undefined;
const plots = new Map<SectionId, Drawn>();
/** The chart whose bucket lists its jobs. The focus returns to it. */
let listedFrom: SectionId | undefined;

function update(change: Partial<Model>): void {
  if (model) show({ ...model, ...change });
}

function show(next: Model): void {
  model = next;
  editor.setState(keptState(next));
  render(page(next, actions), document.body);
  draw(next);
}

const widths = new ResizeObserver(() => {
  if (model) draw(model);
});

/** Draws the charts, and places the tooltip and the markers of the active bucket. */
function draw({ chart, hidden, zoom, timeline, active }: Model): void {
  if (!chart) return;
  const bars = barsBetween(timeline, zoom);
  for (const section of sectionsOf(chart)) {
    const { id } = section;
    const root = document.querySelector<HTMLElement>(`[data-section=${id}]`);
    const element = root?.querySelector<HTMLElement>('.plot');
    if (!root || !element) continue;
    const drawn = drawnIn(id, element);
    if (drawn.of[0] !== chart || drawn.of[1] !== hidden) {
      drawn.of = [chart, hidden];
      drawn.drawing = drawingOf(chart, section, hidden);
    }
    if (drawn.drawing) drawn.plot.show({ drawing: drawn.drawing, bars }, element.clientWidth);
    placeTooltip(root, active && drawn.plot.place(active.bar));
  }
}

function drawnIn(id: SectionId, element: HTMLElement): Drawn {
  const known = plots.get(id);
  if (known?.element === element) return known;
  if (known) widths.unobserve(known.element);
  widths.observe(element);
  const plot = new Plot(element, {
    onPoint: (bar) => actions.activate(id, bar),
    onZoom: actions.zoomTo,
    onChoose: (bar) => {
      const lists = model?.chart && sectionsOf(model.chart).some((one) => one.id === id && one.listsJobs);
      if (lists) actions.listJobs(id, bar);
    },
  });
  const drawn = { element, plot, of: [], drawing: undefined };
  plots.set(id, drawn);
  return drawn;
}

const actions: Actions = {
  send: (message) => editor.postMessage(message),
  toggleTable: () => update({ asTable: !model?.asTable, active: undefined }),
  // The pointer moves many times within a bar.
  activate: (section, bar) => {
    const { active } = model ?? {};
    if (bar === undefined ? active?.section !== section : active?.section === section && active.bar === bar) return;
    update({ active: bar === undefined ? undefined : { section, bar } });
  },
  moveTo: (bar) => {
    if (model?.chart) update({ current: model.chart.start + bar * model.chart.step });
  },
  zoomTo: (bars) => {
    if (model?.chart) update({ zoom: timesOf(model.timeline, bars) });
  },
  toggle: (id) => {
    const section = model?.chart && sectionsOf(model.chart).find(({ series }) => series.some((one) => one.id === id));
    update({ hidden: toggled(model?.hidden ?? [], id, section?.series.map((one) => one.id) ?? []) });
  },
  showAll: () => update({ hidden: [] }),
  sortBy: (column) => {
    const descending = model?.sort.column === column ? !model.sort.descending : true;
    update({ sort: { column, descending } });
  },
  showMore: () => update({ rows: (model?.rows ?? 0) + ROWS_STEP }),
  listJobs: (section, bar) => {
    if (!model?.chart) return;
    const { start, step } = model.chart;
    listedFrom = section;
    editor.postMessage({ type: 'listJobs', start: start + bar * step, end: start + (bar + 1) * step });
  },
  closeJobs: () => {
    editor.postMessage({ type: 'closeJobs' });
    if (listedFrom) plots.get(listedFrom)?.element.focus();
  },
};

function onMessage(message: MetricsToWebview): void {
  switch (message.type) {
    case 'view': {
      const { view } = message;
      const before = model?.view.jobs?.start;
      show(model ? { ...model, view } : initialModel(view, KeptState.safeParse(editor.getState()).data));
      // The user chose a bucket, so the list gets the focus.
      if (view.jobs && view.jobs.start !== before) document.getElementById('jobs-title')?.focus();
      return;
    }
    case 'chart':
      if (model) show(withChart(model, message.chart));
      return;
    case 'exported':
      update({ exported: message.to });
      setTimeout(() => update({ exported: undefined }), EXPORTED_MS);
      return;
  }
}

function repaint(): void {
  for (const { plot, element } of plots.values()) if (element.isConnected) plot.repaint();
}

onThemeChange(repaint);

editor.postMessage({ type: 'ready' });
