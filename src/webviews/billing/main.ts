import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { render } from 'lit';
import { BillingPageState, BillingToWebview, type BillingToHost } from '../../contract/webviewMessages.ts';
import { placeTooltip } from './chart.ts';
import './main.css';
import { initialModel, type Model } from './model.ts';
import { page, type Actions } from './page.ts';

/** What the editor gives every webview. */
declare function acquireVsCodeApi(): {
  postMessage(message: BillingToHost): void;
  getState(): unknown;
  setState(state: BillingPageState): void;
};

const COPIED_MS = 2_000;

const editor = acquireVsCodeApi();
let model: Model = initialModel(BillingPageState.safeParse(editor.getState()).data);

function update(change: Partial<Model>): void {
  model = { ...model, ...change };
  editor.setState({ range: model.view.range, asTable: model.asTable });
  render(page(model, actions), document.body);
  placeTooltip(document.body);
}

const actions: Actions = {
  send: (message) => editor.postMessage(message),
  toggleTable: () => update({ asTable: !model.asTable, active: undefined }),
  activate: (active) => update({ active }),
  moveTo: (bar) => {
    update({ current: bar });
    document.querySelector<SVGElement>(`[data-index="${bar}"]`)?.focus();
  },
};

window.addEventListener('message', ({ data }) => {
  const { data: message } = BillingToWebview.safeParse(data);
  if (message?.type === 'view') update({ view: message.view });
  if (message?.type === 'copied') {
    update({ copied: true });
    setTimeout(() => update({ copied: false }), COPIED_MS);
  }
});

update({});
const main = document.querySelector('main');
if (main) new ResizeObserver(() => update({ width: main.clientWidth })).observe(main);
editor.postMessage({ type: 'ready' });
