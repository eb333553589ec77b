import '../language/configure.ts';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { render } from 'lit';
import '../page.css';
import '../charts.css';
import '../charts/layout.css';
import './main.css';
import { connectEditor, type Editor } from '../editor.ts';
import { KeptState, ToWebview, type TuningPageState, type TuningToHost, type TuningToWebview } from './messages.ts';
import type { Model } from './model.ts';
import { page, type Actions } from './page.ts';

const editor: Editor<TuningToHost, TuningPageState> = connectEditor(ToWebview, onMessage);
/** Undefined until the editor sends the first view. */
let model: Model | undefined;
/** What the editor needs to open the page again after a reload. */
let reopen: unknown;
const { chosen, targetSeconds } = KeptState.safeParse(editor.getState() ?? {}).data ?? {};
const INITIAL = { result: undefined, chosen, targetSeconds, width: 0 };

function show(next: Model): void {
  model = next;
  keep();
  render(page(next, actions), document.body);
}

/** Keeps the choices while the page is hidden, and over a reload. */
function keep(): void {
  editor.setState({ reopen, chosen: model?.chosen, targetSeconds: model?.targetSeconds });
}

const actions: Actions = {
  send: (message) => editor.postMessage(message),
  choose: (id) => model && show({ ...model, chosen: id }),
  aim: (targetSeconds) => model && show({ ...model, targetSeconds }),
};

new ResizeObserver(() => {
  if (model && model.width !== width()) show({ ...model, width: width() });
}).observe(document.body);

/** Returns the width of the page, or 0 before its first content. */
function width(): number {
  return document.querySelector('main')?.clientWidth ?? 0;
}

function onMessage(message: TuningToWebview): void {
  if (message.type === 'keep') ({ reopen } = message);
  else if (message.type === 'view') show({ ...(model ?? INITIAL), view: message.view });
  else if (model) show({ ...model, result: message.result });
}

editor.postMessage({ type: 'ready' });
