import '../language/configure.ts';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { render } from 'lit';
import '../page.css';
import './main.css';
import { connectEditor, type Editor } from '../editor.ts';
import {
  KeptState,
  ToWebview,
  type JobFormPageState,
  type JobFormPath,
  type JobFormToHost,
  type JobFormToWebview,
  MAX_FILE_BYTES,
} from './messages.ts';
import { keyOf, modelOf, parseTyped, valueText, type Model, type Typed, type Actions } from './model.ts';
import { page } from './page.ts';
import { keepPicture } from './controls.ts';

const editor: Editor<JobFormToHost, JobFormPageState> = connectEditor(ToWebview, onMessage);
const kept = KeptState.safeParse(editor.getState()).data?.typed ?? [];
let model: Model | undefined;
let typed: ReadonlyMap<string, Typed> = new Map(kept.map(({ key, text, base }) => [key, { text, base }]));
let left: ReadonlySet<string> = new Set();
/** Number of the last change that was sent. Values of earlier ones are out of date. */
let revision = 0;
/** ID of the element that gets the focus once it is there. */
let focus: string | undefined;

function show(next: Model): void {
  model = next;
  ({ typed, left } = next);
  editor.setState({
    typed: [...typed].map(([key, { text, base }]) => ({ key, text, base })),
    reopen: next.view.reopen,
  });
  render(page(next, actions), document.body);
}

function update(change: Partial<Model>): void {
  if (model) show({ ...model, ...change });
}

const actions: Actions = {
  type: (path, text, control) => {
    if (!model) return;
    const key = keyOf(path);
    update({ typed: new Map(typed).set(key, { text, base: valueText(model.values.get(key)) }) });
    const parsed = parseTyped(text, control);
    if ('value' in parsed) send(path, parsed.value);
  },
  change: (path, value, element) => {
    focus = element;
    send(path, value);
  },
  leave: (path) => update({ left: new Set(left).add(keyOf(path)) }),
  chooseFile: (path) => editor.postMessage({ type: 'chooseFile', path, revision: ++revision }),
  run: (kind, force = false) => editor.postMessage({ type: 'run', kind, force }),
  editAsJson: () => editor.postMessage({ type: 'editAsJson' }),
};

function send(path: JobFormPath, value: unknown): void {
  editor.postMessage({ type: 'change', path: [...path], ...(value !== undefined && { value }), revision: ++revision });
}

function onMessage(message: JobFormToWebview): void {
  if (message.type === 'picture') {
    keepPicture(message.picture);
    return;
  }
  const { view } = message;
  if (view.revision < revision) return;
  const isRefused = view.refusals > (model?.view.refusals ?? view.refusals);
  show(modelOf(view, { typed, left }));
  if (focus !== undefined) document.getElementById(focus)?.focus();
  focus = undefined;
  if (isRefused) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  actions.run('run');
});

document.addEventListener('dragover', (event) => {
  const isTaken = event.dataTransfer && canBeFile(event.dataTransfer) && pathUnder(event.target) !== undefined;
  if (isTaken) event.preventDefault();
});
document.addEventListener('drop', (event) => {
  const path = pathUnder(event.target);
  if (!event.dataTransfer || !canBeFile(event.dataTransfer)) return;
  event.preventDefault();
  if (path) void take(event.dataTransfer, path);
});
document.addEventListener('paste', (event) => {
  const path = pathUnder(event.target);
  // Text is pasted into the field that has the focus.
  if (!path || !event.clipboardData || event.clipboardData.files.length === 0) return;
  event.preventDefault();
  void take(event.clipboardData, path);
});

async function take(data: DataTransfer, path: JobFormPath): Promise<void> {
  const message = await fileMessage(data, [...path], () => ++revision);
  if (message) editor.postMessage(message);
}

editor.postMessage({ type: 'ready' });

/* Files that are dropped on a field or pasted into it. */

/** Types in which the editor describes dragged files, in order of preference. */
const URI_TYPES = ['application/vnd.code.uri-list', 'text/uri-list'] as const;

/** Returns the path of the field under a drop or a paste, if it takes files. */
function pathUnder(target: EventTarget | null): JobFormPath | undefined {
  const path = target instanceof Element ? target.closest('[data-path]')?.getAttribute('data-path') : undefined;
  return path ? (JSON.parse(path) as JobFormPath) : undefined;
}

/** Returns whether dragged data can contain a file. */
function canBeFile({ types }: DataTransfer): boolean {
  return ['Files', ...URI_TYPES].some((type) => types.includes(type));
}

/** Returns the message for a dropped or pasted file, or undefined for other data. */
async function fileMessage(
  data: DataTransfer,
  path: JobFormPath,
  nextRevision: () => number,
): Promise<JobFormToHost | undefined> {
  const list = URI_TYPES.map((type) => data.getData(type)).find((text) => text !== '');
  const uri = list?.split(/\r?\n/).find((line) => line !== '' && !line.startsWith('#'));
  if (uri !== undefined && !/^https?:/i.test(uri)) return { type: 'fileUri', path, uri, revision: nextRevision() };
  const [file] = data.files;
  if (!file) return undefined;
  const { name, size } = file;
  if (size > MAX_FILE_BYTES) return { type: 'fileTooLarge', path, name, bytes: size, revision: nextRevision() };
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { type: 'fileBytes', path, name, bytes, revision: nextRevision() };
}
