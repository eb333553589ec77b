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
import { drawingOf } from './drawing.ts';
import { KeptState, ToWebview, type BillingPageState, type BillingToHost, type BillingToWebview } from './messages.ts';
import { initialModel, keptState, withChart, type Model } from './model.ts';
import { page, type Actions } from './page.ts';
import { pictureOf } from './picture.ts';

const EXPORTED_MS = 2_000;

const editor: Editor<BillingToHost, BillingPageState> = connectEditor(ToWebview, onMessage);
/** Undefined until the editor sends the first view. */
let model: Model | undefined;
/** The plot and the element that it draws into, while the chart is visible. */
let drawn: { readonly element: HTMLElement; readonly plot: Plot } | undefined;
/** The last drawing, and what it is made of. */
let last: { readonly of: readonly unknown[]; readonly drawing: Drawing } | undefined;

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

/** Draws the bars, and places the tooltip. */
function draw({ chart, hidden, zoom, active }: Model): void {
  const element = document.querySelector<HTMLElement>('.plot');
  if (!chart || !element) return;
  if (drawn?.element !== element) {
    widths.disconnect();
    widths.observe(element);
    drawn = { element, plot: new Plot(element, { onPoint: point, onZoom: actions.zoomTo }) };
  }
  if (last?.of[0] !== chart || last.of[1] !== hidden) last = { of: [chart, hidden], drawing: drawingOf(chart, hidden) };
  drawn.plot.show({ drawing: last.drawing, bars: barsBetween(chart, zoom) }, element.clientWidth);
  placeTooltip(document, active === undefined ? undefined : drawn.plot.place(active));
}

/** Shows the tooltip of a bar. The pointer moves many times within a bar. */
function point(bar: number | undefined): void {
  if (model?.active !== bar) update({ active: bar });
}

const actions: Actions = {
  send: (message) => editor.postMessage(message),
  toggleTable: () => update({ asTable: !model?.asTable, active: undefined }),
  activate: point,
  moveTo: (bar) => update({ current: bar, active: bar }),
  zoomTo: (bars) => {
    if (model?.chart) update({ zoom: timesOf(model.chart, bars) });
  },
  toggle: (id) => {
    const all = model?.chart?.series.map((one) => one.id) ?? [];
    update({ hidden: toggled(model?.hidden ?? [], id, all) });
  },
  showAll: () => update({ hidden: [] }),
  sortBy: (column) => {
    const descending = model?.sort.column === column ? !model.sort.descending : true;
    update({ sort: { column, descending } });
  },
  showMore: () => update({ rows: (model?.rows ?? 0) + ROWS_STEP }),
  exportPicture: () => void exportPicture(),
};

async function exportPicture(): Promise<void> {
  const canvas = drawn?.plot.canvas;
  if (!canvas || !model?.chart) return;
  editor.postMessage({
    type: 'exportPicture',
    bytes: await pictureOf(canvas, model.chart, model.hidden, document.body),
  });
}

function onMessage(message: BillingToWebview): void {
  switch (message.type) {
    case 'view':
      show(
        model
          ? { ...model, view: message.view }
          : initialModel(message.view, KeptState.safeParse(editor.getState()).data),
      );
      return;
    case 'chart':
      if (model) show(withChart(model, message.chart));
      return;
    case 'exported':
      update({ exported: message.to });
      setTimeout(() => update({ exported: undefined }), EXPORTED_MS);
      return;
  }
}

onThemeChange(() => drawn?.plot.repaint());

editor.postMessage({ type: 'ready' });
