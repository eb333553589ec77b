import * as l10n from '@vscode/l10n';
import type {
  ImageEditField,
  ImageEditForm,
  ImageEditLayout,
  ImageEditPageState,
  ImageEditSetup,
  ImageEditView,
} from './messages.ts';
import { CENTER, type Point, type Size, type Zoom } from './viewport.ts';

/** State of the page: the data from the editor and the page's own state. */
export interface Model {
  readonly setup: ImageEditSetup;
  readonly view: ImageEditView;
  readonly form: ImageEditForm;
  readonly layout: ImageEditLayout;
  readonly zoom: Zoom;
  readonly center: Point;
  /** Position of the divider between the images, in percent of the width. */
  readonly divider: number;
  /** Text of the field for an address. */
  readonly address: string;
  /** Whether a file is dragged over the page. */
  readonly isDropTarget: boolean;
  /** Addresses of the pictures whose bytes the page has, by ID. */
  readonly pictures: ReadonlyMap<string, string>;
  /** Sizes of the loaded pictures in pixels, by ID. Null for a picture that the browser cannot decode. */
  readonly sizes: ReadonlyMap<string, Size | null>;
  /** Time of the editor, in ms since the epoch. */
  readonly now: number;
}

export function initialModel(
  setup: ImageEditSetup,
  view: ImageEditView,
  form: ImageEditForm,
  layout: ImageEditLayout,
): Model {
  return {
    setup,
    view,
    form,
    layout,
    zoom: 'fit',
    center: CENTER,
    divider: 50,
    address: '',
    isDropTarget: false,
    pictures: new Map(),
    sizes: new Map(),
    now: view.now,
  };
}

/** Returns the state to keep. */
export function keptState({ form, layout, view }: Model): ImageEditPageState {
  const kept = view.source?.kept;
  const { result } = view;
  return { form, layout, ...(kept && { source: kept }), ...(result && { result: result.editId }) };
}

/** Takes another view. Another result is shown as a whole. */
export function withView(model: Model, view: ImageEditView): Model {
  const isOther = model.view.result?.id !== view.result?.id;
  const isNewSource = model.view.source?.name !== view.source?.name;
  return {
    ...model,
    view,
    now: view.now,
    ...((isOther || isNewSource) && { zoom: 'fit', center: CENTER }),
    ...(isNewSource && { address: '' }),
  };
}

/** Returns the IDs of the pictures that a view refers to. */
export function pictureIds({ source, result, history }: ImageEditView): ReadonlySet<string> {
  const thumbnails = history.map(({ thumbnail }) => thumbnail);
  const ids = [source?.picture?.id, result?.before?.id, result?.after?.id, ...thumbnails];
  return new Set(ids.filter((id) => id !== undefined));
}

/** Adds a suggestion to a prompt. */
export function withSuggestion(prompt: string, suggestion: string): string {
  const start = prompt.trimEnd().replace(/[,;.]$/, '');
  return start === '' ? suggestion : `${start}, ${suggestion}`;
}

/** Returns whether a text is a seed: an integer that JSON carries exactly. */
export function isSeed(text: string): boolean {
  return /^\s*-?\d+\s*$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Returns whether the last failure refers to a field. */
export function isAffected({ view }: Model, field: ImageEditField): boolean {
  return view.failure?.fields.includes(field) ?? false;
}

/** Returns why an edit cannot start, or undefined if it can. The editor checks again. */
export function blockerOf({ view, form, setup }: Model): string | undefined {
  const { source, acceptsFiles } = view;
  if (!source) return l10n.t('Choose an image first.');
  if (source.kind === 'file' && !acceptsFiles) return l10n.t('This platform needs a public image URL.');
  if (form.prompt.trim() === '') return l10n.t('Describe the edit.');
  if (form.prompt.length > setup.maxPrompt) return l10n.t('The prompt is too long.');
  if (form.negativePrompt.length > setup.maxPrompt) return l10n.t('The negative prompt is too long.');
  if (form.seedMode === 'fixed' && !isSeed(form.seed)) return l10n.t('Enter a whole number as the seed.');
  return undefined;
}
