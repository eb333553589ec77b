import * as l10n from '@vscode/l10n';
import type {
  JobFormMember,
  JobFormPath,
  JobFormProblem,
  JobFormSimpleControl,
  JobFormValue,
  JobFormView,
  JobFormToHost,
} from './messages.ts';

/** Actions of the page. */
export interface Actions {
  /** Takes the text of a field, and sends its value if it has one. */
  readonly type: (path: JobFormPath, text: string, control: JobFormSimpleControl) => void;
  /** Sends a value. @param focus ID of the element that gets the focus after the change */
  readonly change: (path: JobFormPath, value: unknown, focus?: string) => void;
  readonly leave: (path: JobFormPath) => void;
  readonly chooseFile: (path: JobFormPath) => void;
  readonly run: (kind: Extract<JobFormToHost, { type: 'run' }>['kind'], force?: boolean) => void;
  readonly editAsJson: () => void;
}

/** A text that the user has typed into a field. */
export interface Typed {
  readonly text: string;
  /** JSON of the value when the text was typed. */
  readonly base: string;
}

/** State of the page. */
export interface Model {
  readonly view: JobFormView;
  readonly values: ReadonlyMap<string, JobFormValue>;
  readonly typed: ReadonlyMap<string, Typed>;
  /** Keys of the fields that the user has left. */
  readonly left: ReadonlySet<string>;
}

/** Identifies a path. */
export function keyOf(path: JobFormPath): string {
  return JSON.stringify(path);
}

export function modelOf(view: JobFormView, before: Pick<Model, 'typed' | 'left'>): Model {
  const values = new Map(view.values.map((one) => [keyOf(one.path), one]));
  const model: Model = { view, values, typed: new Map(), left: before.left };
  const typed = [...before.typed].filter(([key, one]) => {
    const value = valueText(values.get(key));
    const control = controlOf(view, JSON.parse(key) as JobFormPath);
    if (!control) return false;
    const parsed = parseTyped(one.text, usedControl(control, values.get(key)));
    // A text that stands for another value was replaced in the JSON.
    return 'problem' in parsed ? value === one.base : value === jsonOf(parsed.value);
  });
  return { ...model, typed: new Map(typed) };
}

/** Returns the JSON of a value, or an empty text without one. */
export function valueText(value: JobFormValue | undefined): string {
  return jsonOf(value?.value);
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** Returns the control of the field, or of the item of a list, at a path. */
function controlOf({ fields }: JobFormView, [name, ...rest]: JobFormPath): JobFormSimpleControl | undefined {
  const control = fields.find((field) => field.name === name)?.control;
  if (control?.kind === 'group') {
    const member = control.members.find((one) => one.name === rest[0])?.control;
    return member && simpleOf(member, rest.length > 1);
  }
  return control && simpleOf(control, rest.length > 0);
}

function simpleOf(control: JobFormMember['control'], isItem: boolean): JobFormSimpleControl {
  if (control.kind !== 'list') return control;
  return isItem ? control.item : { kind: 'json' };
}

/** Returns the control that edits a value: JSON for one that the control of its field cannot show. */
export function usedControl(control: JobFormSimpleControl, value: JobFormValue | undefined): JobFormSimpleControl {
  return value?.isJson === true ? { kind: 'json' } : control;
}

/** Returns the value that a text stands for, which is undefined for none, or its problem. */
export function parseTyped(
  text: string,
  control: JobFormSimpleControl,
): { readonly value: unknown } | { readonly problem: string } {
  if (control.kind === 'text' || control.kind === 'file') return { value: text === '' ? undefined : text };
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  if (control.kind === 'number') {
    const number = Number(trimmed);
    if (!Number.isFinite(number) || !/^[-+\d.e]+$/i.test(trimmed)) return { problem: l10n.t('Enter a number.') };
    const isWrong = control.isInteger && !Number.isInteger(number);
    return isWrong ? { problem: l10n.t('Enter a whole number.') } : { value: number };
  }
  try {
    return { value: JSON.parse(trimmed) as unknown };
  } catch {
    return { problem: l10n.t('Enter valid JSON.') };
  }
}

/** Returns the text of a field: the typed one, or that of the value. */
export function textAt({ typed, values }: Model, path: JobFormPath, control: JobFormSimpleControl): string {
  const key = keyOf(path);
  const own = typed.get(key)?.text;
  if (own !== undefined) return own;
  const value = values.get(key)?.value;
  if (value === undefined) return '';
  return typeof value === 'string' && control.kind !== 'json' ? value : JSON.stringify(value, null, 2);
}

/** Returns the problem of a field that is shown. A missing value is one only after the user has left the field, or tried to run. */
export function problemAt(model: Model, path: JobFormPath, control?: JobFormSimpleControl): string | undefined {
  const { view, typed } = model;
  const key = keyOf(path);
  if (view.fileFailure && keyOf(view.fileFailure.path) === key) return `${view.fileFailure.message}.`;
  const own = typed.get(key);
  const parsed = own && control && parseTyped(own.text, control);
  if (parsed && 'problem' in parsed) return parsed.problem;
  const found = view.problems.filter((problem) => keyOf(problem.path) === key && isShown(problem, model));
  return found.length === 0 ? undefined : found.map(({ message }) => message).join(' ');
}

function isShown({ path, isMissing }: JobFormProblem, { view, left }: Model): boolean {
  return !isMissing || view.refusals > 0 || left.has(keyOf(path));
}

/** Returns the problems that no field shows. */
export function otherProblems(model: Model): readonly string[] {
  const { view, values } = model;
  return view.problems
    .filter(({ path }) => {
      const control = path.length > 0 ? controlOf(view, path) : undefined;
      const isGroup =
        path.length === 1 && view.fields.some(({ name, control: own }) => name === path[0] && own.kind === 'group');
      const isPlace = path.length < 3 || values.has(keyOf(path));
      return !(control && isPlace) && !isGroup;
    })
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
}

/** Returns the value of a new item of a list. */
export function newItem(control: JobFormSimpleControl): unknown {
  switch (control.kind) {
    case 'number':
      return 0;
    case 'flag':
      return false;
    case 'choice':
      return control.choices[0]?.value;
    case 'json':
      return null;
    default:
      return '';
  }
}
