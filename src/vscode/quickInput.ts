import * as vscode from 'vscode';
import { safe, safeIfAny, type Showable } from './text/shownText.ts';

/* Questions in the middle of the window: a text, or one of some items. */

/** An item to choose. A separator has only a label. */
export interface ShownItem {
  readonly kind?: vscode.QuickPickItemKind;
  readonly label: Showable;
  readonly description?: Showable | undefined;
  readonly detail?: Showable | undefined;
  readonly alwaysShow?: boolean;
  readonly buttons?: readonly vscode.QuickInputButton[];
}

/** A line between items. */
export function separator(label: Showable = ''): ShownItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** How the editor shows an item, with the item. */
export interface Row<Item extends ShownItem> extends vscode.QuickPickItem {
  readonly item: Item;
}

export function rowOf<Item extends ShownItem>(item: Item): Row<Item> {
  const { kind, alwaysShow, buttons } = item;
  const [description, detail] = [safeIfAny(item.description), safeIfAny(item.detail)];
  return {
    label: safe(item.label),
    ...(description !== undefined && { description }),
    ...(detail !== undefined && { detail }),
    ...(kind !== undefined && { kind }),
    ...(alwaysShow !== undefined && { alwaysShow }),
    ...(buttons && { buttons }),
    item,
  };
}

export interface PickOptions {
  readonly title?: Showable;
  readonly placeholder?: Showable;
}

/** Lets a person choose an item by any of its texts. Items can be on their way. */
export async function pick<Item extends ShownItem>(
  items: readonly Item[] | Promise<readonly Item[]>,
  { title, placeholder }: PickOptions,
): Promise<Item | undefined> {
  const rows = items instanceof Promise ? items.then((found) => found.map(rowOf)) : items.map(rowOf);
  const [shownTitle, placeHolder] = [safeIfAny(title), safeIfAny(placeholder)];
  const chosen = await vscode.window.showQuickPick<Row<Item>>(rows, {
    matchOnDescription: true,
    matchOnDetail: true,
    ...(shownTitle !== undefined && { title: shownTitle }),
    ...(placeHolder !== undefined && { placeHolder }),
  });
  return chosen?.item;
}

/** A list that can change while it is open. Its rows are made by `rowOf`. */
export function createPick<Item extends ShownItem>({ title, placeholder }: PickOptions): vscode.QuickPick<Row<Item>> {
  const list = vscode.window.createQuickPick<Row<Item>>();
  list.title = safeIfAny(title);
  list.placeholder = safeIfAny(placeholder);
  return list;
}

/** What a text is told to be while it is typed: wrong, or right with something to know. */
export type Verdict =
  Showable | { readonly message: Showable; readonly severity: vscode.InputBoxValidationSeverity } | undefined;

export interface TextOptions {
  readonly title: Showable;
  readonly prompt: Showable;
  /** What is there to begin with. It is an input's content, which the editor shows as it is. */
  readonly value: string;
  readonly valueSelection?: [number, number];
  readonly ignoreFocusOut?: boolean;
  readonly validate: (text: string) => Verdict;
}

/** Asks for a text. */
export function askForText({ title, prompt, validate, ...options }: TextOptions): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    ...options,
    title: safe(title),
    prompt: safe(prompt),
    validateInput: (text) => {
      const verdict = validate(text);
      if (verdict === undefined) return undefined;
      if (typeof verdict === 'object' && 'severity' in verdict) return { ...verdict, message: safe(verdict.message) };
      return safe(verdict);
    },
  });
}

/** A box that is followed while a person types. */
export function createBox(texts: Readonly<Record<'title' | 'prompt' | 'placeholder', Showable>>): vscode.InputBox {
  const box = vscode.window.createInputBox();
  box.title = safe(texts.title);
  box.prompt = safe(texts.prompt);
  box.placeholder = safe(texts.placeholder);
  return box;
}
