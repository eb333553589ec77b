import '../language/configure.ts';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { render } from 'lit';
import '../page.css';
import './main.css';
import { connectEditor, type Editor } from '../editor.ts';
import {
  KeptState,
  ToWebview,
  type ImageEditForm,
  type ImageEditPageState,
  type ImageEditSetup,
  type ImageEditToHost,
  type ImageEditToWebview,
} from './messages.ts';
import { blockerOf, initialModel, keptState, pictureIds, withView, type Model } from './model.ts';
import type { Actions } from './actions.ts';
import { page } from './page.ts';
import { Pictures, thumbnailOf } from './pictures.ts';
import { centerAfter, frameOf, placePictures } from './stage.ts';
import { CENTER, moveOfKey, zoomOfKey, type Point } from './viewport.ts';

const TICK_MS = 1_000;

const editor: Editor<ImageEditToHost, ImageEditPageState> = connectEditor(ToWebview, onMessage);
const kept = KeptState.safeParse(editor.getState()).data;
const pictures = new Pictures();
/** Undefined until the editor sends the first view. */
let model: Model | undefined;
let setup: ImageEditSetup | undefined;
let form: ImageEditForm | undefined = kept?.form;
/** Time of the editor minus the time of the page, in ms. */
let ahead = 0;

function update(change: Partial<Model>): void {
  if (model) show({ ...model, ...change });
}

function show(next: Model): void {
  model = next;
  editor.setState(keptState(next));
  const restoreFocus = rememberFocus();
  render(page(next, actions), document.body);
  restoreFocus();
  placePictures(document, next);
  void drawThumbnail(next);
  for (const stage of document.querySelectorAll('.stage')) frames.observe(stage);
}

/** IDs of the edits whose thumbnails the page has drawn. */
const drawn = new Set<string>();

/** Sends a thumbnail of the shown result, once it is loaded and in the history. */
async function drawThumbnail({ view: { result }, pictures: addresses, sizes }: Model): Promise<void> {
  const { after, editId, lacksThumbnail } = result ?? {};
  if (!after || editId === undefined || !lacksThumbnail || !sizes.get(after.id) || drawn.has(editId)) return;
  const images = [...document.querySelectorAll<HTMLImageElement>('.stage img')];
  const image = images.find(({ src }) => src === addresses.get(after.id));
  if (!image) return;
  drawn.add(editId);
  const bytes = await thumbnailOf(image);
  if (bytes) editor.postMessage({ type: 'thumbnail', id: editId, bytes });
}

const frames = new ResizeObserver(() => {
  if (model) placePictures(document, model);
});

const actions: Actions = {
  send: (message) => editor.postMessage(message),
  run: () => {
    if (model && !model.view.run && blockerOf(model) === undefined)
      editor.postMessage({ type: 'run', form: model.form });
  },
  setForm: (change) => {
    if (model) update({ form: { ...model.form, ...change } });
  },
  setAddress: (address) => update({ address }),
  setLayout: (layout) => update({ layout }),
  setZoom: (zoom) => update({ zoom, ...(zoom === 'fit' && { center: CENTER }) }),
  setDivider: (divider) => update({ divider }),
  pictureLoaded: (id, size) => update({ sizes: new Map(model?.sizes).set(id, size) }),
  stageKey: (event) => {
    if (!model || event.ctrlKey || event.metaKey || event.altKey) return;
    const stage = event.currentTarget as HTMLElement;
    const zoom = zoomOfKey(event.key, model.zoom);
    const by = moveOfKey(event.key, frameOf(stage));
    if (zoom === undefined && !by) return;
    event.preventDefault();
    if (zoom !== undefined) actions.setZoom(zoom);
    else if (by) move(stage, by);
  },
  stagePointer: (event) => {
    const stage = event.currentTarget as HTMLElement;
    if (event.button !== 0 || model?.zoom === 'fit') return;
    drag(stage, event, ({ movementX, movementY }) => move(stage, { x: movementX, y: movementY }));
  },
  dividerPointer: (event) => {
    event.stopPropagation();
    const line = event.currentTarget as HTMLElement;
    const stage = line.parentElement;
    if (event.button !== 0 || !stage) return;
    drag(line, event, ({ clientX }) => {
      const { left, width } = stage.getBoundingClientRect();
      actions.setDivider(Math.round(Math.min(1, Math.max(0, (clientX - left) / width)) * 100));
    });
  },
};

function move(stage: HTMLElement, by: Point): void {
  if (model) update({ center: centerAfter(stage, model, by) });
}

/** Calls `onMove` until the pointer is released. */
function drag(element: HTMLElement, { pointerId }: PointerEvent, onMove: (event: PointerEvent) => void): void {
  element.setPointerCapture(pointerId);
  const end = new AbortController();
  element.addEventListener('pointermove', onMove, { signal: end.signal });
  for (const type of ['pointerup', 'pointercancel'] as const)
    element.addEventListener(type, () => end.abort(), { signal: end.signal });
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    actions.run();
  } else if (event.key === 'Escape' && model?.view.run) editor.postMessage({ type: 'cancel' });
});

document.addEventListener('dragover', (event) => {
  if (!event.dataTransfer || !canBeImage(event.dataTransfer)) return;
  event.preventDefault();
  if (model?.isDropTarget === false) update({ isDropTarget: true });
});
document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) update({ isDropTarget: false });
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  update({ isDropTarget: false });
  if (event.dataTransfer) void take(event.dataTransfer);
});
document.addEventListener('paste', (event) => {
  // Text is pasted into the field that has the focus.
  if (!event.clipboardData || event.clipboardData.files.length === 0) return;
  event.preventDefault();
  void take(event.clipboardData);
});

async function take(data: DataTransfer): Promise<void> {
  const message = setup && (await messageOf(data, setup.maxFileBytes));
  if (message) editor.postMessage(message);
}

function onMessage(message: ImageEditToWebview): void {
  switch (message.type) {
    case 'setup':
      setup = message.setup;
      return;
    case 'form':
      form = message.form;
      update({ form });
      return;
    case 'picture':
      pictures.add(message.id, message.bytes, message.mediaType);
      return;
    case 'view': {
      const { view } = message;
      ahead = view.now - Date.now();
      pictures.keepOnly(pictureIds(view));
      if (!setup) return;
      const next = model
        ? withView(model, view)
        : initialModel(setup, view, form ?? setup.form, kept?.layout ?? 'sideBySide');
      const isNewFailure = view.failure !== undefined && model?.view.failure === undefined;
      show({ ...next, pictures: pictures.addresses });
      if (isNewFailure) document.querySelector('.start')?.scrollIntoView({ block: 'nearest' });
      return;
    }
  }
}

// The elapsed time and the countdown change each second.
setInterval(() => {
  if (model && (model.view.run ?? model.view.result)) update({ now: Date.now() + ahead });
}, TICK_MS);

editor.postMessage({ type: 'ready' });

/**
 * Remembers the part of the page that has the focus. The returned function moves the focus to the first button of this part if the
 * focused element has been removed, because the focus would otherwise be at the start of the page.
 */
function rememberFocus(): () => void {
  const focused = document.activeElement;
  const part = partOf(focused);
  return () => {
    if (part === undefined || !focused || focused.isConnected || !document.hasFocus()) return;
    const button = document.querySelector<MaybeElement>(`${part} :is(vscode-button, button):not([disabled])`);
    // A new custom element can have the focus only after its first update.
    void Promise.resolve(button?.updateComplete).then(() => button?.focus());
  };
}

/** An element of the page, or a custom element. */
type MaybeElement = HTMLElement & { readonly updateComplete?: Promise<boolean> };

/** Returns the selector of the part of the page that contains an element. */
function partOf(element: Element | null): string | undefined {
  if (element?.closest('.start')) return '.start';
  const heading = element?.closest('section')?.getAttribute('aria-labelledby');
  return heading ? `section[aria-labelledby="${heading}"]` : undefined;
}

/* Images that are dropped on the page or pasted into it. */

/** Types in which the editor describes dragged files, in order of preference. */
const URI_TYPES = ['application/vnd.code.uri-list', 'text/uri-list'] as const;

/** Returns whether dragged data can contain an image. */
function canBeImage({ types }: DataTransfer): boolean {
  return ['Files', ...URI_TYPES].some((type) => types.includes(type));
}

/**
 * Returns the message for dropped or pasted data, or undefined if it contains neither a file nor an address.
 *
 * @param maxBytes maximum size of a file
 */
async function messageOf(data: DataTransfer, maxBytes: number): Promise<ImageEditToHost | undefined> {
  const address = firstAddress(data);
  if (address !== undefined) {
    return /^https?:/i.test(address) ? { type: 'sourceUrl', url: address } : { type: 'sourceUri', uri: address };
  }
  const [file] = data.files;
  if (!file) return undefined;
  if (file.size > maxBytes) return { type: 'sourceTooLarge', bytes: file.size };
  return { type: 'sourceBytes', name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

function firstAddress(data: DataTransfer): string | undefined {
  const list = URI_TYPES.map((type) => data.getData(type)).find((text) => text !== '');
  return list?.split(/\r?\n/).find((line) => line !== '' && !line.startsWith('#'));
}
