import * as vscode from 'vscode';
import { isJobFile } from '../jobShells.ts';
import { withChanges } from '../model/jobFileChanges.ts';
import type { TextChange } from '../../../text/span.ts';

/** The job file of a form: the text of an editor, or a text without a file. */
export class FormDraft implements vscode.Disposable {
  #text: string;
  #document: vscode.TextDocument | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscription: vscode.Disposable;

  constructor(source: string | vscode.TextDocument) {
    this.#document = typeof source === 'string' ? undefined : source;
    this.#text = typeof source === 'string' ? source : source.getText();
    this.#subscription = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === this.#document) this.#keep(document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document === this.#document) void this.#reopen(document);
      }),
    );
  }

  get text(): string {
    return this.#text;
  }

  get document(): vscode.TextDocument | undefined {
    return this.#document;
  }

  /** Keeps the form in step with an editor. Without one, the form has a text of its own. */
  attach(document: vscode.TextDocument | undefined): void {
    this.#document = document;
    if (document) this.#keep(document);
    else this.#changed.fire();
  }

  /** Changes the text. Resolves with false if the editor refused the change. */
  async apply(changes: readonly TextChange[]): Promise<boolean> {
    const document = this.#document;
    if (!document) {
      this.#text = withChanges(this.#text, changes);
      return true;
    }
    const edit = new vscode.WorkspaceEdit();
    for (const { start, end, text } of changes)
      edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
    return vscode.workspace.applyEdit(edit);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** The editor closes a document some time after its last tab. The form then still edits the file. */
  async #reopen(closed: vscode.TextDocument): Promise<void> {
    const isUnsaved = closed.uri.scheme === 'untitled';
    const open = isUnsaved
      ? savedAs(closed)
      : await vscode.workspace.openTextDocument(closed.uri).then(undefined, noFile);
    if (this.#document === closed) this.attach(open);
  }

  #keep(document: vscode.TextDocument): void {
    this.#text = document.getText();
    this.#changed.fire();
  }
}

/** A deleted file. The form keeps its text. */
function noFile(): undefined {
  return undefined;
}

/** Returns the file that an unsaved document was saved as. */
function savedAs({ uri }: vscode.TextDocument): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    (one) => !one.isClosed && one.uri.scheme !== 'untitled' && one.uri.path === uri.path && isJobFile(one.uri),
  );
}
