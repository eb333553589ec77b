import * as vscode from 'vscode';
import { safe, safeIfAny, type Showable } from '../text/shownText.ts';

/* Input boxes and quick picks. */

/** An item of a quick pick. A separator has only a label. */
export interface ShownItem {
  readonly kind?: vscode.QuickPickItemKind;
  readonly label: Showable;
  readonly description?: Showable | undefined;
  readonly detail?: Showable | undefined;
  readonly alwaysShow?: boolean;
  readonly buttons?: readonly vscode.QuickInputButton[];
  /** A product icon, or the address of an image. */
  readonly icon?: vscode.ThemeIcon | vscode.Uri;
}

/** Creates a separator between items. */
export function separator(label: Showable = ''): ShownItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** A quick pick row of the editor, with the item that it shows. */
export interface Row<Item extends ShownItem> extends vscode.QuickPickItem {
  readonly item: Item;
}

export function rowOf<Item extends ShownItem>(item: Item): Row<Item> {
  const { kind, alwaysShow, buttons, icon } = item;
  const [description, detail] = [safeIfAny(item.description), safeIfAny(item.detail)];
  return {
    label: safe(item.label),
    ...(description !== undefined && { description }),
    ...(detail !== undefined && { detail }),
    ...(kind !== undefined && { kind }),
    ...(alwaysShow !== undefined && { alwaysShow }),
    ...(buttons && { buttons }),
    ...(icon && { iconPath: icon }),
    item,
  };
}

export interface PickOptions {
  readonly title?: Showable;
  readonly placeholder?: Showable;
}

/** Shows a quick pick that filters by label, description, and detail. */
export async function pick<Item extends ShownItem>(
  items: readonly Item[] | Promise<readonly Item[]>,
  { title, placeholder, ignoreFocusOut = false }: PickOptions & { readonly ignoreFocusOut?: boolean },
): Promise<Item | undefined> {
  const rows = items instanceof Promise ? items.then((found) => found.map(rowOf)) : items.map(rowOf);
  const [shownTitle, placeHolder] = [safeIfAny(title), safeIfAny(placeholder)];
  const chosen = await vscode.window.showQuickPick<Row<Item>>(rows, {
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut,
    ...(shownTitle !== undefined && { title: shownTitle }),
    ...(placeHolder !== undefined && { placeHolder }),
  });
  return chosen?.item;
}

/**
 * Shows a quick pick with checkboxes. Resolves with the selected items, or undefined if the user dismissed the list.
 *
 * @param isSelected returns whether an item is selected initially
 */
export function pickMany<Item extends ShownItem>(
  items: readonly Item[],
  options: PickOptions,
  isSelected: (item: Item) => boolean,
): Promise<readonly Item[] | undefined> {
  const list = createPick<Item>(options);
  list.canSelectMany = true;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.items = items.map(rowOf);
  list.selectedItems = list.items.filter(({ item }) => isSelected(item));
  return accepted(list, () => list.selectedItems.map(({ item }) => item));
}

/**
 * Shows a quick pick until the user accepts or dismisses it. Resolves with the result, or undefined if the user dismissed the list.
 *
 * @param take returns the result when the user accepts, or undefined to keep the list open
 */
export function accepted<Result>(
  list: vscode.QuickPick<vscode.QuickPickItem>,
  take: () => Result | undefined,
): Promise<Result | undefined> {
  return new Promise((resolve) => {
    list.onDidAccept(() => {
      const result = take();
      if (result === undefined) return;
      resolve(result);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

/** Creates a quick pick whose rows can change while it is open. The caller creates the rows with `rowOf`. */
export function createPick<Item extends ShownItem>({ title, placeholder }: PickOptions): vscode.QuickPick<Row<Item>> {
  const list = vscode.window.createQuickPick<Row<Item>>();
  list.title = safeIfAny(title);
  list.placeholder = safeIfAny(placeholder);
  return list;
}

/** The result of validating typed text: an error, a message with a severity, or undefined for valid text. */
export type Verdict =
  Showable | { readonly message: Showable; readonly severity: vscode.InputBoxValidationSeverity } | undefined;

export interface TextOptions {
  readonly title: Showable;
  readonly prompt: Showable;
  /** Initial content. The editor shows the content of an input as plain text. */
  readonly value: string;
  readonly valueSelection?: [number, number];
  readonly ignoreFocusOut?: boolean;
  /** Whether the text is not shown. */
  readonly password?: boolean;
  readonly validate: (text: string) => Verdict;
}

/** Shows an input box. Resolves with the text, or undefined if the user dismissed the box. */
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

/** Creates an input box whose events the caller handles. */
export function createBox(texts: Readonly<Record<'title' | 'prompt' | 'placeholder', Showable>>): vscode.InputBox {
  const box = vscode.window.createInputBox();
  box.title = safe(texts.title);
  box.prompt = safe(texts.prompt);
  box.placeholder = safe(texts.placeholder);
  return box;
}
