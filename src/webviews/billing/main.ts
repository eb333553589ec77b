import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { render } from 'lit';
import { placeTooltip } from './chart.ts';
import './main.css';
import type { BillingPageState, BillingToHost } from './messages.ts';
import { initialModel, type Model } from './model.ts';
import { page, type Actions } from './page.ts';
import { KeptState, ToWebview } from './received.ts';

/** API that the editor provides to each webview. */
declare function acquireVsCodeApi(): {
  postMessage(message: BillingToHost): void;
  getState(): unknown;
  setState(state: BillingPageState): void;
};

const COPIED_MS = 2_000;

const editor = acquireVsCodeApi();
/** Undefined until the editor sends the first view. */
let model: Model | undefined;

function update(change: Partial<Model>): void {
  if (model) show({ ...model, ...change });
}

function show(next: Model): void {
  const isFirst = !model;
  model = next;
  editor.setState({ range: next.view.range, asTable: next.asTable });
  render(page(next, actions), document.body);
  placeTooltip(document.body);
  if (isFirst) followWidth();
}

/** Updates the width of the chart when the width of the page changes. */
function followWidth(): void {
  const main = document.querySelector('main');
  if (main) new ResizeObserver(() => update({ width: main.clientWidth })).observe(main);
}

const actions: Actions = {
  send: (message) => editor.postMessage(message),
  toggleTable: () => update({ asTable: !model?.asTable, active: undefined }),
  activate: (active) => update({ active }),
  moveTo: (bar) => {
    update({ current: bar });
    document.querySelector<SVGElement>(`[data-index="${bar}"]`)?.focus();
  },
};

window.addEventListener('message', ({ data }) => {
  const { data: message } = ToWebview.safeParse(data);
  if (message?.type === 'view') {
    const asTable = KeptState.safeParse(editor.getState()).data?.asTable ?? false;
    show(model ? { ...model, view: message.view } : initialModel(message.view, asTable));
  }
  if (message?.type === 'copied') {
    update({ copied: true });
    setTimeout(() => update({ copied: false }), COPIED_MS);
  }
});

editor.postMessage({ type: 'ready' });
