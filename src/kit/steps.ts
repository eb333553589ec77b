import * as vscode from 'vscode';
import { createPick, rowOf, type ShownItem } from './quickInput.ts';
import { safe, safeIfAny, type Showable } from '../text/shownText.ts';

/* Steps of a wizard. A step can have a Back button, and it stays open when another window gets the focus. */

/** Result of a step if the user chose Back. */
export const BACK = Symbol('back');

/** Position of a step in a wizard. A single step has no number. */
export interface Place {
  readonly title: Showable;
  readonly step?: number;
  readonly totalSteps?: number;
  /** Whether the step has a Back button. */
  readonly back?: boolean;
}

export interface TextQuestion {
  readonly place: Place;
  readonly prompt: Showable;
  readonly placeholder?: Showable;
  readonly value?: string | undefined;
  readonly password?: boolean;
  readonly buttons?: readonly vscode.QuickInputButton[];
  /** Validates the text at each keystroke. Returns an error message, or undefined for valid text. */
  readonly problem: (text: string) => Showable | undefined;
  /** Tests the accepted text and resolves with an error message, if any. The signal is aborted when the user edits the text or leaves. */
  readonly attempt?: (text: string, signal: AbortSignal) => Promise<Showable | undefined>;
}

/** Shows an input box until the text is valid. @returns the text, `BACK`, the pressed button, or undefined if the user dismissed the box */
export function askText(question: TextQuestion): Promise<string | typeof BACK | vscode.QuickInputButton | undefined> {
  const { place, problem, attempt } = question;
  const input = vscode.window.createInputBox();
  setPlace(input, place);
  input.prompt = safe(question.prompt);
  input.placeholder = safeIfAny(question.placeholder);
  input.value = question.value ?? '';
  input.password = question.password ?? false;
  input.buttons = buttonsOf(place, question.buttons);
  return new Promise((resolve) => {
    let trying: AbortController | undefined;
    const cancelAttempt = () => {
      trying?.abort();
      trying = undefined;
      input.busy = false;
    };
    const accept = async () => {
      if (trying) return;
      const text = input.value;
      input.validationMessage = safeIfAny(problem(text));
      if (input.validationMessage !== undefined) return;
      const own = (trying = new AbortController());
      input.busy = true;
      const refusal = await attempt?.(text, own.signal);
      if (own.signal.aborted) return;
      cancelAttempt();
      if (refusal === undefined) settle(text);
      else input.validationMessage = safe(refusal);
    };
    const settle = (answer: string | typeof BACK | vscode.QuickInputButton | undefined) => {
      resolve(answer);
      cancelAttempt();
      input.dispose();
    };
    input.onDidChangeValue((text) => {
      cancelAttempt();
      // An empty box shows no error before the user types.
      input.validationMessage = text === '' ? undefined : safeIfAny(problem(text));
    });
    input.onDidAccept(() => {
      void accept();
    });
    input.onDidTriggerButton((button) => settle(button === vscode.QuickInputButtons.Back ? BACK : button));
    input.onDidHide(() => settle(undefined));
    input.show();
  });
}

export interface Choice<Item extends ShownItem> {
  readonly item: Item;
  /** The pressed button of the item, or undefined if the item itself was chosen. */
  readonly button: vscode.QuickInputButton | undefined;
}

/**
 * Shows a quick pick. Rows that are read in the meantime replace the first ones.
 *
 * @returns the choice, `BACK`, or undefined if the user dismissed the quick pick
 */
export function askItem<Item extends ShownItem>(question: {
  readonly place: Place;
  readonly placeholder: Showable;
  readonly items: readonly Item[];
  /** The item that is initially selected. Default: the first one. */
  readonly active?: Item | undefined;
  /** Resolves with the same rows with more details. It must not reject. */
  readonly updated?: Promise<readonly Item[]>;
}): Promise<Choice<Item> | typeof BACK | undefined> {
  const { place, placeholder, items, active, updated } = question;
  const pick = createPick<Item>({ placeholder });
  setPlace(pick, place);
  pick.items = items.map(rowOf);
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  // An empty list would deselect the first item, and Enter would do nothing.
  if (active) pick.activeItems = pick.items.filter(({ item }) => item === active);
  pick.buttons = buttonsOf(place);
  let isOpen = true;
  void updated?.then((fresh) => {
    if (!isOpen) return;
    const [selected] = pick.activeItems;
    const index = selected ? pick.items.indexOf(selected) : -1;
    pick.keepScrollPosition = true;
    pick.items = fresh.map(rowOf);
    if (index >= 0) pick.activeItems = pick.items.slice(index, index + 1);
  });
  return new Promise((resolve) => {
    const settle = (answer: Choice<Item> | typeof BACK | undefined) => {
      isOpen = false;
      resolve(answer);
      pick.dispose();
    };
    pick.onDidAccept(() => {
      const [row] = pick.selectedItems;
      if (row) settle({ item: row.item, button: undefined });
    });
    pick.onDidTriggerItemButton(({ item: row, button }) => settle({ item: row.item, button }));
    pick.onDidTriggerButton(() => settle(BACK));
    pick.onDidHide(() => settle(undefined));
    pick.show();
  });
}

function setPlace(input: vscode.QuickInput, { title, step, totalSteps }: Place): void {
  input.title = safe(title);
  input.step = step;
  input.totalSteps = totalSteps;
  input.ignoreFocusOut = true;
}

function buttonsOf({ back = false }: Place, own: readonly vscode.QuickInputButton[] = []): vscode.QuickInputButton[] {
  return [...(back ? [vscode.QuickInputButtons.Back] : []), ...own];
}
