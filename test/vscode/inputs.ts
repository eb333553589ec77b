import assert from 'node:assert/strict';
import * as vscode from 'vscode';

type Input = vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>;

/** An input box or quick pick that the extension shows, with the actions of a user. */
export interface Page {
  /** Replaces the text and presses Enter. */
  type(text: string): Promise<void>;
  /** Presses Enter. */
  accept(): Promise<void>;
  /** Selects the item with this label. */
  choose(label: string): Promise<void>;
  /** Presses the back button. */
  back(): Promise<void>;
  /** Presses Escape. */
  leave(): Promise<void>;
  value(): string;
  isPassword(): boolean;
  labels(): string[];
  /** Resolves with the labels once the list has items, or has an item with this label. */
  loaded(label?: string): Promise<string[]>;
  /** Resolves with the placeholder once it has this text. */
  placeholder(text: string): Promise<string>;
  /** Labels of the items whose checkboxes are selected. */
  checked(): string[];
  /** Selects the checkboxes of exactly the items with these labels, and presses Enter. */
  check(...labels: string[]): Promise<void>;
  details(): string[];
  descriptions(): string[];
  /** Resolves with the validation message once there is one. */
  refusal(): Promise<string>;
}

const ACCEPT = 'workbench.action.acceptSelectedQuickOpenItem';

/**
 * Intercepts the inputs and modal dialogs that the extension shows. Input boxes and quick picks are those of the editor and are visible.
 * The extension host has no keyboard, so texts are set directly. A modal dialog is not shown, and its answer is the button in `confirm`.
 * Call `done` at the end.
 */
export function inputs({ confirm = [] }: { readonly confirm?: string | readonly string[] } = {}) {
  const { createInputBox, createQuickPick, showWarningMessage } = vscode.window;
  /** Inputs with their titles when they were shown. A title can change before a test looks for it. */
  const shown: { readonly input: Input; readonly title: string | undefined }[] = [];
  const taken = new Set<Input>();
  const asked: string[] = [];
  const watch = (input: Input): never => {
    const show = input.show.bind(input);
    input.show = () => {
      shown.push({ input, title: input.title });
      show();
    };
    return input as never;
  };
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  window.createInputBox = () => watch(createInputBox());
  window.createQuickPick = () => watch(createQuickPick());
  window.showWarningMessage = (message: string, { detail = '' }: vscode.MessageOptions = {}, ...buttons: unknown[]) => {
    asked.push(`${message} ${detail}`);
    return Promise.resolve(buttons.find((button) => [confirm].flat().includes(button as string)) as never);
  };
  return {
    /** Texts of the modal dialogs so far. */
    asked,
    page: async (title: string, step?: number): Promise<Page> => {
      const found = await eventually(() =>
        shown.find(
          ({ input, title: first }) =>
            !taken.has(input) &&
            (input.title === title || first === title) &&
            (step === undefined || input.step === step),
        ),
      );
      taken.add(found.input);
      return asPage(found.input);
    },
    done: (): void => {
      window.createInputBox = createInputBox;
      window.createQuickPick = createQuickPick;
      window.showWarningMessage = showWarningMessage;
    },
  };
}

function asPage(input: Input): Page {
  const items = () => ('items' in input ? [...input.items] : []);
  return {
    async type(text) {
      if ('validationMessage' in input) input.validationMessage = undefined;
      input.value = text;
      await settled();
      await vscode.commands.executeCommand(ACCEPT);
    },
    async accept() {
      await settled();
      await vscode.commands.executeCommand(ACCEPT);
    },
    async choose(label) {
      const item = items().find((one) => one.label === label);
      assert.ok(item && 'activeItems' in input, `the list contains ${label}`);
      input.activeItems = [item];
      await settled();
      await vscode.commands.executeCommand(ACCEPT);
    },
    back: async () => vscode.commands.executeCommand('workbench.action.quickInputBack'),
    leave: async () => vscode.commands.executeCommand('workbench.action.closeQuickOpen'),
    value: () => input.value,
    isPassword: () => 'password' in input && input.password,
    labels: () => items().map(({ label }) => label),
    loaded: (wanted) =>
      eventually(() => {
        const labels = items().map(({ label }) => label);
        return labels.length > 0 && (wanted === undefined || labels.includes(wanted)) ? labels : undefined;
      }),
    placeholder: (text) => eventually(() => (input.placeholder === text ? text : undefined)),
    checked: () => ('selectedItems' in input ? input.selectedItems.map(({ label }) => label) : []),
    async check(...labels) {
      assert.ok('selectedItems' in input);
      input.selectedItems = items().filter(({ label }) => labels.includes(label));
      assert.equal(input.selectedItems.length, labels.length);
      await settled();
      await vscode.commands.executeCommand(ACCEPT);
    },
    details: () => items().map(({ detail = '' }) => detail),
    descriptions: () => items().map(({ description = '' }) => description),
    refusal: () =>
      eventually(() => {
        const message = 'validationMessage' in input ? input.validationMessage : undefined;
        return typeof message === 'string' ? message : undefined;
      }),
  };
}

/** Resolves after the editor has received the changes of an input, which it does in a later turn of the event loop. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

async function eventually<Value>(look: () => Value | undefined, timeoutMs = 45_000): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = look();
    if (value !== undefined) return value;
    assert.ok(Date.now() < deadline, `no result within ${timeoutMs} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Forgets all connections, as a user does. */
export async function forgetAllConnections(): Promise<void> {
  const { page, done } = inputs({ confirm: 'Forget All' });
  const command = vscode.commands.executeCommand('cloudCompute.connections.manage');
  await (await page('Manage Connection')).choose('$(trash) Forget All Connections…');
  await command;
  done();
}
